"""Detect faults that no single reply shows: values that do not move, a counter that goes back, power beyond the range.

What breaks physics within one answer is told by `Physics`, which each answer passes first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from wattmark_drivers.catalogue.suspicion import Suspicion
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.physics import Physics
from wattmark_drivers.reading import UNUSABLE, Channel, Kind, Quality, Reading

PHASES = ("", "_l1", "_l2", "_l3")
POWER = "power"
_GOOD = Quality.GOOD
_UNUSABLE = int(UNUSABLE)
"""Flags of plain integers cost a tenth of those of `Quality`."""
_Seen = tuple[float | None, int | None]


@dataclass(slots=True)
class _PowerRegister:
    """Follow one power channel while it repeats itself, and the volt-amperes beside it."""

    ending: str
    value: float = math.nan
    since_ns: int = 0
    low_va: float = math.inf
    high_va: float = 0.0
    doubted: bool = False
    """Whether it has shown the same value, far from its volt-amperes, since the device came to life again."""
    channel: str = field(init=False)
    factor: str = field(init=False)
    apparent: str = field(init=False)
    volts: str = field(init=False)
    amperes: str = field(init=False)

    def __post_init__(self) -> None:
        self.channel, self.factor, self.apparent, self.volts, self.amperes = (
            name + self.ending for name in (POWER, "power_factor", "apparent_power", "voltage", "current")
        )

    def stuck(
        self, values: Mapping[str, float], t_ns: int, rules: Suspicion, update_s: float, step: float | None
    ) -> bool:
        """Take the usable values of a poll in which something moved; return whether this register should have."""
        value = values.get(self.channel)
        if value is None:
            return False
        if value != self.value or value == 0:
            self.value, self.since_ns = value, t_ns
            self.low_va, self.high_va = math.inf, 0.0
            self.doubted = False
        volt_amperes = self._volt_amperes(values)
        if volt_amperes is not None:
            self.low_va, self.high_va = min(self.low_va, volt_amperes), max(self.high_va, volt_amperes)
        updates = (t_ns - self.since_ns) / 1e9 / update_s
        if updates <= rules.still_updates:
            return False
        moved_va = self.high_va - self.low_va
        apart = moved_va > max(rules.apart_pct / 100 * self.high_va, 2 * (step or 0.0))
        fine = step is not None and abs(value) >= rules.fine_steps * step
        return apart or (fine and updates > rules.equal_updates)

    def doubt(self, values: Mapping[str, float], rules: Suspicion, *, unseen: bool) -> bool:
        """Return whether it may have got stuck ``unseen``, before this poll or before one that showed the same."""
        self.doubted = (unseen or self.doubted) and self._unfit(values, rules)
        return self.doubted

    def _unfit(self, values: Mapping[str, float], rules: Suspicion) -> bool:
        """Return whether power is far from volt-amperes times power factor, where the poll has all of them."""
        value, factor = values.get(self.channel), values.get(self.factor)
        volt_amperes = self._volt_amperes(values)
        if value is None or factor is None or volt_amperes is None:
            return False
        return abs(abs(value) - abs(factor) * volt_amperes) > rules.apart_pct / 100 * volt_amperes

    def _volt_amperes(self, values: Mapping[str, float]) -> float | None:
        apparent = values.get(self.apparent)
        if apparent is not None:
            return abs(apparent)
        volts, amperes = values.get(self.volts), values.get(self.amperes)
        return None if volts is None or amperes is None else abs(volts * amperes)


@dataclass(slots=True)
class Memory:
    """What a device showed last; it outlives the connection, since a device that comes back may be stuck."""

    shown: dict[str, _Seen] = field(default_factory=dict)
    changed_ns: int | None = None
    """When a channel changed last [UTC ns]; None before the first poll."""
    counted: dict[str, float] = field(default_factory=dict)
    """What counters showed."""
    registers: tuple[_PowerRegister, ...] = field(default_factory=lambda: tuple(map(_PowerRegister, PHASES)))


class ReadingWatch:
    """Marks the readings of one meter by the rules that its model declares (`Suspicion`).

    Remembers what each channel showed last; the device's own stamp counts as part of the value. The coarse 8-bit
    sensors of an indicative device stand still rightly, so only its driver can tell what is stale. ``memory`` is
    what the device showed before it was away.
    """

    def __init__(
        self,
        identity: MeterIdentity,
        channels: Sequence[Channel],
        poll_period_s: float = 0.0,
        *,
        memory: Memory | None = None,
    ) -> None:
        self._rules = identity.suspicion
        self._update_s = max(identity.update_period_s, poll_period_s)
        self._still_ns = int(self._rules.still_updates * self._update_s * 1e9)
        self._still = not identity.indicative
        self._most_w = identity.range_limit_w
        self._physics = Physics(identity, channels)
        self._memory = Memory() if memory is None else memory
        self._counters = {item.id: item.wraps_at for item in channels if item.kind is Kind.COUNTER}
        steps = {item.id: item.resolution for item in channels if item.quantity == POWER}
        self._registers = [(item, steps[item.channel]) for item in self._memory.registers if item.channel in steps]
        """The registers of power that the meter has, each with the step of its last digit."""

    def mark(self, readings: Sequence[Reading]) -> list[Reading]:
        """Mark the readings of one poll."""
        readings = self._physics.mark(readings)
        doubts = self._doubts(readings)
        old = self._old(readings, doubts) if self._still and readings else ()
        if not old and not doubts:
            return list(readings)
        marks = dict.fromkeys(old, Quality.STALE)
        for channel, doubt in doubts.items():
            marks[channel] = marks.get(channel, Quality.GOOD) | doubt
        return [
            reading._replace(quality=reading.quality | marks[reading.channel]) if reading.channel in marks else reading
            for reading in readings
        ]

    def _old(self, readings: Sequence[Reading], doubts: Mapping[str, Quality]) -> Sequence[str]:
        """List the channels that show an old value: all where none has changed for too long, else stuck registers.

        A counter that was cleared is no sign of life. In the first poll that brings something new after such a time,
        what has not changed may have been read before the device came to life again; and a register of power that got
        stuck meanwhile was never read right, so it must fit the factor beside it, then and as long as it repeats.
        """
        memory, t_ns = self._memory, readings[0].t_ns
        shown: dict[str, _Seen] = {
            reading.channel: (None if reading.value != reading.value else reading.value, reading.device_time_ns)
            for reading in readings
        }
        stood_still = memory.changed_ns is not None and t_ns - memory.changed_ns > self._still_ns
        moved, alive = set[str](), False
        if not shown.items() <= memory.shown.items():
            alive = True
            if stood_still or doubts:  # which have moved matters then alone
                moved = {name for name, seen in shown.items() if memory.shown.get(name) != seen}
                alive = not moved <= doubts.keys() & self._counters.keys()
            memory.shown.update(shown)
        if alive:
            memory.changed_ns = t_ns
        values = {
            reading.channel: reading.value
            for reading in readings
            if reading.quality is _GOOD or not int(reading.quality) & _UNUSABLE
        }
        stuck = [
            register.channel
            for register, step in self._registers
            if register.stuck(values, t_ns, self._rules, self._update_s, step)
        ]
        doubted = [
            register.channel
            for register in memory.registers
            if (stood_still or register.doubted) and register.doubt(values, self._rules, unseen=stood_still)
        ]
        if stood_still:
            return [name for name in shown if not alive or name not in moved or name in doubted or name in stuck]
        return [*stuck, *doubted]

    def _doubts(self, readings: Sequence[Reading]) -> dict[str, Quality]:
        """Evaluate counters against what they showed before, and power against the range in use."""
        doubts: dict[str, Quality] = {}
        counters, most_w = self._counters, math.inf if self._most_w is None else self._most_w
        for reading in readings:
            channel = reading.channel
            if channel in counters:
                if self._went_back(reading):
                    doubts[channel] = Quality.INVALID
            elif channel == POWER and reading.value > most_w:
                doubts[channel] = Quality.OVER_RANGE
        return doubts

    def _went_back(self, reading: Reading) -> bool:
        """Return whether this is the first reading of a counter below the one before, but for one that began again.

        Less than half of the way to its declared end counts as such a roll-over; what it shows from there on counts
        again.
        """
        now = reading.value
        if (reading.quality is not _GOOD and int(reading.quality) & _UNUSABLE) or not math.isfinite(now):
            return False
        counted, channel = self._memory.counted, reading.channel
        before = counted.get(channel)
        counted[channel] = now
        if before is None or now >= before:
            return False
        end = self._counters[channel]
        return end is None or now + end - before >= end / 2
