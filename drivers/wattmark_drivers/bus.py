"""One queue per line: whoever shares a wire or a gateway takes turns, and errors are followed by silence."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import Callable, Hashable
from typing import Generic, TypeVar

from wattmark_drivers.clock import Clock

Line = TypeVar("Line")


class Bus:
    """Turns on one line. After an error the line must have been silent for the quiet gap before the next turn."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._taken = False
        self._queue: deque[asyncio.Future[None]] = deque()
        self._gap_s = 0.0
        self.traffic_ns = clock.monotonic_ns()
        """When something was last heard or sent [monotonic ns]."""

    def heard(self) -> None:
        """Mark traffic; a late answer prolongs the required silence."""
        self.traffic_ns = self._clock.monotonic_ns()

    def turn(self, *, request_gap_s: float, quiet_gap_s: float) -> Turn:
        """Wait for the line, then hold it. Leaving with an exception asks for ``quiet_gap_s`` [s] of silence."""
        return Turn(self, request_gap_s, quiet_gap_s)

    async def take(self, request_gap_s: float) -> None:
        """Wait for the line and for the silence that is due on it."""
        if self._taken:
            await self._line_up()
        self._taken = True
        gap_s = self._gap_s if self._gap_s > request_gap_s else request_gap_s
        if gap_s:
            await self._silence(gap_s)

    def give(self, gap_s: float) -> None:
        """Release the line to the next in the queue after ``gap_s`` [s] of silence."""
        self._gap_s = gap_s
        self.traffic_ns = self._clock.monotonic_ns()
        self._pass_on()

    def _pass_on(self) -> None:
        """Move the line to the first in the queue; it stays taken meanwhile, so that none jumps the queue."""
        while self._queue:
            first = self._queue.popleft()
            if not first.done():
                first.set_result(None)
                return
        self._taken = False

    async def _line_up(self) -> None:
        place = asyncio.get_running_loop().create_future()
        self._queue.append(place)
        try:
            await place
        except asyncio.CancelledError:
            if place.done() and not place.cancelled():
                self._pass_on()
            raise

    async def _silence(self, gap_s: float) -> None:
        try:
            while (left_ns := self.traffic_ns + int(gap_s * 1e9) - self._clock.monotonic_ns()) > 0:
                await self._clock.sleep(left_ns / 1e9)
        except BaseException:
            self._pass_on()
            raise


class Turn:
    """A turn on a line, as a context manager."""

    __slots__ = ("_bus", "_quiet_gap_s", "_request_gap_s")

    def __init__(self, bus: Bus, request_gap_s: float, quiet_gap_s: float) -> None:
        self._bus = bus
        self._request_gap_s = request_gap_s
        self._quiet_gap_s = quiet_gap_s

    async def __aenter__(self) -> None:
        await self._bus.take(self._request_gap_s)

    async def __aexit__(self, kind: type[BaseException] | None, *_: object) -> None:
        self._bus.give(0.0 if kind is None else self._quiet_gap_s)


class SharedLines(Generic[Line]):
    """The open lines of a process, by their target; the last user closes a line."""

    def __init__(self) -> None:
        self._lines: dict[Hashable, tuple[Line, int]] = {}

    def acquire(self, key: Hashable, make: Callable[[], Line]) -> Line:
        """Open a share in a line of the running event loop, which is created for its first user."""
        own = (asyncio.get_running_loop(), key)
        line, users = self._lines.get(own) or (make(), 0)
        self._lines[own] = (line, users + 1)
        return line

    def release(self, key: Hashable) -> Line | None:
        """Release a share. Returns the line if that was the last share and the line is to be closed."""
        own = (asyncio.get_running_loop(), key)
        line, users = self._lines.pop(own)
        if users == 1:
            return line
        self._lines[own] = (line, users - 1)
        return None
