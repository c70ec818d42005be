"""The driver against a scripted WT310E: set-up, read-back, restoring, and each update once."""

import asyncio
import math
import time
from itertools import pairwise
from typing import Any

import pytest
from wattmark_drivers.errors import ConfigurationError, ConnectionFailed
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.reading import Quality
from wattmark_drivers.watch import ReadingWatch

from .wt310e import meter, opened, read_once, shown

__all__ = ["shown"]


@pytest.mark.parametrize("way", ["tcp", "pty"])
def test_values_identity_and_accuracy_over_both_ways(way: str, analyser: Any, request: pytest.FixtureRequest) -> None:
    analyser_meter = meter(request.getfixturevalue(way).url)

    readings = asyncio.run(read_once(analyser_meter))

    assert {name: reading.value for name, reading in readings.items()} == {
        "power": 612.51, "voltage": 230.12, "current": 2.7201, "apparent_power": 625.95, "reactive_power": 128.9,
        "power_factor": 0.9785, "frequency": 49.98, "voltage_peak": 325.4, "current_peak": 4.012,
    }  # fmt: skip
    assert all(reading.quality is Quality.GOOD and reading.range == "300V-5A" for reading in readings.values())
    assert (analyser_meter.identity.serial, analyser_meter.identity.firmware) == ("C3XX00001V", "F1.04")
    # IM WT310E-02EN 7.3.2: 0.1 % of reading + 0.05 % of range, power range = voltage range x current range.
    accuracy = analyser_meter.identity.power_accuracy
    assert (accuracy.reading_pct, accuracy.range_pct, accuracy.range_value) == (0.1, 0.05, 1500.0)
    assert analyser_meter.identity.update_period_s == 0.25


def test_the_device_is_left_as_it_was_found(tcp: Any, analyser: Any) -> None:
    before = dict(analyser.written)

    asyncio.run(read_once(meter(tcp.url, crest_factor=6, range="150V-2.5A", update_period_s=0.5)))

    deadline = time.monotonic() + 5
    same = {"ON": "1", "OFF": "0"}
    while time.monotonic() < deadline:
        after = {name: same.get(value, value) for name, value in analyser.written.items()}
        if after[":COMM:REM"] == "0":
            break
    changed = {name for name, value in before.items() if not _alike(value, after[name])}
    assert changed == set()
    assert analyser.errors == []


def _alike(text: str, other: str) -> bool:
    try:
        return math.isclose(float(text), float(other), rel_tol=1e-6)
    except ValueError:
        return text[:3] == other[:3]


async def test_what_measuring_needs_is_set_and_read_back(tcp: Any, analyser: Any) -> None:
    async with opened(meter(tcp.url, line_filter="on", averaging="off", sync_source="VOLT", range="300V-5A")):
        wanted = {":INP:VOLT:AUTO": "OFF", ":INP:CURR:AUTO": "OFF", ":INP:SYNC": "VOLTAGE", ":COMM:HEAD": "OFF"}
        assert {name: analyser.written[name] for name in wanted} == wanted
        assert analyser.written[":INP:FILT:LINE"] == "1"
        for name in (":INP:VOLT:RANG", ":INP:CURR:RANG", ":INP:VOLT:AUTO", ":INP:SYNC"):
            assert analyser.heard.index(f"{name}?") < len(analyser.heard)
            set_at = next(n for n, line in enumerate(analyser.heard) if line.startswith(f"{name} "))
            assert f"{name}?" in analyser.heard[set_at:]


@pytest.mark.parametrize(("option", "state"), [({}, "OFF"), ({"scaling": "on"}, "1")])
def test_ratios_that_somebody_entered_multiply_nothing(tcp: Any, analyser: Any, option: dict, state: str) -> None:
    """The analyser was left with its scaling on; only the bench may keep that."""

    async def scenario() -> None:
        async with opened(meter(tcp.url, **option)):
            assert analyser.written[":INP:SCAL:STAT"] == state

    asyncio.run(scenario())
    assert _alike(analyser.written[":INP:SCAL:STAT"].replace("ON", "1"), "1")


@pytest.mark.parametrize(
    ("header", "value", "name"),
    [(":INP:CURR:RANG", "20.0E+00", "current_range"), (":INP:VOLT:AUTO", "1", "voltage_auto")],
)
def test_a_setting_that_does_not_stick_is_named(tcp: Any, analyser: Any, header: str, value: str, name: str) -> None:
    analyser.refuses[header] = value

    with pytest.raises(ConfigurationError, match=name):
        asyncio.run(read_once(meter(tcp.url)))


def test_a_complaint_of_the_error_queue_is_shown_and_old_ones_are_not(tcp: Any, analyser: Any) -> None:
    analyser.errors = ['221,"Setting conflict"']
    assert asyncio.run(read_once(meter(tcp.url)))["power"].value == 612.51

    analyser_meter = meter(tcp.url)
    analyser.trouble[":NUM:NORM:ITEM1?"] = lambda good: analyser.errors.append('222,"Data out of range"') or good
    with pytest.raises(ConfigurationError, match="222"):
        asyncio.run(read_once(analyser_meter))


async def test_a_word_that_is_not_declared_is_kept_and_put_back(tcp: Any, analyser: Any) -> None:
    """The WT310E has an update interval AUTO (IM WT310E-01EN, 4.1), which the driver never sets."""
    analyser.written[":SAMP:RATE"] = "AUTO"
    async with opened(meter(tcp.url, update_period_s=0.5)) as analyser_meter:
        assert analyser_meter.identity.update_period_s == 0.5
    assert "AUTO" in next(line for line in reversed(analyser.heard) if line.startswith(":SAMP:RATE "))


def test_another_model_is_refused(tcp: Any, analyser: Any) -> None:
    analyser.identity = "YOKOGAWA,WT310EH,C3XX00002V,F1.04"
    with pytest.raises(ConfigurationError, match="another model"):
        asyncio.run(read_once(meter(tcp.url)))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"crest_factor": 4}, "crest_factor is 4; write one of 3, 6, A6"),
        ({"line_filter": "maybe"}, "on or off"),
        ({"update_period_s": 3}, "0.1, 0.25"),
        ({"elements": "2"}, "elements is 2"),
        ({"voltage_range": 300}, None),
        ({"voltage_range": 600}, "contradict"),
        ({"crest_factor": 6, "range": "600V-5A"}, "at crest factor 6"),
        ({"range": None, "expected_w": 500}, "needs mains_v"),
        ({"range": None, "expected_w": 50000, "mains_v": 230}, None),
        ({"auto_range": "on"}, "2 ways"),
        ({"probe_s": -1, "range": None}, "probe_s"),
        ({"colour": "red"}, "no option colour"),
        ({"range": "300V-7A"}, "no range 300V-7A"),
    ],
)
def test_options_are_checked_before_anything_is_opened(options: dict[str, Any], message: str | None) -> None:
    if message is None:
        meter("scpi-tcp://127.0.0.1:9", **options)
    else:
        with pytest.raises(ConfigurationError, match=message):
            meter("scpi-tcp://127.0.0.1:9", **options)


async def test_each_update_is_read_once_and_stamped_when_it_was(tcp: Any) -> None:
    async with opened(meter(tcp.url, period_s=0.1)) as analyser_meter:
        assert analyser_meter.pushes
        stamps = [(await analyser_meter.read())[0] for _ in range(5)]
    assert all(b.t_ns - a.t_ns > 20_000_000 for a, b in pairwise(stamps))
    assert all(reading.u_t_ns > 0 for reading in stamps)
    # The values do not move, but the device says that they are new: they are not stale.
    watch = ReadingWatch(MeterIdentity("wall", "test.meter", "Test", "Test", update_period_s=0.01), [])
    assert not any(watch.mark([reading])[0].quality & Quality.STALE for reading in stamps)


def test_energy_is_there_only_while_integrating_and_what_runs_is_not_reset(tcp: Any, analyser: Any) -> None:
    analyser.values["WH,1"] = "12.345E+00"

    async def scenario() -> None:
        async with opened(meter(tcp.url, integrate="on")) as analyser_meter:
            assert analyser.integration == "START"
            energy = next(reading for reading in await analyser_meter.read() if reading.channel == "energy")
            assert (energy.value, energy.unit, energy.kind) == (12.345, "Wh", "counter")
        assert analyser.integration == "STOP"

    asyncio.run(scenario())
    analyser.integration = "START"
    analyser.heard.clear()
    asyncio.run(read_once(meter(tcp.url, integrate="on")))
    assert not {":INTEG:RES", ":INTEG:STAR", ":INTEG:STOP"} & set(analyser.heard)
    assert "energy" not in asyncio.run(read_once(meter(tcp.url)))


def test_nobody_there_says_what_to_check() -> None:
    with pytest.raises(ConnectionFailed, match="Check the address"):
        asyncio.run(read_once(meter("scpi-tcp://127.0.0.1:9")))
