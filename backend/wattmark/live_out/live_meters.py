"""The power of each meter now and its energy since the service started: computed once, for every output alike."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from wattmark_drivers.clock import Clock
from wattmark_drivers.reading import UNUSABLE, Kind, Quality, Reading

from wattmark.live_out.energy_total import EnergyTotal
from wattmark.recording.live import LiveHub
from wattmark.recording.live_channel import STALE_PERIODS, ChannelTrace, LiveSource, Role

NOT_ACCEPTED = UNUSABLE | Quality.STALE
"""Flags of a reading that no output repeats and that adds no energy."""
ReadingQuality = Literal["good", "retried", "frozen"]


@dataclass(frozen=True, slots=True)
class MeterNow:
    """What one meter shows. ``power_w`` is None where its newest reading is too old or was not accepted."""

    name: str
    role: Role
    servers: tuple[str, ...]
    """Servers that it measures; several where it measures them together."""
    simulated: bool
    power_w: float | None
    quality: ReadingQuality
    """retried: it answers a repeated request; frozen: it repeats a value more often than a measured one can."""
    age_s: float | None
    """Time since the newest accepted reading arrived [s]; None before the first."""
    energy_j: float
    """Energy since ``since_ns`` [J]."""
    since_ns: int
    """When counting began [UTC ns]."""
    excluded: int
    """Readings that were not accepted since then."""


_Place = tuple[Role, tuple[str, ...], bool]
"""Role, servers and whether simulated: joules counted at one place are none of another."""


@dataclass(slots=True)
class _Meter:
    since_ns: int
    source: LiveSource
    place: _Place
    serial: str | None
    energy: EnergyTotal = field(default_factory=EnergyTotal)
    power: ChannelTrace | None = None
    watts: float | None = None
    retried: bool = False
    accepted_ns: int | None = None
    """Arrival of the newest accepted reading [monotonic ns]."""
    excluded: int = 0


class LiveMeters:
    """Follow the total power and energy of every meter and BMC; phases, outlets and supplies are left out.

    `take` belongs to the thread of the event loop, `now` to any.
    """

    def __init__(self, hub: LiveHub, clock: Clock) -> None:
        self._hub = hub
        self._clock = clock
        self._meters: dict[str, _Meter] = {}

    def take(self, source: str, readings: Sequence[Reading]) -> None:
        """Add readings that the live view has taken."""
        totals, shown = self._hub.totals(source), self._hub.source(source)
        power = [reading for reading in readings if _quantity(totals, reading) == "power"]
        if not power or shown is None:
            return
        meter = self._of_device(shown)
        register = next((reading for reading in readings if _quantity(totals, reading) == "energy"), None)
        ahead_ns = self._clock.utc_ns() - self._clock.monotonic_ns()  # the clock may be set between two readings
        for reading in power:
            self._add(meter, reading, totals[reading.channel])
            self._count(meter, reading, reading.t_ns - ahead_ns, totals, register)

    def _of_device(self, source: LiveSource) -> _Meter:
        """Find what is known of a meter; another device at its place continues the count from its first reading."""
        meter, place = self._meters.get(source.name), _place(source)
        if meter is None or meter.place != place:
            still_there = {name: known for name, known in self._meters.items() if self._hub.source(name) is not None}
            meter = _Meter(self._clock.utc_ns(), source, place, source.serial)
            self._meters = {**still_there, source.name: meter}
        elif meter.source is not source or meter.serial != source.serial:
            meter.source, meter.serial = source, source.serial
            meter.energy.begin_again()
        return meter

    def _add(self, meter: _Meter, reading: Reading, trace: ChannelTrace) -> None:
        meter.power, meter.watts = trace, _accepted(reading)
        meter.retried = bool(reading.quality & Quality.RETRIED)
        if meter.watts is None:
            meter.excluded += 1
        else:
            meter.accepted_ns = self._clock.monotonic_ns()

    @staticmethod
    def _count(
        meter: _Meter, power: Reading, t_ns: int, totals: Mapping[str, ChannelTrace], register: Reading | None
    ) -> None:
        longest_s = STALE_PERIODS * totals[power.channel].period_s
        count = (None, None) if register is None else (_accepted(register), totals[register.channel].channel.wraps_at)
        meter.energy.add(meter.watts, t_ns, power.kind, longest_s, *count)

    def now(self) -> list[MeterNow]:
        """Describe every meter of the bench that has given its power."""
        now_ns = self._clock.monotonic_ns()
        shown = ((source, self._meters.get(source.name)) for source in self._hub.sources())
        described = (_describe(source, meter, now_ns) for source, meter in shown if meter is not None)
        return [meter for meter in described if meter is not None]


def _quantity(totals: Mapping[str, ChannelTrace], reading: Reading) -> str | None:
    """Return of which quantity of its meter a reading holds the whole; None: of none that counts here."""
    trace = totals.get(reading.channel)
    if trace is None or (trace.channel.quantity == "energy" and trace.channel.kind is not Kind.COUNTER):
        return None
    return trace.channel.quantity


def _accepted(reading: Reading) -> float | None:
    """Return the value of a reading; None where it must not be used."""
    return None if reading.quality & NOT_ACCEPTED or not math.isfinite(reading.value) else reading.value


def _describe(source: LiveSource, meter: _Meter, now_ns: int) -> MeterNow | None:
    """Describe a meter; None before the first reading at its place."""
    trace, place = meter.power, _place(source)
    if trace is None or meter.place != place:
        return None
    state = trace.state_at(now_ns)
    quality: ReadingQuality = "frozen" if state == "frozen" else "retried" if meter.retried else "good"
    age_s = None if meter.accepted_ns is None else (now_ns - meter.accepted_ns) * 1e-9
    followed = age_s is not None and age_s <= STALE_PERIODS * trace.period_s  # not what came while no output was on
    fresh = followed and meter.source is source and state in ("ok", "frozen")
    return MeterNow(
        source.name,
        *place,
        power_w=meter.watts if fresh else None,
        quality=quality,
        age_s=age_s,
        energy_j=meter.energy.energy_j,
        since_ns=meter.since_ns,
        excluded=meter.excluded,
    )


def _place(source: LiveSource) -> _Place:
    return source.role, source.shared or ((source.server,) if source.server else ()), source.simulated
