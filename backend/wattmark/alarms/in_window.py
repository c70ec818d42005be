"""Which alarms lasted into the window of a run."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence

from wattmark.alarms.log import AlarmLog
from wattmark.alarms.service import AlarmService
from wattmark.alarms.store import AlarmStore
from wattmark.bench.bench import Bench
from wattmark.runs.alarms import Alarm, RunAlarms

MOST = 200
"""Alarms that the record of a run holds."""


class WindowAlarms:
    """Collects the limits watched in a window and those crossed. For the event loop's thread."""

    def __init__(self, bench: Callable[[], Bench], room: AlarmService, log: AlarmLog, store: AlarmStore) -> None:
        self._bench = bench
        self._room = room
        self._log = log
        self._store = store

    async def within(self, server: str, begin_ns: int, end_ns: int) -> RunAlarms | None:
        """Collect the limits and alarms of a server between two instants [UTC ns]; None where it has no limit.

        Raises `StoreError` where alarms cannot be written down.
        """
        sources = sources_about(self._bench(), server)
        watched = [watch for watch in self._room.watched() if watch[0] in sources]
        await asyncio.wrap_future(self._log.flush())
        alarms = await asyncio.to_thread(self._store.between, sources, begin_ns, end_ns)
        if not watched and not alarms:
            return None
        silent = [
            f"{source} {channel} {watch.limit.side} {watch.limit.at:g}"
            for source, channel, watch in watched
            if watch.last_s is None or watch.last_s * 1e9 < begin_ns
        ]
        return run_alarms(len(watched), silent, alarms)


def run_alarms(limits: int, unwatched: Sequence[str], alarms: Sequence[Alarm]) -> RunAlarms:
    """Build the disclosure of a run; alarms that decide its soundness are omitted last."""
    chosen = sorted(alarms, key=lambda alarm: (not alarm.run_must_keep, alarm.begin_ns))[:MOST]
    return RunAlarms(
        limits=limits,
        unwatched=tuple(unwatched),
        crossed=tuple(sorted(chosen, key=lambda alarm: alarm.begin_ns)),
        excluded=len(alarms) - len(chosen),
    )


def sources_about(bench: Bench, server: str) -> set[str]:
    """Return the instruments whose limits concern a run: the server's own, and those assigned to no server."""
    meters = [*bench.meters_of(server), *(meter for meter in bench.meters if not meter.feeds)]
    return {*(meter.id for meter in meters), *(bmc.id for bmc in bench.bmcs_of(server))}
