"""A meter at ``simulated://``: it brings its simulator, is marked, and takes it along when it is closed."""

from __future__ import annotations

import asyncio
import os

import pytest
from wattmark_drivers.address import parse_address
from wattmark_drivers.catalogue import find_model
from wattmark_drivers.errors import ConfigurationError, DriverError
from wattmark_drivers.factory import create_meter
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.plausibility.collect import collect
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.simulators.on_demand import SimulatorMeter

IDLE_W, DYNAMIC_W = 400.0, 0.0
URL = f"simulated://?idle_w={IDLE_W:g}&dynamic_w={DYNAMIC_W:g}"


def settings(model: str = "eastron.sdm120", url: str = URL) -> MeterSettings:
    return MeterSettings("wall", model, url, period_s=0.2)


@pytest.mark.parametrize("model", ["eastron.sdm120", "yokogawa.wt310e"])
async def test_it_reads_the_load_model_over_the_protocol_of_its_model_and_is_marked(model: str) -> None:
    seen: list[MeterIdentity] = []
    recording = await collect(settings(model), 1.5, on_open=lambda meter: seen.append(meter.identity))
    watts = [item for item in recording.readings if item.channel == "power"]
    assert watts
    assert [identity.simulated for identity in seen] == [True]
    assert IDLE_W < watts[-1].value < 1.5 * IDLE_W, "idle power, memory and the losses of the supplies"


async def test_closing_ends_the_simulator_and_opening_again_starts_another() -> None:
    meter = create_meter(settings())
    assert isinstance(meter, SimulatorMeter)
    pids = []
    for _ in range(2):
        await meter.open()
        assert meter.identity.simulated
        pids.append(meter.pid)
        await meter.close()
    await meter.close()
    assert len(set(pids)) == 2
    for pid in pids:
        assert pid is not None
        with pytest.raises(ProcessLookupError):
            os.kill(pid, 0)


async def test_an_opening_that_is_given_up_leaves_no_process_behind() -> None:
    meter = create_meter(settings())
    assert isinstance(meter, SimulatorMeter)
    opening = asyncio.create_task(meter.open())
    while meter.pid is None:
        await asyncio.sleep(0.01)
    pid = meter.pid
    opening.cancel()
    await asyncio.gather(opening, return_exceptions=True)
    await meter.close()
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


async def test_two_of_them_do_not_disturb_each_other() -> None:
    first, second = create_meter(settings()), create_meter(settings())
    try:
        await asyncio.gather(first.open(), second.open())
        assert await first.read()
        assert await second.read()
    finally:
        await asyncio.gather(first.close(), second.close())
    with pytest.raises(DriverError):
        await first.read()


@pytest.mark.parametrize(
    ("model", "url", "words"),
    [
        ("eastron.sdm120", "simulated://?idle_w=0", "idle_w=0, which is not a number from 1 to 5000"),
        ("eastron.sdm120", "simulated://?seed=one", "seed=one, which is not a whole number from 0"),
        ("eastron.sdm120", "simulated://?idle=3", "has idle, which a simulated meter does not know"),
        ("eastron.sdm120", "simulated://elsewhere", "always runs on this machine"),
        ("replay.log", "simulated://", "which replay.log does not support"),
    ],
)
def test_an_address_that_is_wrong_says_what_is_allowed(model: str, url: str, words: str) -> None:
    with pytest.raises(ConfigurationError, match=words):
        parse_address(url, find_model(model))
