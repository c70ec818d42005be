"""Write alarms down as they come: begin and end at once, what changes meanwhile every few seconds."""

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
    """Keep alarms durably without holding up who reads the meters. For the event loop's thread.

    What could not be written waits in memory, as much as is kept at all, and is tried again.
    """

    def __init__(self, store: AlarmStore, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._waiting: dict[int, Alarm] = {}
        self._turn = threading.Lock()
        """Held by whoever changes what waits: the writer's thread puts back what failed."""
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
        """Take an alarm in its newest state."""
        with self._turn:
            self._waiting[alarm.number] = alarm
        if at_once:
            self.flush()

    def close(self, alarm: Alarm, ended: AlarmEnd) -> None:
        """Close an alarm whose end no reading has told."""
        self.keep(alarm.changed(ended=ended, closed_ns=self._clock.utc_ns()), at_once=True)

    def send_when_due(self) -> None:
        """Write what has waited long enough."""
        if self._waiting and self._clock.monotonic_ns() - self._sent_ns >= EVERY_S * 1e9:
            self.flush()

    def flush(self) -> Future[None]:
        """Write what waits; done when that, and all before it, is on disk."""
        self._sent_ns = self._clock.monotonic_ns()
        with self._turn:
            sent, self._waiting = self._waiting, {}
        done = self._store.put(list(sent.values()))
        done.add_done_callback(partial(self._written, sent))
        return done

    def _written(self, sent: dict[int, Alarm], done: Future[None]) -> None:
        """Hear in the writer's thread what has become of a job; a newer state that waits already stays."""
        if (error := done.exception()) is None:
            return
        _log.error("Alarms cannot be saved and wait in memory. %s", error)
        with self._turn:
            newest = sorted((sent | self._waiting).items())[-KEPT_ALARMS:]
            self._waiting = dict(newest)
