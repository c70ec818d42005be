"""Notice a device that repeats itself: every value unchanged for longer than its update period allows."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from wattmark_drivers.reading import Quality, Reading

PERIODS = 3.0
"""A device is stale when nothing changed for more than this many update periods."""
_Seen = tuple[float | None, int | None]


class StaleWatch:
    """Remembers since when each channel shows its value; the device's own stamp counts as part of the value."""

    def __init__(self, update_period_s: float) -> None:
        self._limit_ns = int(PERIODS * update_period_s * 1e9)
        self._since: dict[str, tuple[_Seen, int]] = {}

    def mark(self, readings: Sequence[Reading]) -> list[Reading]:
        """Mark all readings of one poll as stale when every one of them has stood still for too long."""
        stood_ns = [self._stood_ns(reading) for reading in readings]
        if not readings or min(stood_ns) <= self._limit_ns:
            return list(readings)
        return [replace(reading, quality=reading.quality | Quality.STALE) for reading in readings]

    def _stood_ns(self, reading: Reading) -> int:
        seen = (None if math.isnan(reading.value) else reading.value, reading.device_time_ns)
        before, since_ns = self._since.get(reading.channel, (None, reading.t_ns))
        if seen != before:
            since_ns = reading.t_ns
            self._since[reading.channel] = (seen, since_ns)
        return reading.t_ns - since_ns
