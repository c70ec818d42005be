"""Mishaps of the simulated BMC, seen by ipmitool through the driver: a gap with its reason, then right values again."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from wattmark_drivers.errors import BadReply, DriverError
from wattmark_drivers.factory import create_meter
from wattmark_drivers.ipmi import shell
from wattmark_drivers.reading import Quality, Reading
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.simulators.control import ControlRefused
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

SPEC: dict[str, Any] = {
    "servers": {"sut": {"idle_w": 300, "dynamic_w": 0, "dimms": 0}},
    "devices": {"bmc": {"model": "ipmi.bmc", "measures": ["sut"]}},
}


@pytest.fixture(scope="module")
def bmc_lab() -> Iterator[SimulatedLab]:
    with SimulatedLab(SPEC) as running:
        yield running


@pytest.fixture
async def session(bmc_lab, monkeypatch):
    """Open a meter that loses no time on silence."""
    monkeypatch.setattr(shell, "PATIENCE", ("-N", "1", "-R", "1"))
    device = bmc_lab.devices["bmc"]
    meter = create_meter(
        MeterSettings(
            "bmc", "ipmi.bmc", device.url, username=device.username, password=lambda: device.password_file.read_text()
        )
    )
    await meter.open()
    yield meter
    await meter.close()


async def test_a_simulated_bmc_says_so_by_its_asset_tag(session):
    assert session.identity.simulated
    assert session.identity.serial == "SIMULATED"


async def until_back(meter) -> tuple[list[str], Reading]:
    """Poll through the mishap; return what was said meanwhile and the first power after it."""
    errors = []
    async with asyncio.timeout(60):
        while True:
            try:
                readings = await meter.read()
            except DriverError as error:
                errors.append(str(error))
                continue
            power = next(reading for reading in readings if reading.channel == "power")
            if errors:
                return errors, power


async def first_refusal(meter) -> str:
    async with asyncio.timeout(60):
        while True:
            try:
                await meter.read()
            except BadReply as error:
                return str(error)


def expect_true(power: Reading, lab: SimulatedLab) -> None:
    # The simulated BMC reads 3 % high and in whole watts.
    assert power.value == pytest.approx(1.03 * lab.state("sut").wall_power_w, rel=0.01, abs=1)
    assert power.quality in (Quality.GOOD, Quality.STALE)


async def test_a_frozen_bmc_is_a_gap_and_goes_on(bmc_lab, session):
    # ipmitool's patience varies between 1 and more than 4 s with the load of the machine.
    bmc_lab.inject("bmc", kind="freeze", seconds=10)
    errors, power = await until_back(session)
    assert any("does not answer" in error or "No IPMI session" in error for error in errors)
    expect_true(power, bmc_lab)


async def test_a_restarted_bmc_gets_a_new_session(bmc_lab, session):
    pid = session._shell.child.pid
    bmc_lab.inject("bmc", kind="restart", seconds=0.2)
    errors, power = await until_back(session)
    assert "does not answer" in errors[0]
    expect_true(power, bmc_lab)
    assert session._shell.child.pid != pid


async def test_dcmi_that_is_switched_off_is_a_refusal_and_a_new_session_takes_the_sensor(bmc_lab, session):
    assert session.channels[0].label == "Server power (DCMI)"
    bmc_lab.inject("bmc", kind="no-dcmi", seconds=60)
    assert "0xc1 (invalid command)" in await first_refusal(session)
    await session.open()
    assert session.channels[0].label == "Pwr Consumption"
    power = next(reading for reading in await session.read() if reading.channel == "power")
    # The 8-bit sensor steps by 4 W here.
    assert power.value == pytest.approx(1.03 * bmc_lab.state("sut").wall_power_w, rel=0.01, abs=4)


def test_other_faults_are_refused_by_name(bmc_lab):
    with pytest.raises(ControlRefused, match="Choose one of freeze, restart, no-dcmi"):
        bmc_lab.inject("bmc", kind="torn")


def test_a_frozen_bmc_does_not_keep_the_lab_from_ending():
    with SimulatedLab(SPEC) as lab:
        lab.inject("bmc", kind="freeze", seconds=3600)
        assert lab.pid
