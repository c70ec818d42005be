"""Record alarms as they occur: start and end at once, changes in between every few seconds."""

from __future__ import annotations

import logging
import threading
from concurrent.futures import Future
from functools import partial

from wattmark_drivers.clock import Clock

from wattmark.alarms.store import KEPT_ALARMS, AlarmStore
from wattmark.alarms.views import AlarmPage, alarm_page
from wattmark.runs.alarms import Alarm, AlarmEnd

EVERY_S = 10.0
"""So long an extreme or a newest reading waits for others [s]; so much is unknown when the service dies."""
_log = logging.getLogger(__name__)


class AlarmLog:
    """Store alarms durably without delaying the polling of the meters. For the event loop's thread.

    Failed writes wait in memory, up to the number of alarms kept, and are retried.
    """

    def __init__(self, store: AlarmStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._waiting: dict[int, Alarm] = {}
        self._turn = threading.Lock()
        """Protects the waiting alarms: the writer's thread puts failed ones back."""
        self._sent_ns = clock.monotonic_ns()
        self._last = store.last_number()

    def close_left(self) -> None:
        """Close what an earlier service left open when it died: its end is not known."""
        for alarm in self._store.going():
            self.close(alarm, AlarmEnd.SERVICE_DIED)

    def page(self, before: int | None, limit: int) -> AlarmPage:
        """List alarms that are on disk, newest first, from before a number on (None: from the newest)."""
        return alarm_page(self._store.before(before, limit + 1), limit)

    def number(self) -> int:
        self._last += 1
        return self._last

    def keep(self, alarm: Alarm, *, at_once: bool) -> None:
        """Queue an alarm in its newest state."""
        with self._turn:
            self._waiting[alarm.number] = alarm
        if at_once:
            self.flush()

    def close(self, alarm: Alarm, ended: AlarmEnd) -> None:
        """Close an alarm whose end no reading has shown."""
        self.keep(alarm.changed(ended=ended, closed_ns=self._clock.utc_ns()), at_once=True)

    def send_when_due(self) -> None:
        """Write what has waited long enough."""
        if self._waiting and self._clock.monotonic_ns() - self._sent_ns >= EVERY_S * 1e9:
            self.flush()

    def flush(self) -> Future[None]:
        """Write the waiting alarms; returns when they, and all earlier ones, are on disk."""
        self._sent_ns = self._clock.monotonic_ns()
        with self._turn:
            sent, self._waiting = self._waiting, {}
        done = self._store.put(list(sent.values()))
        done.add_done_callback(partial(self._written, sent))
        return done

    def _written(self, sent: dict[int, Alarm], done: Future[None]) -> None:
        """Handle the outcome of a write, in the writer's thread; a newer waiting state is kept."""
        if (error := done.exception()) is None:
            return
        _log.error("Alarms cannot be saved and wait in memory. %s", error)
        with self._turn:
            newest = sorted((sent | self._waiting).items())[-KEPT_ALARMS:]
            self._waiting = dict(newest)
