"""The simulator serves every declared Modbus meter, and what our driver reads from it fits together."""

from __future__ import annotations

import math
from collections.abc import Iterator

import pytest
from pymodbus.client import AsyncModbusTcpClient
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.catalogue.modbus_map import ModbusMap
from wattmark_drivers.factory import create_meter
from wattmark_drivers.reading import Quality
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

TABLES = {name: item.protocol for name, item in load_catalogue().items() if isinstance(item.protocol, ModbusMap)}
STEADY = {"idle_w": 900, "dynamic_w": 0, "dimm_load_share": 0, "dimms": 4, "psu": {"powered": 3}}
FEEDS = {1: ["steady"], 3: ["steady/psu1", "steady/psu2", "steady/psu3"]}


@pytest.fixture(scope="module")
def lab() -> Iterator[SimulatedLab]:
    devices = {name: {"model": name, "measures": FEEDS[table.phase_count]} for name, table in TABLES.items()}
    with SimulatedLab({"seed": 5, "servers": {"steady": STEADY}, "devices": devices}) as running:
        yield running


async def read(lab: SimulatedLab, model: str) -> dict[str, float]:
    url = lab.devices[model].url
    assert url
    meter = create_meter(MeterSettings("wall", model, url, simulated=True))
    await meter.open()
    readings = await meter.read()
    await meter.close()
    assert [item.channel for item in readings if item.quality is not Quality.GOOD] == []
    return {item.channel: item.value for item in readings}


def steps(model: str) -> dict[str, float]:
    return {item.channel: item.step or 0.001 for item in TABLES[model].registers}


@pytest.mark.parametrize("model", sorted(TABLES))
async def test_power_is_that_of_the_server(model, lab):
    values = await read(lab, model)
    assert values["power"] == pytest.approx(lab.state("steady").wall_power_w, rel=0.01, abs=steps(model)["power"])
    assert values["energy_import"] > 0
    assert values.get("energy_export", 0) == 0
    if not load_catalogue()[model].direct_current and "frequency" in values:
        assert values["frequency"] == pytest.approx(50, abs=steps(model)["frequency"])


@pytest.mark.parametrize("model", sorted(name for name in TABLES if name != "eastron.sdm72"))
async def test_volts_amps_and_watts_fit_together(model, lab):
    """W = V x A x PF within the steps of the registers; without a power factor, W is at most V x A."""
    values, step = await read(lab, model), steps(model)
    suffixes = ["_l1", "_l2", "_l3"] if TABLES[model].phase_count == 3 else [""]
    for suffix in suffixes:
        volts, amps, watts = (values[name + suffix] for name in ("voltage", "current", "power"))
        doubt = volts * step["current" + suffix] + amps * step["voltage" + suffix] + 2 * step["power" + suffix] + 0.5
        assert watts > 200
        if "power_factor" + suffix in values:
            doubt += volts * amps * step["power_factor" + suffix]
            assert watts == pytest.approx(volts * amps * values["power_factor" + suffix], abs=doubt)
        elif load_catalogue()[model].direct_current:
            assert watts == pytest.approx(volts * amps, abs=doubt)
        else:
            assert 0.9 * volts * amps < watts < volts * amps + doubt
        if "apparent_power" + suffix in values and "reactive_power" + suffix in values:
            total = math.hypot(watts, values["reactive_power" + suffix])
            assert values["apparent_power" + suffix] == pytest.approx(total, abs=2 + 2 * step["power" + suffix])


@pytest.mark.parametrize(("address", "count"), [(2, 2), (1, 3), (802, 4)])
async def test_half_a_number_is_refused_where_the_real_meter_refuses_it(address, count, lab):
    # PAC3200 manual, 3.9.3, "Error in the case of inconsistent access to measured values".
    url = lab.devices["siemens.pac3200"].url
    assert url
    port = int(url.rpartition(":")[2].partition("/")[0])
    client = AsyncModbusTcpClient("127.0.0.1", port=port, retries=0)
    assert await client.connect()
    try:
        assert (await client.read_holding_registers(address, count=count)).exception_code == 2
        assert not (await client.read_holding_registers(1, count=2)).isError()
    finally:
        client.close()
