"""One timer of the event loop for all that wait: a thousand samplers cost one, and a deadline that is kept costs none.

The event loop orders its timers by comparisons in Python and keeps cancelled ones; here they are plain tuples in heaps.
"""

from __future__ import annotations

import asyncio
from heapq import heappop, heappush
from itertools import count
from time import monotonic_ns
from weakref import WeakKeyDictionary

Entry = tuple[int, int, "asyncio.Future[None]"]
RESOLUTION_S = 1e-3
"""Event loops may wait in whole milliseconds and wake too early by a part of one."""


class Wheel:
    """Wakes sleepers and fails what is overdue, on one event loop."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._number = count()
        self._sleepers: list[Entry] = []
        self._overdue: list[tuple[int, int, asyncio.Future[bytes]]] = []
        self._armed_ns: int | None = None
        self._timer: asyncio.TimerHandle | None = None

    def sleep_until(self, due_ns: int) -> asyncio.Future[None]:
        """Return a future that is done at ``due_ns`` [monotonic ns] or up to 1 ms later."""
        sleeper = self._loop.create_future()
        heappush(self._sleepers, (due_ns, next(self._number), sleeper))
        self._arm(due_ns)
        return sleeper

    def fail_at(self, due_ns: int, waiting: asyncio.Future[bytes]) -> None:
        """Let a future fail with TimeoutError at ``due_ns`` [monotonic ns] unless it is done by then."""
        heappush(self._overdue, (due_ns, next(self._number), waiting))
        self._arm(due_ns)

    def _arm(self, due_ns: int) -> None:
        if self._armed_ns is not None and self._armed_ns <= due_ns:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._armed_ns = due_ns
        self._timer = self._loop.call_later(max(0.0, (due_ns - monotonic_ns()) / 1e9), self._turn)

    def _turn(self) -> None:
        now_ns = monotonic_ns()
        if self._armed_ns is not None and self._armed_ns > now_ns:
            self._timer = self._loop.call_later(RESOLUTION_S, self._turn)
            return
        self._armed_ns = self._timer = None
        sleepers, overdue = self._sleepers, self._overdue
        while sleepers and (sleepers[0][0] <= now_ns or sleepers[0][2].done()):
            sleeper = heappop(sleepers)[2]
            if not sleeper.done():
                sleeper.set_result(None)
        while overdue and (overdue[0][0] <= now_ns or overdue[0][2].done()):
            waiting = heappop(overdue)[2]
            if not waiting.done():
                waiting.set_exception(TimeoutError())
        nearest = [heap[0][0] for heap in (sleepers, overdue) if heap]
        if nearest:
            self._arm(min(nearest))


_wheels: WeakKeyDictionary[asyncio.AbstractEventLoop, Wheel] = WeakKeyDictionary()


def wheel() -> Wheel:
    """Find the wheel of the running event loop."""
    loop = asyncio.get_running_loop()
    wheel_ = _wheels.get(loop)
    if wheel_ is None:
        wheel_ = _wheels[loop] = Wheel(loop)
    return wheel_
