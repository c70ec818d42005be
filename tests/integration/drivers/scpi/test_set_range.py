"""Ranges that are changed while a simulated WT310E is open, one input at a time, and what stays of it."""

from __future__ import annotations

import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.factory import create_meter
from wattmark_drivers.meter import RangeInForce, SetsRanges
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.speakers.indication import Indication
from wattmark_drivers.speakers.speaker import SpeakerSpec, Surroundings, find_speaker

MODEL = "yokogawa.wt310e"
VALUES = {"power": 400.0, "voltage": 230.0, "current": 1.8, "apparent_power": 414.0, "power_factor": 0.966}


@asynccontextmanager
async def analyser(tmp_path: Path, **options: Any) -> AsyncIterator[Any]:
    spec = SpeakerSpec("wt", load_catalogue()[MODEL], 7, Surroundings(tmp_path, time.time))
    speaker = find_speaker("scpi")(spec)
    entry = await speaker.start()
    speaker.show(Indication((VALUES,), VALUES))
    meter = create_meter(MeterSettings("wt", MODEL, entry["url"], period_s=0.25, options=options))
    try:
        yield meter
    finally:
        await meter.close()
        await speaker.stop()


async def test_each_input_is_set_by_itself(tmp_path):
    async with analyser(tmp_path, auto_range="on") as meter:
        await meter.open()
        await meter.read()
        assert isinstance(meter, SetsRanges)
        assert {name: item.auto for name, item in meter.ranges_in_force.items()} == {"voltage": True, "current": True}
        assert meter.identity.power_accuracy.range_value is None
        assert await meter.set_range("voltage", 239.42) == 300.0
        assert meter.ranges_in_force["voltage"] == RangeInForce(auto=False, nominal=300.0)
        assert meter.ranges_in_force["current"].auto is True
        assert await meter.set_range("current", 1.98) == 2.0
        assert meter.ranges_in_force["current"] == RangeInForce(auto=False, nominal=2.0)
        # 300 V x 2 A, the full scale that the range term of the manual counts of
        assert meter.identity.power_accuracy.range_value == 600.0
        assert {item.range for item in await meter.read()} == {"300V-2A"}
        assert await meter.set_range("current", None) is None
        assert meter.ranges_in_force["current"].auto is True
        assert meter.identity.power_accuracy.range_value is None


async def test_a_range_that_was_set_holds_after_a_reconnect(tmp_path):
    async with analyser(tmp_path) as meter:
        await meter.open()
        await meter.set_range("voltage", 400.0)
        await meter.set_range("current", 9.0)
        await meter.open()
        nominal = {name: item.nominal for name, item in meter.ranges_in_force.items()}
        assert nominal == {"voltage": 600.0, "current": 10.0}


async def test_what_exceeds_every_range_is_refused_and_nothing_changes(tmp_path):
    async with analyser(tmp_path) as meter:
        await meter.open()
        before = dict(meter.ranges_in_force)
        with pytest.raises(ConfigurationError, match="exceeds the largest range, 20 A"):
            await meter.set_range("current", 21.0)
        assert meter.ranges_in_force == before


async def test_a_fixed_range_that_was_found_is_put_back_after_auto_range(tmp_path):
    """Found: auto-range off, 10 A. The device chooses, then 1 A is set; at the end it has 10 A again."""
    async with analyser(tmp_path) as meter:
        await meter.open()
        await meter._setup.apply("current_range", 10.0)
        meter._setup.owed.clear()
        meter._setup._noted.clear()
        await meter.set_range("current", None)
        await meter.set_range("current", 1.0)
        await meter.close()
        meter._chosen.clear()
        await meter.open()
        assert meter.ranges_in_force["current"].nominal == 10.0


async def test_many_changes_owe_the_first_range_alone(tmp_path):
    """What was found is put back, however often the range changed in between; the list of that does not grow."""
    async with analyser(tmp_path) as meter:
        await meter.open()
        found = dict(meter.ranges_in_force)
        owed = len(meter._setup.owed)
        for least in (1.0, 9.0, 1.0, 9.0, 1.0):
            await meter.set_range("current", least)
        assert len(meter._setup.owed) <= owed + 2
        await meter.close()
        meter._chosen.clear()
        await meter.open()
        assert meter.ranges_in_force["current"].nominal == found["current"].nominal
