"""One client's conversation with the daemon: a line in, a reply out. No sockets."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from wattmark_drivers.speakers.ptdaemon.daemon import LONGEST_MS, MOST_RAMP, SHORTEST_MS, PowerDaemon
from wattmark_drivers.speakers.ptdaemon.ranges import ChannelRanges, InputRange, RangeRefused
from wattmark_drivers.speakers.ptdaemon.samples import (
    MOST_SAMPLES,
    Aggregate,
    Sample,
    UncertaintyAggregate,
    Unread,
)
from wattmark_drivers.speakers.ptdaemon.words import (
    BAD_PARAMETERS,
    FEW_UNREAD,
    HELLO,
    NO_DATA,
    NO_UNREAD,
    NOT_MEASURING,
    STOPPING,
    UNKNOWN,
    aggregate_reply,
    error_reply,
    group_text,
    identify_reply,
    last_header,
    range_changed,
    ranges_reply,
    sample_line,
    standing_reply,
    starting,
    uncertainty_reply,
)

_Aggregate = TypeVar("_Aggregate")
ALL, SUM = "*", "0"
MOST_RANGE = 1e6
"""No range is larger [V or A]."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The first line, those that follow, and what to do afterwards."""

    first: str
    more: Iterable[str] = ()
    then: Callable[[], None] | None = None
    """Also for a client that is gone."""
    sent: Callable[[], None] | None = None
    """Only where all of it was sent."""
    measured: bool = False
    """Whether it holds measured values."""


class Conversation:
    """What one client has said and read so far. ``wait`` waits for the next sample, as long as the client is there."""

    def __init__(self, daemon: PowerDaemon, wait: Callable[[], Awaitable[None]] | None = None) -> None:
        self._daemon = daemon
        self._wait = wait or daemon.next_sample
        self._unread = Unread()
        self._commands: dict[str, Callable[[list[str]], Awaitable[Reply]]] = {
            "hello": self._hello,
            "identify": self._identify,
            "rr": self._ranges,
            "sr": self._set_range,
            "go": self._go,
            "mark": self._mark,
            "stop": self._stop,
            "rl": self._last,
            "dc-rl": self._last,
            "r*": self._latest,
            "watts": self._watts,
            "uncertainty": self._uncertainty,
            "temperature": self._climate,
            "humidity": self._climate,
            "reset": self._reset,
            "wattmark": self._standing,
        }

    async def answer(self, line: str) -> Reply:
        """Obey one line, without its end."""
        name, *parameters = (part.strip() for part in line.split(","))
        obey = self._commands.get(name.lower())
        if obey is None:
            return Reply(UNKNOWN)
        return await obey([name, *parameters])

    async def _hello(self, _words: list[str]) -> Reply:
        return Reply(HELLO)

    async def _identify(self, _words: list[str]) -> Reply:
        return Reply(identify_reply(self._daemon.identity))

    async def _ranges(self, words: list[str]) -> Reply:
        in_use = list(self._daemon.ranges.in_use())
        match words[1:]:
            case [] | [""]:
                return Reply(ranges_reply(in_use[:1]))
            case [ref] if ref == ALL:
                return Reply(ranges_reply([_common(in_use), *in_use] if self._daemon.numbers else in_use))
            case [ref]:
                place = self._place(ref)
                return Reply(ranges_reply([in_use[place - 1]]) if place else error_reply("no such channel"))
        return Reply(BAD_PARAMETERS)

    def _place(self, text: str) -> int | None:
        """Return the place of a channel, counted from 1, by its number; None where there is none."""
        numbers = self._daemon.numbers or (1,)
        number = _whole(text, 1, numbers[-1])
        return numbers.index(number) + 1 if number in numbers else None

    async def _set_range(self, words: list[str]) -> Reply:
        if len(words) not in (3, 4):
            return Reply(BAD_PARAMETERS)
        letter, value = words[1:3]
        which = letter.upper()
        channel = None
        if len(words) == 4 and words[3] != ALL:
            channel = self._place(words[3])
            if channel is None:
                return Reply(error_reply("no such channel"))
        least = None if value.lower() == "auto" else _number(value)
        if which not in ("V", "A") or (least is not None and not 0 < least <= MOST_RANGE):
            return Reply(error_reply("a range is V or A, and Auto or a value above 0"))
        try:
            await self._daemon.choose_range("V" if which == "V" else "A", least, channel)
        except RangeRefused as refusal:
            return Reply(error_reply(str(refusal)))
        return Reply(range_changed(letter))

    async def _go(self, words: list[str]) -> Reply:
        if len(words) < 3:
            return Reply(BAD_PARAMETERS)
        interval_ms = _whole(words[1], 0, LONGEST_MS)
        ramp = _whole(words[2], 0, MOST_RAMP)
        if interval_ms is None or 0 < interval_ms < SHORTEST_MS or ramp is None:
            return Reply(
                error_reply(
                    f"the interval is 0 or {SHORTEST_MS} to {LONGEST_MS} ms, the ramp-up 0 to {MOST_RAMP} samples"
                )
            )
        measurement = self._daemon.go(interval_ms, ramp, ";".join(words[3:]))
        return Reply(starting(measurement.interval_ms, ramp))

    async def _mark(self, words: list[str]) -> Reply:
        return Reply(f"Mark set to '{self._daemon.mark(';'.join(words[1:]))}'")

    async def _stop(self, _words: list[str]) -> Reply:
        if not self._daemon.stop():
            return Reply(NOT_MEASURING)
        return Reply(STOPPING, then=self._daemon.complete)

    async def _reset(self, _words: list[str]) -> Reply:
        self._daemon.reset()
        return Reply("Measurement reset")

    async def _last(self, words: list[str]) -> Reply:
        wanted = words[1] if len(words) > 1 and words[1] else ALL
        numbers = self._daemon.numbers
        if len(words) > 3 or (len(words) == 3 and not numbers):
            return Reply(BAD_PARAMETERS)
        most = None if wanted == ALL else _whole(wanted, 1, MOST_SAMPLES)
        if most is None and wanted != ALL:
            return Reply(BAD_PARAMETERS)
        of = words[2] if len(words) == 3 else SUM
        every, place = of == ALL, 0 if of in (ALL, SUM) else self._place(of)
        if place is None:
            return Reply(error_reply("no such channel"))
        measurement = self._daemon.measurement
        if measurement is None:
            return Reply(NO_UNREAD)
        if measurement.running and self._unread.count(measurement) < (most or 1):
            await self._wait()
        count = self._unread.count(measurement)
        if count < (most or 1):
            return Reply(FEW_UNREAD if count else NO_UNREAD)
        samples = self._unread.take(measurement, most)
        channel = numbers[place - 1] if place else None
        return Reply(
            last_header(min(count, most or count), numbers if every else (), channel),
            _lines(samples, None if every else place),
            sent=self._unread.confirm,
            measured=True,
        )

    async def _latest(self, _words: list[str]) -> Reply:
        latest = self._daemon.latest
        if latest is None:
            return Reply(NO_DATA)
        return Reply(group_text(latest.groups[0]), measured=True)

    async def _watts(self, words: list[str]) -> Reply:
        measurement = self._daemon.measurement
        aggregates = [Aggregate()] * self._daemon.groups if measurement is None else measurement.watts
        return Reply(aggregate_reply("Watts", _chosen(words, aggregates)))

    async def _uncertainty(self, words: list[str]) -> Reply:
        measurement = self._daemon.measurement
        none = [UncertaintyAggregate()] * self._daemon.groups
        aggregates = none if measurement is None else measurement.uncertainty
        return Reply(uncertainty_reply(_chosen(words, aggregates)))

    async def _climate(self, words: list[str]) -> Reply:
        return Reply(aggregate_reply(words[0].capitalize(), [Aggregate()]))

    async def _standing(self, _words: list[str]) -> Reply:
        return Reply(standing_reply(self._daemon.measurement))


def _lines(samples: Iterable[Sample], place: int | None) -> Iterable[str]:
    """Write samples with the group at a place; None: with all of them."""
    for sample in samples:
        yield sample_line(sample.t_ns, sample.groups if place is None else sample.groups[place : place + 1])


def _common(channels: list[ChannelRanges]) -> ChannelRanges:
    """Describe the sum channel: what all its channels have in common."""
    amps, volts = {channel.amps for channel in channels}, {channel.volts for channel in channels}
    return ChannelRanges(
        amps.pop() if len(amps) == 1 else InputRange(), volts.pop() if len(volts) == 1 else InputRange()
    )


def _chosen(words: list[str], aggregates: Sequence[_Aggregate]) -> Sequence[_Aggregate]:
    return aggregates if words[1:] == [ALL] else aggregates[:1]


def _whole(text: str, low: int, high: int) -> int | None:
    """Read a whole number between two limits; None where it is none."""
    number = int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else None
    return number if number is not None and low <= number <= high else None


def _number(text: str) -> float:
    """Read a number; NaN where it is none."""
    try:
        return float(text)
    except ValueError:
        return math.nan
