"""The driver against a scripted WT310E: what each trouble does to readings, and what remains after a loss."""

from collections.abc import Callable
from typing import Any

import pytest
from wattmark_drivers.errors import BadReply, ConnectionFailed
from wattmark_drivers.exchange import Exchanged
from wattmark_drivers.reading import Quality

from tests.open_meter import open_meter

from .wt310e import ASK, meter, opened, shown

__all__ = ["shown"]


async def test_a_device_on_hold_gives_no_reading(tcp: Any, analyser: Any) -> None:
    async with opened(meter(tcp.url)) as analyser_meter:
        analyser.updating = False
        with pytest.raises(BadReply, match="no new values"):
            await analyser_meter.read()


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
async def test_trouble_leaves_its_mark_and_never_a_wrong_value(
    way: str, kinds: tuple[str, ...], analyser: Any, request: pytest.FixtureRequest
) -> None:
    async with opened(meter(request.getfixturevalue(way).url, timeout_s=0.4)) as analyser_meter:
        for kind in kinds:
            spoil, mark = TROUBLE[kind]
            analyser.trouble[ASK] = spoil
            hit = {reading.channel: reading for reading in await analyser_meter.read()}
            assert hit["power"].quality == mark, kind
            assert not hit["power"].quality.usable or hit["power"].value == 612.51, kind
            after = {reading.channel: reading for reading in await analyser_meter.read()}
            assert after["power"].value == 612.51, kind
            assert all(reading.quality is Quality.GOOD for reading in after.values()), kind


@pytest.mark.parametrize("register", [":STAT:COND?", ":STAT:EESR?"])
async def test_a_late_answer_of_a_register_is_dropped(tcp: Any, analyser: Any, register: str) -> None:
    async with opened(meter(tcp.url, timeout_s=0.5)) as analyser_meter:
        analyser.trouble[register] = lambda good: (0.8, "64")
        first = {reading.channel: reading for reading in await analyser_meter.read()}
        assert (first["power"].value, first["power"].quality) == (612.51, Quality.RETRIED)
        again = {reading.channel: reading for reading in await analyser_meter.read()}
        assert (again["power"].value, again["power"].quality) == (612.51, Quality.GOOD)


async def lost(tcp: Any, analyser: Any) -> Any:
    """Open a meter and let its device hang up when it is asked."""
    async with open_meter(meter(tcp.url)) as analyser_meter:
        analyser.trouble[ASK] = lambda good: "<hang up>"
        with pytest.raises(ConnectionFailed):
            await analyser_meter.read()
    return analyser_meter


async def test_a_broken_connection_is_told_and_the_meter_can_be_opened_again(tcp: Any, analyser: Any) -> None:
    async with open_meter(await lost(tcp, analyser)) as analyser_meter:
        assert (await analyser_meter.read())[0].quality is Quality.GOOD


async def test_what_was_found_is_put_back_after_a_loss_too(tcp: Any, analyser: Any) -> None:
    analyser_meter = await lost(tcp, analyser)
    assert analyser.written[":INP:VOLT:RANG"] == "300"
    async with open_meter(analyser_meter):
        await analyser_meter.read()
    assert float(analyser.written[":INP:VOLT:RANG"]) == 150.0
    assert analyser.written[":COMM:REM"] in {"OFF", "0"}


async def test_another_instrument_on_the_same_cable_is_noticed_after_a_silence(tcp: Any, analyser: Any) -> None:
    """Row 13 of the review: the line is settled by *IDN?, and its answer was read for its form alone."""
    async with opened(meter(tcp.url, timeout_s=0.4)) as analyser_meter:
        await analyser_meter.read()
        analyser.identity = "YOKOGAWA,WT310E,C3XX00222V,F1.04"
        analyser.trouble[ASK] = lambda _: None
        with pytest.raises(Exchanged, match=r" answered as serial C3XX00222V, was C3XX00001V\."):
            await analyser_meter.read()
    async with opened(analyser_meter):
        assert analyser_meter.identity.serial == "C3XX00222V"
