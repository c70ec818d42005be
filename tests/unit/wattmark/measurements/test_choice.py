"""Which meters are those of this machine, and that none of them counts twice."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest
from wattmark.bench.bench import Bench
from wattmark.core.errors import InputError
from wattmark.instruments.known_bench import load_known_bench
from wattmark.measurements import choice
from wattmark.measurements.choice import Machine, choose, require_different_devices
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.discovery.found import FoundDevice
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.meter_url import parse_meter_url
from wattmark_drivers.settings import MeterSettings

BENCH = """
schema: wattmark-bench/1
lab: l
servers:
  - {id: here, access: {local: true}, configurations: [{id: c, cpu: {model: any}, os: {name: any, kernel: any}}]}
  - {id: db1, access: {ssh: db1}, configurations: [{id: c, cpu: {model: any}, os: {name: any, kernel: any}}]}
meters:
  - {id: outlet, model: eastron.sdm120, url: 'modbus-tcp://192.0.2.1/1', feeds: [{server: here}]}
  - {id: pdu, model: eastron.sdm120, url: 'modbus-tcp://192.0.2.1/2', feeds: [{server: db1}]}
  - {id: spare, model: eastron.sdm120, url: 'modbus-tcp://192.0.2.1/3'}
bmcs:
  - {id: bmc, server: db1, host: 192.0.2.9, user: u, password_env: P}
"""
SDM = "modbus-tcp://192.0.2.1/1?model=eastron.sdm120"


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    file = tmp_path / "bench.yaml"
    file.write_text(BENCH.replace("{ssh: db1}", "{ssh: {host: db1, user: u}}"))
    return load_known_bench(file)


async def chosen(bench: Bench | None, *targets: str) -> Machine:
    return await choose(targets, bench, partial(parse_meter_url), SystemClock())


@pytest.mark.parametrize("target", ["pdu", "bmc"])
async def test_a_meter_of_another_server_does_not_measure_this_machine(bench: Bench, target: str) -> None:
    with pytest.raises(InputError, match=f"The meter {target} measures db1, by the bench another server"):
        await chosen(bench, target)


@pytest.mark.parametrize("target", ["outlet", "spare", SDM])
async def test_a_meter_of_this_machine_or_of_none_is_taken(bench: Bench, target: str) -> None:
    machine = await chosen(bench, target)
    assert (machine.server, len(machine.meters)) == ("here", 1)


@pytest.mark.parametrize(
    "targets",
    [
        (SDM, SDM),
        (SDM, "modbus-tcp://192.0.2.1:502/1?model=eastron.sdm120"),
        (SDM, "modbus-tcp://192.0.2.1/1?model=eastron.sdm120&period_s=2"),
        ("outlet", "outlet"),
        ("outlet", SDM),
        ("simulated://?model=eastron.sdm120", "simulated://?model=eastron.sdm120&idle_w=5"),
    ],
)
async def test_a_meter_that_is_named_twice_is_refused(bench: Bench, targets: tuple[str, str]) -> None:
    with pytest.raises(InputError, match=r"whose power would count twice|is given twice"):
        await chosen(bench, *targets)


async def test_two_meters_are_two(bench: Bench) -> None:
    machine = await chosen(bench, "outlet", "modbus-tcp://192.0.2.1/4?model=eastron.sdm120")
    assert len(machine.meters) == 2


def meter(url: str, serial: str | None, model: str = "eastron.sdm120", role: str = "wall") -> Any:
    record = SimpleNamespace(serial=serial, model=model, role=role)
    return SimpleNamespace(monitored=SimpleNamespace(name=url), entry=MeterSettings(url, model, url), record=record)


@pytest.mark.parametrize(
    ("first", "second", "is_one"),
    [
        (meter("modbus-tcp://127.0.0.1/1", "K1"), meter("modbus-tcp://localhost/1", "K1"), True),
        (meter("modbus-tcp://a:502/1", "K1"), meter("modbus-tcp://b:503/1", "K1"), True),
        (meter("http://a", "K1", "shelly.plugs"), meter("http://b", "K1", "shelly.plugs"), True),
        (meter("modbus-tcp://a/1", "K1"), meter("modbus-tcp://b/1", "K2"), False),
        (meter("modbus-tcp://a/1", None), meter("modbus-tcp://b/1", None), False),
        (meter("modbus-tcp://a/1", "K1"), meter("modbus-tcp://b/1", "K1", "eastron.sdm630"), False),
        (meter("http://a/1", "K1", "shelly.pro4pm"), meter("http://a/2", "K1", "shelly.pro4pm"), False),
        (meter("modbus-tcp://a/1", "K1"), meter("modbus-tcp://b/1", "K1", role="secondary"), False),
        (meter("simulated://a", "K1"), meter("simulated://b", "K1"), False),
    ],
)
def test_meters_that_answer_as_one_device_are_refused(first: Any, second: Any, is_one: bool) -> None:
    if not is_one:
        require_different_devices(cast("Any", [first, second]))
        return
    with pytest.raises(InputError, match="are one device, serial number K1: its power would count twice"):
        require_different_devices(cast("Any", [first, second]))


async def test_a_device_that_asks_for_a_password_first_is_said_to(monkeypatch: pytest.MonkeyPatch) -> None:
    async def scanned(*_: object, **__: object) -> list[FoundDevice]:
        return [FoundDevice("http://192.0.2.5", "a device with a web server that asks for a password")]

    monkeypatch.setattr(choice, "scan_hosts", scanned)
    with pytest.raises(ConfigurationError, match=r"The device at 192.0.2.5 asks for a password"):
        await chosen(None, "shelly://192.0.2.5")


@pytest.mark.parametrize("address", ["ipmi://me:hunter2@192.0.2.5", "shelly://me:hunter2@192.0.2.5"])
async def test_a_password_in_an_address_reaches_neither_the_network_nor_a_message(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def scanned(*_: object, **__: object) -> list[FoundDevice]:
        raise AssertionError("nothing is asked")

    monkeypatch.setattr(choice, "scan_hosts", scanned)
    with pytest.raises(ConfigurationError) as refused:
        await chosen(None, address)
    assert "hunter2" not in str(refused.value)
