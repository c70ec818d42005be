"""Notice a device that repeats itself: nothing new for longer than three updates."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark_drivers.reading import Quality, Reading

PERIODS = 3.0
"""A device is stale when nothing changed for more than this many updates, or polls where those are rarer."""
_Seen = tuple[float | None, int | None]


class StaleWatch:
    """Remembers what each channel showed last; the device's own stamp counts as part of the value."""

    def __init__(self, update_period_s: float, poll_period_s: float = 0.0) -> None:
        self._limit_ns = int(PERIODS * max(update_period_s, poll_period_s) * 1e9)
        self._shown: dict[str, _Seen] = {}
        self._changed_ns = 0

    def mark(self, readings: Sequence[Reading]) -> list[Reading]:
        """Mark all readings of one poll as stale when no channel has changed for too long."""
        shown: dict[str, _Seen] = {
            reading.channel: (None if reading.value != reading.value else reading.value, reading.device_time_ns)
            for reading in readings
        }
        if not shown.items() <= self._shown.items():
            self._shown.update(shown)
            self._changed_ns = readings[0].t_ns
        elif readings and readings[0].t_ns - self._changed_ns > self._limit_ns:
            return [reading._replace(quality=reading.quality | Quality.STALE) for reading in readings]
        return list(readings)
