"""Simulated analysers, asked by pyvisa and by our driver: they speak as the real ones, and go wrong as told."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from wattmark_drivers.errors import ConnectionFailed
from wattmark_drivers.factory import create_meter
from wattmark_drivers.reading import Quality, Reading
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

STEADY = {"idle_w": 300, "dynamic_w": 0, "dimm_load_share": 0, "dimms": 4, "psu": {"shares": [0.6, 0.4]}}
SPEC: dict[str, Any] = {
    "seed": 7,
    "servers": {"steady": STEADY},
    "devices": {
        "wt310e": {"model": "yokogawa.wt310e", "measures": ["steady"]},
        "wt330": {"model": "yokogawa.wt330", "measures": ["steady/psu1", "steady/psu2"]},
        "wt210": {"model": "yokogawa.wt210", "measures": ["steady"], "transport": "serial"},
    },
}


@pytest.fixture(scope="module")
def lab() -> Iterator[SimulatedLab]:
    with SimulatedLab(SPEC) as running:
        yield running


@asynccontextmanager
async def opened(lab: SimulatedLab, name: str, **options: Any) -> AsyncIterator[Any]:
    url = lab.devices[name].url or ""
    model = SPEC["devices"][name]["model"]
    choice = options.pop("range", "300V-5A")
    meter = create_meter(MeterSettings(name, model, url, range=choice, timeout_s=0.3, options=options))
    await meter.open()
    try:
        yield meter
    finally:
        await meter.close()


async def read(meter: Any) -> dict[str, Reading]:
    return {reading.channel: reading for reading in await meter.read()}


def test_pyvisa_reads_it_and_it_says_that_it_is_simulated(lab: SimulatedLab) -> None:
    pyvisa = pytest.importorskip("pyvisa")
    port = (lab.devices["wt310e"].url or "").rpartition(":")[2]
    manager = pyvisa.ResourceManager("@py")
    device = manager.open_resource(f"TCPIP0::127.0.0.1::{port}::SOCKET", read_termination="\n", write_termination="\n")
    try:
        maker, model, serial, _ = device.query("*IDN?").split(",")
        assert (maker, model) == ("YOKOGAWA", "WT310E")
        assert serial.startswith("SIMULATED")
        device.write(":COMM:HEAD OFF;:NUM:NORM:NUM 2;ITEM1 U,1;ITEM2 I,1")
        volts, amperes = map(float, device.query(":NUM:VAL?").split(","))
        assert 225 < volts < 231
        assert 1 < amperes < 3
        device.write(":VOLT:RANG 150;:VOLT:RANG 149")
        assert device.query(":VOLT:RANG?;:VOLT:AUTO?") == "150.0E+00;0"
        assert device.query(":STAT:ERR?").startswith("222")
        assert device.query(":STAT:ERR?").startswith("0")
        device.write(":VOLT:AUTO ON")
    finally:
        device.close()
        manager.close()


async def test_values_follow_the_physics_and_an_update_is_awaited(lab: SimulatedLab) -> None:
    true_w = lab.state("steady").wall_power_w
    for name in ("wt310e", "wt330", "wt210"):
        async with opened(lab, name) as meter:
            assert meter.identity.simulated
            readings = await read(meter)
            assert readings["power"].value == pytest.approx(true_w, rel=0.01), name
            assert readings["power"].range == "300V-5A"
            first, second = await read(meter), await read(meter)
            apart_s = (second["power"].t_ns - first["power"].t_ns) / 1e9
            assert apart_s > 0.1


async def test_one_element_alone(lab: SimulatedLab) -> None:
    async with opened(lab, "wt330", elements="2") as meter:
        readings = await read(meter)
        assert set(readings) >= {"power", "power_l2"}
        assert "power_l1" not in readings
        assert readings["power"].value == pytest.approx(lab.state("steady").psu_power_w[1], rel=0.01)
        assert meter.identity.power_accuracy.range_value == 1500.0
    async with opened(lab, "wt330") as meter:
        assert meter.identity.power_accuracy.range_value == 3 * 1500.0


async def test_a_range_that_is_too_small_is_over_range_and_a_probe_finds_a_good_one(lab: SimulatedLab) -> None:
    async with opened(lab, "wt310e", range="300V-0.5A") as meter:
        readings = await read(meter)
        assert readings["power"].quality & Quality.OVER_RANGE
        assert not readings["power"].quality.usable
    async with opened(lab, "wt310e", range=None, probe_s=1) as meter:
        assert (meter.plan.voltage_v, meter.plan.current_a) == (300.0, 2.0)
        assert (await read(meter))["power"].quality is Quality.GOOD


FAULTS = [
    ({"kind": "delay", "seconds": 0.5}, Quality.RETRIED),
    ({"kind": "drop"}, Quality.RETRIED),
    ({"kind": "garbage"}, Quality.RETRIED),
    ({"kind": "torn"}, Quality.RETRIED),
    ({"kind": "saturation"}, Quality.OVER_RANGE),
]


async def test_each_fault_leaves_its_mark(lab: SimulatedLab) -> None:
    for name, faults in (("wt310e", FAULTS), ("wt210", FAULTS[-2:])):
        async with opened(lab, name) as meter:
            sound = (await read(meter))["power"].value
            for fault, mark in faults:
                lab.inject(name, **fault)
                hit = (await read(meter))["power"]
                assert hit.quality & mark, (name, fault)
                assert not hit.quality.usable or hit.value == pytest.approx(sound, rel=0.01), (name, fault)
                after = (await read(meter))["power"]
                assert after.value == pytest.approx(sound, rel=0.01), (name, fault)


async def reopened(meter: Any) -> None:
    """Open a meter as soon as its port is back."""
    async with asyncio.timeout(60):
        while True:
            try:
                return await meter.open()
            except ConnectionFailed:
                await asyncio.sleep(0.1)


async def test_hanging_up_and_unplugging(lab: SimulatedLab) -> None:
    for name, fault in (("wt310e", {"kind": "disconnect"}), ("wt210", {"kind": "unplug", "seconds": 3})):
        async with opened(lab, name) as meter:
            lab.inject(name, **fault)
            with pytest.raises(ConnectionFailed):
                await meter.read()
            await meter.close()
            await reopened(meter)
            assert (await read(meter))["power"].quality is Quality.GOOD
