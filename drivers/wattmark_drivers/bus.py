"""One queue per line: whoever shares a wire or a gateway takes turns, and errors are followed by silence."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Hashable
from contextlib import asynccontextmanager
from typing import Generic, TypeVar

from wattmark_drivers.clock import Clock

Line = TypeVar("Line")


class Bus:
    """Turns on one line. After an error the line must have been silent for the quiet gap before the next turn."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._lock = asyncio.Lock()
        self._traffic_ns = clock.monotonic_ns()
        self._gap_s = 0.0

    def heard(self) -> None:
        """Note traffic; a late answer prolongs the silence that is waited for."""
        self._traffic_ns = self._clock.monotonic_ns()

    @asynccontextmanager
    async def turn(self, *, request_gap_s: float, quiet_gap_s: float) -> AsyncIterator[None]:
        """Wait for the line, then hold it. Leaving with an exception asks for ``quiet_gap_s`` [s] of silence."""
        async with self._lock:
            await self._silence(max(self._gap_s, request_gap_s))
            self._gap_s = quiet_gap_s
            try:
                yield
                self._gap_s = 0.0
            finally:
                self.heard()

    async def _silence(self, gap_s: float) -> None:
        while (left_ns := self._traffic_ns + int(gap_s * 1e9) - self._clock.monotonic_ns()) > 0:
            await self._clock.sleep(left_ns / 1e9)


class SharedLines(Generic[Line]):
    """The open lines of a process, by what they lead to; the last user closes a line."""

    def __init__(self) -> None:
        self._lines: dict[Hashable, tuple[Line, int]] = {}

    def acquire(self, key: Hashable, make: Callable[[], Line]) -> Line:
        """Take a share in a line of the running event loop, made if nobody has it yet."""
        own = (asyncio.get_running_loop(), key)
        line, users = self._lines.get(own) or (make(), 0)
        self._lines[own] = (line, users + 1)
        return line

    def release(self, key: Hashable) -> Line | None:
        """Give a share back. Returns the line if that was the last share and it is now to be closed."""
        own = (asyncio.get_running_loop(), key)
        line, users = self._lines.pop(own)
        if users == 1:
            return line
        self._lines[own] = (line, users - 1)
        return None
