"""The limits of the bench in force, and what has crossed them since the service began. For the event loop's thread."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from wattmark_drivers.reading import Reading

from wattmark.alarms.views import LimitAlarm
from wattmark.alarms.watch import Crossing, Limit, LimitWatch
from wattmark.inventory.bench import Bench
from wattmark.inventory.instruments import Bmc, Meter

KEPT = 200
"""Alarms that are remembered; the oldest that are over make room."""
Key = tuple[str, str, Limit]


class AlarmRoom:
    """Watch the readings of all meters and BMCs. ``bench`` gives the bench in force."""

    def __init__(self, bench: Callable[[], Bench]) -> None:
        self._bench = bench
        self._seen: Bench | None = None
        self._watches: dict[tuple[str, str], list[LimitWatch]] = {}
        self._going: dict[Key, LimitAlarm] = {}
        self._over: tuple[LimitAlarm, ...] = ()

    def take(self, source: str, readings: Sequence[Reading]) -> None:
        """Hold readings of one source against its limits."""
        self._follow()
        if not self._watches:
            return
        for reading in readings:
            for watch in self._watches.get((source, reading.channel), ()):
                value = reading.value if reading.quality.usable and math.isfinite(reading.value) else None
                if (crossing := watch.take(reading.t_ns * 1e-9, value)) is not None:
                    self._note((source, reading.channel, watch.limit), crossing, reading.unit)

    def alarms(self) -> list[LimitAlarm]:
        """List what is beyond a limit now, then what was, each the newest first. From any thread."""
        going = sorted(self._going.copy().values(), key=lambda one: -one.begin_s)
        return [*going, *reversed(self._over)]

    def _note(self, key: Key, crossing: Crossing, unit: str) -> None:
        source, channel, limit = key
        alarm = LimitAlarm(
            source=source,
            channel=channel,
            side=limit.side,
            limit=limit.at,
            unit=unit,
            begin_s=crossing.begin_s,
            end_s=crossing.end_s,
            worst=crossing.worst,
        )
        if crossing.end_s is None:
            self._going[key] = alarm
            return
        self._going.pop(key, None)
        self._over = (*self._over, alarm)[-KEPT:]

    def _follow(self) -> None:
        """Take up the limits of another bench; those that stay as they were go on."""
        bench = self._bench()
        if bench is self._seen:
            return
        self._seen = bench
        before = {(*place, watch.limit): watch for place, watches in self._watches.items() for watch in watches}
        devices: list[Meter | Bmc] = [*bench.meters, *bench.bmcs]
        wanted = [
            (one.id, alarm.channel, Limit(*limit))
            for one in devices
            for alarm in one.alarms
            for limit in alarm.limits()
        ]
        self._watches = {}
        for source, channel, limit in wanted:
            watch = before.get((source, channel, limit)) or LimitWatch(limit)
            self._watches.setdefault((source, channel), []).append(watch)
        self._going = {key: alarm for key, alarm in self._going.items() if key in set(wanted)}
