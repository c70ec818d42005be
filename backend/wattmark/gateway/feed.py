"""The newest reading of every quantity of a meter, or why there is none: what a speaker is fed with.

Pure: readings and the state of the live view in, an indication with the instant until which it holds out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from wattmark_drivers.reading import REASONS, UNUSABLE, Quality, Reading
from wattmark_drivers.speakers.face import Absent
from wattmark_drivers.speakers.indication import Indication

from wattmark.gateway.indication import indication_of, sum_of
from wattmark.recording.live_channel import STALE_PERIODS, ChannelTrace, LiveSource

_WORST_FIRST: tuple[Absent, ...] = ("lost", "over-range", "not-accepted", "stale", "waiting")
Correct = Callable[[Indication, Reading], "Indication | Withheld"]
"""Corrects the power of an indication, of which the reading of power is one; or says why it cannot be."""


@dataclass(frozen=True, slots=True)
class Withheld:
    """Why a value is not shown, in words, and what to do."""

    absent: Absent
    problem: str
    remedy: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """What a speaker shows: an indication until an instant [monotonic ns], or why there is none."""

    indication: Indication | None
    until_ns: int = 0
    withheld: Withheld | None = None

    @property
    def absent(self) -> Absent | None:
        """Return why there is no indication, as speakers are told; None while there is one."""
        return None if self.withheld is None else self.withheld.absent


CHECK = "Check the meter and its line."
WAITING = Shown(None, withheld=Withheld("waiting", "No reading has come yet.", "See the page Live."))

OTHER_DEVICE = Shown(
    None,
    withheld=Withheld(
        "lost", "Another device answers than the one that is spoken.", "The speaker is opened again under its name."
    ),
)


class MeterFeed:
    """The newest reading of every channel of one meter, of the device that answers now and of no other."""

    def __init__(self) -> None:
        self._newest: dict[str, tuple[Reading, int]] = {}
        """By channel, with its arrival [monotonic ns]."""
        self._device: tuple[LiveSource, str | None, bool] | None = None
        """Place, serial number and whether simulated, of the device that gave them."""

    @property
    def range_name(self) -> str | None:
        """Return the range of the newest reading that names one."""
        newest = sorted((arrived_ns, reading.range) for reading, arrived_ns in self._newest.values() if reading.range)
        return newest[-1][1] if newest else None

    def heard(self, source: LiveSource | None) -> bool:
        """Return whether the device that answers now has given readings."""
        return source is not None and self._is_of(source)

    def take(self, source: LiveSource, readings: Sequence[Reading], now_ns: int) -> None:
        """Keep the readings of one poll; those of another device go."""
        if not self._is_of(source):
            self._newest.clear()
            self._device = source, source.serial, source.simulated
        for reading in readings:
            self._newest[reading.channel] = reading, now_ns

    def _is_of(self, source: LiveSource) -> bool:
        if self._device is None or self._device[0] is not source:
            return False
        return self._device[1:] == (source.serial, source.simulated)

    def look(
        self,
        source: LiveSource | None,
        traces: Mapping[str, ChannelTrace],
        totals: Mapping[str, ChannelTrace],
        now_ns: int,
        correct: Correct | None = None,
    ) -> Shown:
        """Judge what the meter shows at an instant [monotonic ns].

        ``traces`` are its channels in the live view by their names, ``totals`` those that hold the whole of it.
        """
        if source is None:
            return WAITING
        if source.problem is not None:
            return Shown(None, withheld=Withheld("lost", f"{source.name}: {source.problem}", CHECK))
        power = _total(totals, "power")
        newest = None if power is None or not self._is_of(source) else self._newest.get(power.channel.id)
        if power is None or newest is None:
            return WAITING
        reading, arrived_ns = newest
        until_ns = arrived_ns + round(STALE_PERIODS * power.period_s * 1e9)
        withheld = _reason(source.name, reading, power, is_old=now_ns > until_ns)
        if withheld is not None:
            return Shown(None, withheld=withheld)
        register = _total(totals, "energy")
        indication = indication_of(
            [(traces[name].channel, value) for name, value in self._usable(traces, now_ns).items()],
            power.channel.id,
            None if register is None else register.channel.id,
            reading.t_ns,
        )
        if correct is not None:
            corrected = correct(indication, reading)
            if isinstance(corrected, Withheld):
                return Shown(None, withheld=replace(corrected, problem=f"{source.name}: {corrected.problem}"))
            indication = corrected
        return Shown(indication, until_ns)

    def _usable(self, traces: Mapping[str, ChannelTrace], now_ns: int) -> dict[str, float]:
        """Return the newest value of every channel that is fresh and may be used, in the unit of the channel."""
        return {
            name: reading.value
            for name, (reading, arrived_ns) in self._newest.items()
            if name in traces
            and (now_ns - arrived_ns) * 1e-9 <= STALE_PERIODS * traces[name].period_s
            and not reading.quality & (UNUSABLE | Quality.STALE)
            and math.isfinite(reading.value)
        }


def together(meters: Sequence[Shown]) -> Shown:
    """Add up what several meters show; while one shows nothing, nothing is shown."""
    missing = [shown for shown in meters if shown.indication is None]
    if missing or not meters:
        return min(missing, key=lambda shown: _WORST_FIRST.index(shown.absent or "waiting"), default=WAITING)
    whole = sum_of([shown.indication for shown in meters if shown.indication is not None])
    return Shown(whole, min(shown.until_ns for shown in meters))


def _total(totals: Mapping[str, ChannelTrace], quantity: str) -> ChannelTrace | None:
    return next((trace for trace in totals.values() if trace.channel.quantity == quantity), None)


def _reason(name: str, reading: Reading, power: ChannelTrace, *, is_old: bool) -> Withheld | None:
    """Return why a reading of power must not be spoken; None where it may.

    It must not where it is no measurement, and where it says nothing about now: the device's own time or counter stands
    still, it repeats more often than a measured one can, or it is too old.
    """
    quality = reading.quality
    if quality & Quality.OVER_RANGE:
        return Withheld("over-range", f"{name} is over its range.", "Choose a higher range, or lower the load.")
    if not quality & Quality.STALE and (quality & UNUSABLE or not math.isfinite(reading.value)):
        reason = next((words for flag, words in REASONS.items() if quality & flag), REASONS[Quality.INVALID])
        return Withheld("not-accepted", f"The reading of {name} is not accepted: {reason}.", "See the page Live.")
    if is_old:
        text = f"The newest reading of {name} is older than {STALE_PERIODS:g} of its periods."
        return Withheld("stale", text, CHECK)
    if quality & Quality.STALE or power.repeats is not None:
        return Withheld("stale", f"{name}: {power.repeats or 'It repeats an old reading.'}", CHECK)
    return None
