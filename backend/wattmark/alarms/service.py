"""The limits of the bench in force, and the alarms since the service started. For the event loop's thread."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from wattmark_drivers.reading import NO_BOUND, Quality, Reading

from wattmark.alarms.log import AlarmLog
from wattmark.alarms.views import AlarmOut, alarm_out
from wattmark.alarms.watch import Crossing, Limit, LimitWatch
from wattmark.bench.bench import Bench
from wattmark.bench.instruments import Bmc, Meter
from wattmark.runs.alarms import Alarm, AlarmEnd

KEPT = 200
"""Alarms kept in memory for the live view; the oldest ended ones are dropped. The log keeps more."""
Key = tuple[str, str, Limit]


class AlarmService:
    """Watch the readings of all meters and BMCs.

    ``bench`` gives the bench in force, ``log`` keeps what is found, ``simulated`` says which sources are, ``begun`` is
    called with each alarm that begins.
    """

    def __init__(
        self,
        bench: Callable[[], Bench],
        log: AlarmLog,
        simulated: Callable[[str], bool],
        begun: Callable[[Alarm], None] = lambda _: None,
    ) -> None:
        self._bench = bench
        self._log = log
        self._simulated = simulated
        self._tell_begun = begun
        self._seen: Bench | None = None
        self._watches: dict[tuple[str, str], list[LimitWatch]] = {}
        self._going: dict[Key, Alarm] = {}
        self._over: tuple[Alarm, ...] = ()

    def take(self, source: str, readings: Sequence[Reading]) -> None:
        """Compare readings of one source with its limits."""
        self._follow()
        self._log.send_when_due()
        if not self._watches:
            return
        for reading in readings:
            for watch in self._watches.get((source, reading.channel), ()):
                self._hold_against(watch, source, reading)

    def alarms(self) -> list[AlarmOut]:
        """List open alarms, then ended ones, each newest first. From any thread."""
        going = sorted(self._going.copy().values(), key=lambda alarm: -alarm.begin_ns)
        return [alarm_out(alarm) for alarm in (*going, *reversed(self._over))]

    def watched(self) -> list[tuple[str, str, LimitWatch]]:
        """List the limits in force: source, channel and watch."""
        self._follow()
        return [(*place, watch) for place, watches in self._watches.items() for watch in watches]

    def stop(self) -> None:
        """Close the open alarms, because nothing watches their channels any more."""
        for alarm in self._going.values():
            self._log.close(alarm, AlarmEnd.SERVICE_STOPPED)
        self._going = {}
        self._watches = {}

    def _hold_against(self, watch: LimitWatch, source: str, reading: Reading) -> None:
        """Compare a reading with a limit: an over-range value is a lower bound, a stale one is not usable."""
        usable = not reading.quality & (NO_BOUND | Quality.STALE) and math.isfinite(reading.value)
        value = reading.value if usable else None
        crossing = watch.take(reading.t_ns * 1e-9, value)
        if crossing is not None:
            self._note((source, reading.channel, watch.limit), crossing, reading)
        elif value is not None and self._going:
            self._go_on((source, reading.channel, watch.limit), reading.t_ns)

    def _go_on(self, key: Key, t_ns: int) -> None:
        if (going := self._going.get(key)) is not None:
            self._going[key] = going.changed(seen_ns=max(going.seen_ns, t_ns))
            self._log.keep(self._going[key], at_once=False)

    def _note(self, key: Key, crossing: Crossing, reading: Reading) -> None:
        before = self._going.pop(key, None)
        alarm = before or self._begun(key, crossing, reading.unit)
        alarm = alarm.changed(seen_ns=max(alarm.seen_ns, reading.t_ns), worst=crossing.worst)
        if crossing.end_s is None:
            self._going[key] = alarm
        else:
            alarm = alarm.changed(end_ns=reading.t_ns, ended=AlarmEnd.BACK, closed_ns=reading.t_ns)
            self._over = (*self._over, alarm)[-KEPT:]
        self._log.keep(alarm, at_once=before is None or alarm.ended is not None)
        if before is None:
            self._tell_begun(alarm)

    def _begun(self, key: Key, crossing: Crossing, unit: str) -> Alarm:
        source, channel, limit = key
        return Alarm(
            number=self._log.number(),
            source=source,
            channel=channel,
            side=limit.side,
            limit=limit.at,
            unit=unit,
            run_must_keep=limit.run_must_keep,
            begin_ns=round(crossing.begin_s * 1e9),
            seen_ns=0,
            worst=crossing.worst,
            simulated=self._simulated(source),
        )

    def _follow(self) -> None:
        """Apply the limits of another bench; alarms of unchanged limits continue."""
        bench = self._bench()
        if bench is self._seen:
            return
        self._seen = bench
        before = {(*place, watch.limit): watch for place, watches in self._watches.items() for watch in watches}
        devices: list[Meter | Bmc] = [*bench.meters, *bench.bmcs]
        wanted = [
            (device.id, alarm.channel, Limit(*limit))
            for device in devices
            for alarm in device.alarms
            for limit in alarm.limits()
        ]
        self._watches = {}
        for source, channel, limit in wanted:
            watch = before.get((source, channel, limit)) or LimitWatch(limit)
            self._watches.setdefault((source, channel), []).append(watch)
        for key in self._going.keys() - set(wanted):
            self._log.close(self._going.pop(key), AlarmEnd.LIMIT_CHANGED)
