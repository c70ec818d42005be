"""Simulated RAPL counters and ACPI power meters, read by the drivers: they follow the load model and its faults."""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterator
from typing import Any

import pytest
from wattmark_drivers.errors import ConnectionFailed
from wattmark_drivers.factory import create_meter
from wattmark_drivers.reading import Quality
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.simulators.control import ControlRefused
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

from tests.open_meter import open_meter

SPEC: dict[str, Any] = {
    "servers": {"sut": {"idle_w": 300, "dynamic_w": 0, "dimm_load_share": 0, "dimms": 4}},
    "devices": {
        "acpi": {"model": "linux.hwmon", "measures": ["sut"]},
        "cpu": {"model": "linux.rapl", "measures": ["sut"]},
        "gpu": {"model": "amd.gpu", "measures": ["sut"]},
    },
}


@pytest.fixture(scope="module")
def tree_lab() -> Iterator[SimulatedLab]:
    with SimulatedLab(SPEC) as running:
        yield running


@pytest.fixture
async def acpi(tree_lab):
    meter = create_meter(MeterSettings("acpi", "linux.hwmon", tree_lab.devices["acpi"].url))
    await meter.open()
    yield meter
    await meter.close()


async def test_the_acpi_meter_reads_the_servers_power_three_percent_high_and_says_that_it_is_simulated(tree_lab, acpi):
    (power,) = await acpi.read()
    assert power.value == pytest.approx(1.03 * tree_lab.state("sut").wall_power_w, rel=0.01)
    assert acpi.identity.simulated
    assert acpi.channels[0].label == "power_meter power1 (mean over 1 s)"


async def test_the_processor_draws_its_share_and_the_memory_its_own(tree_lab):
    async with open_meter(create_meter(MeterSettings("cpu", "linux.rapl", tree_lab.devices["cpu"].url))) as meter:
        await asyncio.sleep(3)
        values = {reading.channel: reading.value for reading in await meter.read()}
    # A fifth of 300 W idle, and four DIMMs of 5.5 W; the counters move each 50 ms of 3 s, later on a busy machine.
    assert values["power"] == pytest.approx(60, rel=0.3)
    assert values["package_0_dram_power"] == pytest.approx(22, rel=0.3)
    assert values["package_0_dram_power"] / values["power"] == pytest.approx(22 / 60, rel=0.1)


async def test_the_gpu_draws_its_share_of_the_server_and_says_that_it_is_simulated(tree_lab):
    async with open_meter(create_meter(MeterSettings("gpu", "amd.gpu", tree_lab.devices["gpu"].url))) as meter:
        power = (await meter.read())[0]
    # 40 % of 300 W behind the supplies.
    assert (power.channel, power.value) == ("power", pytest.approx(120))
    assert meter.identity.simulated


async def test_garbage_is_invalid_and_a_chip_pulled_out_is_a_lost_meter_that_returns(tree_lab, acpi):
    tree_lab.inject("acpi", kind="garbage", count=2)
    async with asyncio.timeout(60):
        while math.isfinite((power := (await acpi.read())[0]).value):
            await asyncio.sleep(0.1)
    assert power.quality is Quality.INVALID
    tree_lab.inject("acpi", kind="unplug", seconds=3)
    with pytest.raises(ConnectionFailed, match="is gone"):
        await acpi.read()
    async with asyncio.timeout(60):
        while True:
            try:
                await acpi.open()
                break
            except ConnectionFailed:
                await asyncio.sleep(0.1)


def test_other_faults_are_refused(tree_lab):
    with pytest.raises(ControlRefused, match="Choose one of unplug"):
        tree_lab.inject("cpu", kind="torn")
