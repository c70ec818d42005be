"""The driver against a scripted WT310E: the range that is chosen, kept, fixed, or left by the instrument."""

import asyncio
from typing import Any

import pytest
from wattmark_drivers.errors import ConfigurationError, ConnectionFailed
from wattmark_drivers.reading import Quality

from .wt310e import meter, opened, read_once, shown

__all__ = ["shown"]


def test_a_load_that_fits_no_range_is_refused_at_the_latest_on_opening(tcp: Any) -> None:
    with pytest.raises(ConfigurationError, match="cannot be planned"):
        asyncio.run(read_once(meter(tcp.url, range=None, expected_w=50000, mains_v=230)))


def test_ranges_from_expected_watts_and_from_a_supply(tcp: Any) -> None:
    # 500 W / (230 V x 0.95) = 2.29 A, times 1.1 = 2.5 A: the 5 A range; 230 V x 1.1 = 253 V: 300 V.
    assert asyncio.run(read_once(meter(tcp.url, range=None, expected_w=500, mains_v=230)))["power"].range == "300V-5A"
    # 1600 W / 0.85 / (115 V x 0.95) = 17.2 A, times 1.1 = 19 A: 20 A; 126.5 V: 150 V.
    readings = asyncio.run(read_once(meter(tcp.url, range=None, psu_rating_w=1600, mains_v=115)))
    assert readings["power"].range == "150V-20A"


async def test_ranges_from_a_probe(tcp: Any, analyser: Any) -> None:
    async with opened(meter(tcp.url, range=None, probe_s=0.5)) as analyser_meter:
        # 230.12 V and 325.4 V peak: 300 V; 2.7201 A and 4.012 A peak: 5 A, for 2 A does not hold 2.7 A.
        assert (analyser_meter.plan.voltage_v, analyser_meter.plan.current_a) == (300.0, 5.0)
        assert analyser.written[":INP:CURR:AUTO"] == "OFF"


async def test_without_a_choice_the_range_is_kept_and_fixed(tcp: Any, analyser: Any) -> None:
    async with opened(meter(tcp.url, range=None)) as analyser_meter:
        assert analyser.written[":INP:VOLT:AUTO"] == analyser.written[":INP:CURR:AUTO"] == "OFF"
        assert {reading.range for reading in await analyser_meter.read()} == {"150V-0.5A"}
        assert analyser_meter.identity.power_accuracy.range_value == 75.0


async def test_with_auto_range_each_reading_tells_its_range_and_the_limit_of_error_is_unknown(
    tcp: Any, analyser: Any
) -> None:
    async with opened(meter(tcp.url, range=None, auto_range="on")) as analyser_meter:
        assert (await analyser_meter.read())[0].range == "150V-0.5A"
        analyser.written[":INP:VOLT:RANG"] = "300.0E+00"
        assert (await analyser_meter.read())[0].range == "300V-0.5A"
        assert analyser_meter.identity.power_accuracy.range_value is None


async def test_over_range_of_the_condition_register_marks_every_reading(tcp: Any, analyser: Any) -> None:
    async with opened(meter(tcp.url)) as analyser_meter:
        for bit in (6, 7, 8):  # IM WT310E-17EN 7.4: OVR1, POV1, POA1
            analyser.condition = 1 << bit
            assert all(reading.quality & Quality.OVER_RANGE for reading in await analyser_meter.read())
        analyser.condition = 1 << 9  # OVR2: there is no second element
        assert all(reading.quality is Quality.GOOD for reading in await analyser_meter.read())


async def test_the_instrument_may_change_its_range_to_protect_itself(tcp: Any, analyser: Any) -> None:
    """IM WT310E-01EN 2.3: overloaded in 200 mA or less it goes to the 1 A range and to auto-range by itself."""
    async with opened(meter(tcp.url, range="300V-0.2A")) as analyser_meter:
        assert (await analyser_meter.read())[0].range == "300V-0.2A"
        analyser.written.update({":INP:CURR:RANG": "1.0E+00", ":INP:CURR:AUTO": "1"})
        analyser.condition = 1 << 6
        with pytest.raises(ConnectionFailed, match="changed its range"):
            await analyser_meter.read()
