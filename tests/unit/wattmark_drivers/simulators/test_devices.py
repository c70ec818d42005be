from pathlib import Path

import pytest
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.declaration import AccuracyTerm
from wattmark_drivers.catalogue.modbus_map import ModbusMap
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.simulators.devices import build_device, limit_pct
from wattmark_drivers.simulators.server import SimulatedServer
from wattmark_drivers.simulators.spec import DeviceSpec, ServerSpec
from wattmark_drivers.speakers.speaker import Surroundings

METERS = [name for name, declaration in load_catalogue().items() if isinstance(declaration.protocol, ModbusMap)]


def term(quantity: str, **terms: float) -> AccuracyTerm:
    return AccuracyTerm(quantity=quantity, status="unconfirmed", **terms)


@pytest.mark.parametrize(
    ("terms", "limit"),
    [
        ((term("power", range_pct=1.0), term("energy", reading_pct=0.5)), 0.5),
        ((term("power", reading_pct=0.1, range_pct=0.05),), 0.05),
        ((term("voltage", range_pct=0.2),), 1.0),
        ((), 1.0),
    ],
)
def test_errors_respect_every_declared_limit(terms: tuple[AccuracyTerm, ...], limit: float) -> None:
    declaration = load_catalogue()["eastron.sdm120"].model_copy(update={"accuracy": terms})

    assert limit_pct(declaration) == limit


NOT_SIMULATED = {"nvidia.gpu", "replay.log"}
"""A GPU has no wire, and a replay is a simulation already."""


@pytest.mark.parametrize("model", sorted(NOT_SIMULATED))
def test_what_cannot_be_simulated_says_so(model: str, tmp_path: Path) -> None:
    servers = {"sut": SimulatedServer(ServerSpec(idle_w=180, dynamic_w=160, dimms=4))}
    with pytest.raises(ConfigurationError, match=r"No speaker serves devices of the kind .*There are speakers of"):
        build_device(
            "device", DeviceSpec(model=model, measures=["sut"]), 1, servers, Surroundings(tmp_path, lambda: 0.0)
        )


@pytest.mark.parametrize("model", sorted(set(load_catalogue()) - NOT_SIMULATED))
def test_every_model_of_the_catalogue_can_be_built(model: str, tmp_path: Path) -> None:
    servers = {"sut": SimulatedServer(ServerSpec(idle_w=180, dynamic_w=160, dimms=4))}

    device = build_device(
        "device", DeviceSpec(model=model, measures=["sut"]), 1, servers, Surroundings(tmp_path, lambda: 0.0)
    )

    device.step(0.2)


@pytest.mark.parametrize("model", METERS)
def test_every_declared_quantity_is_one_that_meters_measure(model: str) -> None:
    protocol = load_catalogue()[model].protocol
    assert isinstance(protocol, ModbusMap)

    quantities = {
        "voltage",
        "current",
        "power",
        "apparent_power",
        "reactive_power",
        "power_factor",
        "frequency",
        "energy",
    }
    assert {register.quantity for register in protocol.registers} <= quantities


@pytest.mark.parametrize("latency_s", [0.0, 1.3])
def test_a_value_is_shown_as_late_as_declared(latency_s: float, tmp_path: Path) -> None:
    server = SimulatedServer(ServerSpec(idle_w=100, dynamic_w=100, dimms=0))
    around = Surroundings(tmp_path, lambda: 0.0)
    spec = DeviceSpec.model_validate({"model": "eastron.sdm120", "measures": ["s"], "latency_s": latency_s})
    device, shown = build_device("m", spec, 1, {"s": server}, around), []
    device.speaker.show = lambda indication: shown.append((step, indication.total["power"]))  # type: ignore[method-assign]
    for step in range(1, 61):
        server.step(1.0 if step > 20 else 0.0, 0.1)
        device.step(0.1)
    begin_s = next(index for index, watts in shown if watts > 200) * 0.1
    assert begin_s == pytest.approx(3.0 + latency_s), "the mean over the second from 2.0 s on"
