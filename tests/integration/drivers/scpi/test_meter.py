"""The driver against a scripted WT310E: set-up, read-back, restoring, and what each trouble does to readings."""

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from itertools import pairwise
from typing import Any

import pytest
from wattmark_drivers.errors import BadReply, ConfigurationError, ConnectionFailed
from wattmark_drivers.factory import create_meter
from wattmark_drivers.reading import Quality, Reading
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.stale import StaleWatch

SHOWN = {
    "P,1": "612.51E+00", "U,1": "230.12E+00", "I,1": "2.7201E+00", "S,1": "625.95E+00", "Q,1": "128.9E+00",
    "LAMBDA,1": "978.5E-03", "FU,1": "49.980E+00", "UPPEAK,1": "325.4E+00", "IPPEAK,1": "4.012E+00",
}  # fmt: skip
VALUES = "612.51E+00,230.12E+00,2.7201E+00,625.95E+00,128.9E+00,978.5E-03,49.980E+00,325.4E+00,4.012E+00"
ASK = ":NUM:NORM:VAL?"


def meter(url: str, **options: Any) -> Any:
    choice = options.pop("range", "300V-5A")
    period_s = options.pop("period_s", 1.0)
    return create_meter(
        MeterSettings(
            "wt", "yokogawa.wt310e", url, period_s=period_s, range=choice, timeout_s=options.pop("timeout_s", 1.0),
            options=options,
        )
    )  # fmt: skip


async def read_once(one: Any) -> dict[str, Reading]:
    async with opened(one):
        return {reading.channel: reading for reading in await one.read()}


@asynccontextmanager
async def opened(one: Any) -> AsyncIterator[Any]:
    await one.open()
    try:
        yield one
    finally:
        await one.close()


@pytest.fixture(autouse=True)
def _shown(analyser: Any) -> None:
    analyser.values = dict(SHOWN)


@pytest.mark.parametrize("way", ["tcp", "pty"])
def test_values_identity_and_accuracy_over_both_ways(way: str, analyser: Any, request: pytest.FixtureRequest) -> None:
    one = meter(request.getfixturevalue(way).url)

    readings = asyncio.run(read_once(one))

    assert {name: reading.value for name, reading in readings.items()} == {
        "power": 612.51, "voltage": 230.12, "current": 2.7201, "apparent_power": 625.95, "reactive_power": 128.9,
        "power_factor": 0.9785, "frequency": 49.98, "voltage_peak": 325.4, "current_peak": 4.012,
    }  # fmt: skip
    assert all(reading.quality is Quality.GOOD and reading.range == "300V-5A" for reading in readings.values())
    assert (one.identity.serial, one.identity.firmware) == ("C3XX00001V", "F1.04")
    # IM WT310E-02EN 7.3.2: 0.1 % of reading + 0.05 % of range, power range = voltage range x current range.
    accuracy = one.identity.power_accuracy
    assert (accuracy.reading_pct, accuracy.range_pct, accuracy.range_value) == (0.1, 0.05, 1500.0)
    assert one.identity.update_period_s == 0.25


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


def _alike(one: str, other: str) -> bool:
    try:
        return math.isclose(float(one), float(other), rel_tol=1e-6)
    except ValueError:
        return one[:3] == other[:3]


def test_what_measuring_needs_is_set_and_read_back(tcp: Any, analyser: Any) -> None:
    async def scenario() -> None:
        async with opened(meter(tcp.url, line_filter="on", averaging="off", sync_source="VOLT", range="300V-5A")):
            wanted = {":INP:VOLT:AUTO": "OFF", ":INP:CURR:AUTO": "OFF", ":INP:SYNC": "VOLTAGE", ":COMM:HEAD": "OFF"}
            assert {name: analyser.written[name] for name in wanted} == wanted
            assert analyser.written[":INP:FILT:LINE"] == "1"
            for name in (":INP:VOLT:RANG", ":INP:CURR:RANG", ":INP:VOLT:AUTO", ":INP:SYNC"):
                assert analyser.heard.index(f"{name}?") < len(analyser.heard)
                set_at = next(n for n, line in enumerate(analyser.heard) if line.startswith(f"{name} "))
                assert f"{name}?" in analyser.heard[set_at:]

    asyncio.run(scenario())


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

    one = meter(tcp.url)
    analyser.trouble[":NUM:NORM:ITEM1?"] = lambda good: analyser.errors.append('222,"Data out of range"') or good
    with pytest.raises(ConfigurationError, match="222"):
        asyncio.run(read_once(one))


def test_a_word_that_is_not_declared_is_kept_and_put_back(tcp: Any, analyser: Any) -> None:
    """The WT310E has an update interval AUTO (IM WT310E-01EN, 4.1), which the driver never sets."""
    analyser.written[":SAMP:RATE"] = "AUTO"

    async def scenario() -> None:
        async with opened(meter(tcp.url, update_period_s=0.5)) as one:
            assert one.identity.update_period_s == 0.5
        assert "AUTO" in next(line for line in reversed(analyser.heard) if line.startswith(":SAMP:RATE "))

    asyncio.run(scenario())


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


def test_a_load_that_fits_no_range_is_refused_at_the_latest_on_opening(tcp: Any) -> None:
    with pytest.raises(ConfigurationError, match="do not fit"):
        asyncio.run(read_once(meter(tcp.url, range=None, expected_w=50000, mains_v=230)))


def test_ranges_from_expected_watts_and_from_a_supply(tcp: Any) -> None:
    # 500 W / (230 V x 0.95) = 2.29 A, times 1.1 = 2.5 A: the 5 A range; 230 V x 1.1 = 253 V: 300 V.
    assert asyncio.run(read_once(meter(tcp.url, range=None, expected_w=500, mains_v=230)))["power"].range == "300V-5A"
    # 1600 W / 0.85 / (115 V x 0.95) = 17.2 A, times 1.1 = 19 A: 20 A; 126.5 V: 150 V.
    found = asyncio.run(read_once(meter(tcp.url, range=None, psu_rating_w=1600, mains_v=115)))
    assert found["power"].range == "150V-20A"


def test_ranges_from_a_probe(tcp: Any, analyser: Any) -> None:
    async def scenario() -> None:
        async with opened(meter(tcp.url, range=None, probe_s=0.5)) as one:
            # 230.12 V and 325.4 V peak: 300 V; 2.7201 A and 4.012 A peak: 5 A, for 2 A does not hold 2.7 A.
            assert (one.plan.voltage_v, one.plan.current_a) == (300.0, 5.0)
            assert analyser.written[":INP:CURR:AUTO"] == "OFF"

    asyncio.run(scenario())


def test_without_a_choice_the_range_is_kept_and_fixed(tcp: Any, analyser: Any) -> None:
    async def scenario() -> None:
        async with opened(meter(tcp.url, range=None)) as one:
            assert analyser.written[":INP:VOLT:AUTO"] == analyser.written[":INP:CURR:AUTO"] == "OFF"
            assert {reading.range for reading in await one.read()} == {"150V-0.5A"}
            assert one.identity.power_accuracy.range_value == 75.0

    asyncio.run(scenario())


def test_with_auto_range_each_reading_tells_its_range_and_the_limit_of_error_is_unknown(
    tcp: Any, analyser: Any
) -> None:
    async def scenario() -> None:
        async with opened(meter(tcp.url, range=None, auto_range="on")) as one:
            assert (await one.read())[0].range == "150V-0.5A"
            analyser.written[":INP:VOLT:RANG"] = "300.0E+00"
            assert (await one.read())[0].range == "300V-0.5A"
            assert one.identity.power_accuracy.range_value is None

    asyncio.run(scenario())


def test_each_update_is_read_once_and_stamped_when_it_was(tcp: Any) -> None:
    async def scenario() -> None:
        async with opened(meter(tcp.url, period_s=0.1)) as one:
            assert one.pushes
            stamps = [(await one.read())[0] for _ in range(5)]
        assert all(b.t_ns - a.t_ns > 20_000_000 for a, b in pairwise(stamps))
        assert all(reading.u_t_ns > 0 for reading in stamps)
        # The values do not move, but the device says that they are new: they are not stale.
        watch = StaleWatch(0.01)
        assert not any(watch.mark([reading])[0].quality & Quality.STALE for reading in stamps)

    asyncio.run(scenario())


def test_a_device_on_hold_gives_no_reading(tcp: Any, analyser: Any) -> None:
    async def scenario() -> None:
        async with opened(meter(tcp.url)) as one:
            analyser.updating = False
            with pytest.raises(BadReply, match="no new values"):
                await one.read()

    asyncio.run(scenario())


Spoil = Callable[[str], Any]
TROUBLE: dict[str, tuple[Spoil, Quality]] = {
    "dropped": (lambda good: None, Quality.RETRIED),
    "late": (lambda good: (0.6, "1.0E+00,2.0E+00," + good.partition(",")[2].partition(",")[2]), Quality.RETRIED),
    "torn without end": (lambda good: good[: len(good) // 2].encode(), Quality.RETRIED),
    "torn with end": (lambda good: good[: len(good) // 2], Quality.RETRIED),
    "one value missing": (lambda good: good.partition(",")[2], Quality.RETRIED),
    "noise before": (lambda good: b"\xfe\x00" + good.encode() + b"\n", Quality.RETRIED),
    "a letter in a number": (lambda good: good.replace("E+00", "E+O0", 1), Quality.RETRIED),
    "a lost digit": (lambda good: good.replace("612.51", "61.251", 1), Quality.IMPLAUSIBLE),
    "a digit more": (lambda good: good.replace("2.7201", "27.201", 1), Quality.IMPLAUSIBLE),
    "not a number": (lambda good: good.replace("612.51E+00", "NAN"), Quality.INVALID),
    "marker of no value": (lambda good: good.replace("612.51E+00", "9.91E+37"), Quality.INVALID),
    "above the range": (lambda good: good.replace("612.51E+00", "INF"), Quality.INVALID | Quality.OVER_RANGE),
    "marker above range": (lambda good: good.replace("612.51E+00", "9.9E+37"), Quality.INVALID | Quality.OVER_RANGE),
}


PTY_TROUBLE = ("late", "torn without end", "noise before", "a lost digit")


@pytest.mark.parametrize(("way", "kinds"), [("tcp", tuple(TROUBLE)), ("pty", PTY_TROUBLE)])
def test_trouble_leaves_its_mark_and_never_a_wrong_value(
    way: str, kinds: tuple[str, ...], analyser: Any, request: pytest.FixtureRequest
) -> None:
    async def scenario() -> None:
        async with opened(meter(request.getfixturevalue(way).url, timeout_s=0.4)) as one:
            for kind in kinds:
                spoil, mark = TROUBLE[kind]
                analyser.trouble[ASK] = spoil
                hit = {reading.channel: reading for reading in await one.read()}
                assert hit["power"].quality == mark, kind
                assert not hit["power"].quality.usable or hit["power"].value == 612.51, kind
                after = {reading.channel: reading for reading in await one.read()}
                assert after["power"].value == 612.51, kind
                assert all(reading.quality is Quality.GOOD for reading in after.values()), kind

    asyncio.run(scenario())


@pytest.mark.parametrize("register", [":STAT:COND?", ":STAT:EESR?"])
def test_a_late_answer_of_a_register_is_dropped(tcp: Any, analyser: Any, register: str) -> None:
    async def scenario() -> None:
        async with opened(meter(tcp.url, timeout_s=0.5)) as one:
            analyser.trouble[register] = lambda good: (0.8, "64")
            first = {reading.channel: reading for reading in await one.read()}
            assert (first["power"].value, first["power"].quality) == (612.51, Quality.RETRIED)
            again = {reading.channel: reading for reading in await one.read()}
            assert (again["power"].value, again["power"].quality) == (612.51, Quality.GOOD)

    asyncio.run(scenario())


def test_over_range_of_the_condition_register_marks_every_reading(tcp: Any, analyser: Any) -> None:
    async def scenario() -> None:
        async with opened(meter(tcp.url)) as one:
            for bit in (6, 7, 8):  # IM WT310E-17EN 7.4: OVR1, POV1, POA1
                analyser.condition = 1 << bit
                assert all(reading.quality & Quality.OVER_RANGE for reading in await one.read())
            analyser.condition = 1 << 9  # OVR2: there is no second element
            assert all(reading.quality is Quality.GOOD for reading in await one.read())

    asyncio.run(scenario())


def test_the_instrument_may_change_its_range_to_protect_itself(tcp: Any, analyser: Any) -> None:
    """IM WT310E-01EN 2.3: overloaded in 200 mA or less it goes to the 1 A range and to auto-range by itself."""

    async def scenario() -> None:
        async with opened(meter(tcp.url, range="300V-0.2A")) as one:
            assert (await one.read())[0].range == "300V-0.2A"
            analyser.written.update({":INP:CURR:RANG": "1.0E+00", ":INP:CURR:AUTO": "1"})
            analyser.condition = 1 << 6
            with pytest.raises(ConnectionFailed, match="changed its range"):
                await one.read()

    asyncio.run(scenario())


def test_a_broken_connection_is_told_and_the_meter_can_be_opened_again(tcp: Any, analyser: Any) -> None:
    async def scenario() -> None:
        one = meter(tcp.url)
        await one.open()
        analyser.trouble[ASK] = lambda good: "<hang up>"
        with pytest.raises(ConnectionFailed):
            await one.read()
        await one.close()
        await one.open()
        assert (await one.read())[0].quality is Quality.GOOD
        await one.close()

    asyncio.run(scenario())


def test_what_was_found_is_put_back_after_a_loss_too(tcp: Any, analyser: Any) -> None:
    async def scenario() -> None:
        one = meter(tcp.url)
        await one.open()
        analyser.trouble[ASK] = lambda good: "<hang up>"
        with pytest.raises(ConnectionFailed):
            await one.read()
        await one.close()
        assert analyser.written[":INP:VOLT:RANG"] == "300"
        await one.open()
        await one.read()
        await one.close()
        assert float(analyser.written[":INP:VOLT:RANG"]) == 150.0
        assert analyser.written[":COMM:REM"] in {"OFF", "0"}

    asyncio.run(scenario())


def test_energy_is_there_only_while_integrating_and_what_runs_is_not_reset(tcp: Any, analyser: Any) -> None:
    analyser.values["WH,1"] = "12.345E+00"

    async def scenario() -> None:
        async with opened(meter(tcp.url, integrate="on")) as one:
            assert analyser.integration == "START"
            energy = next(reading for reading in await one.read() if reading.channel == "energy")
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
