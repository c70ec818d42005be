"""Notice what no answer alone shows: values that stand still, a counter that goes back, power beyond the range."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wattmark_drivers.catalogue.suspicion import Suspicion
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.reading import Channel, Kind, Quality, Reading

PHASES = ("", "_l1", "_l2", "_l3")
POWER = "power"
_Seen = tuple[float | None, int | None]


class ReadingWatch:
    """Marks the readings of one meter by the rules that its model declares (`Suspicion`).

    Remembers what each channel showed last; the device's own stamp counts as part of the value. The coarse 8-bit
    sensors of an indicative device stand still rightly, so only its driver can tell what is stale. ``counted`` keeps
    what counters showed last, also over the time that the device is away.
    """

    def __init__(
        self,
        identity: MeterIdentity,
        channels: Sequence[Channel],
        poll_period_s: float = 0.0,
        *,
        counted: dict[str, float] | None = None,
    ) -> None:
        rules, update_s = identity.suspicion, max(identity.update_period_s, poll_period_s)
        self._still_ns = int(rules.still_updates * update_s * 1e9)
        self._still = not identity.indicative
        self._most_w = identity.range_limit_w
        self._shown: dict[str, _Seen] = {}
        self._changed_ns = 0
        self._counters = {item.id: item.wraps_at for item in channels if item.kind is Kind.COUNTER}
        self._counted = {} if counted is None else counted
        steps = {item.id: item.resolution for item in channels if item.quantity == POWER}
        self._registers = [
            _PowerRegister(ending, steps[POWER + ending], rules, update_s)
            for ending in PHASES
            if self._still and POWER + ending in steps
        ]

    def mark(self, readings: Sequence[Reading]) -> list[Reading]:
        """Mark the readings of one poll."""
        marks: dict[str, Quality] = {}
        if self._still and readings:
            if self._stands_still(readings):
                marks = dict.fromkeys((reading.channel for reading in readings), Quality.STALE)
            else:
                values = {reading.channel: reading.value for reading in readings if reading.quality.usable}
                t_ns = readings[0].t_ns
                stuck = [register.channel for register in self._registers if register.stuck(values, t_ns)]
                marks = dict.fromkeys(stuck, Quality.STALE)
        for reading in readings:
            doubt = self._doubt(reading)
            if doubt:
                marks[reading.channel] = marks.get(reading.channel, Quality.GOOD) | doubt
        if not marks:
            return list(readings)
        return [
            reading._replace(quality=reading.quality | marks[reading.channel]) if reading.channel in marks else reading
            for reading in readings
        ]

    def _stands_still(self, readings: Sequence[Reading]) -> bool:
        """Return whether no channel has changed for too long."""
        shown: dict[str, _Seen] = {
            reading.channel: (None if reading.value != reading.value else reading.value, reading.device_time_ns)
            for reading in readings
        }
        if not shown.items() <= self._shown.items():
            self._shown.update(shown)
            self._changed_ns = readings[0].t_ns
            return False
        return readings[0].t_ns - self._changed_ns > self._still_ns

    def _doubt(self, reading: Reading) -> Quality:
        """Evaluate a counter against what it showed before, and power against the range in use."""
        if reading.channel in self._counters:
            return self._went_back(reading)
        if reading.channel == POWER and self._most_w is not None and reading.value > self._most_w:
            return Quality.OVER_RANGE
        return Quality.GOOD

    def _went_back(self, reading: Reading) -> Quality:
        """Mark the first reading of a counter below the one before, unless it began again at its declared end.

        Less than half of the way from end to end counts as such a roll-over; what it shows from there on counts again.
        """
        if not reading.quality.usable or not math.isfinite(reading.value):
            return Quality.GOOD
        before, now = self._counted.get(reading.channel), reading.value
        self._counted[reading.channel] = now
        if before is None or now >= before:
            return Quality.GOOD
        end = self._counters[reading.channel]
        return Quality.GOOD if end is not None and now + end - before < end / 2 else Quality.INVALID


@dataclass(slots=True)
class _PowerRegister:
    """Follow one power channel while it repeats itself, and the volt-amperes beside it."""

    ending: str
    step: float | None
    rules: Suspicion
    update_s: float
    value: float = math.nan
    since_ns: int = 0
    low_va: float = math.inf
    high_va: float = 0.0

    @property
    def channel(self) -> str:
        return POWER + self.ending

    def stuck(self, values: Mapping[str, float], t_ns: int) -> bool:
        """Take the usable values of a poll in which something moved; return whether this register should have."""
        value = values.get(self.channel)
        if value is None:
            return False
        if value != self.value or value == 0:
            self.value, self.since_ns = value, t_ns
            self.low_va, self.high_va = math.inf, 0.0
        volt_amperes = self._volt_amperes(values)
        if volt_amperes is not None:
            self.low_va, self.high_va = min(self.low_va, volt_amperes), max(self.high_va, volt_amperes)
        updates = (t_ns - self.since_ns) / 1e9 / self.update_s
        if updates <= self.rules.still_updates:
            return False
        moved_va = self.high_va - self.low_va
        apart = moved_va > max(self.rules.apart_pct / 100 * self.high_va, 2 * (self.step or 0.0))
        fine = self.step is not None and abs(value) >= self.rules.fine_steps * self.step
        return apart or (fine and updates > self.rules.equal_updates)

    def _volt_amperes(self, values: Mapping[str, float]) -> float | None:
        apparent = values.get(f"apparent_power{self.ending}")
        if apparent is not None:
            return abs(apparent)
        volts, amperes = values.get(f"voltage{self.ending}"), values.get(f"current{self.ending}")
        return None if volts is None or amperes is None else abs(volts * amperes)
