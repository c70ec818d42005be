"""Clocks that stand still until a test moves them, or until somebody sleeps."""

from __future__ import annotations

import asyncio
import heapq
import itertools
import math
from dataclasses import dataclass, field


@dataclass
class SetClock:
    """Both clocks of a machine; only sleeping and the test move them."""

    now_ns: int = 0
    """By the monotonic clock."""
    ahead_ns: int = 0
    """How far the UTC clock is ahead of it."""

    def utc_ns(self) -> int:
        return self.ahead_ns + self.now_ns

    def monotonic_ns(self) -> int:
        return self.now_ns

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(0)
        self.pass_s(max(0.0, seconds))

    def pass_s(self, seconds: float) -> None:
        self.now_ns += round(seconds * 1e9)


@dataclass
class WaitingClock(SetClock):
    """Time goes on to the next who sleeps when everybody sleeps."""

    _sleepers: list[tuple[int, int, asyncio.Event]] = field(default_factory=list)
    _order: itertools.count[int] = field(default_factory=itertools.count)

    async def sleep(self, seconds: float) -> None:
        woken = asyncio.Event()
        heapq.heappush(self._sleepers, (self.now_ns + max(0, round(seconds * 1e9)), next(self._order), woken))
        await woken.wait()

    async def run(self, until_ns: float = math.inf) -> None:
        """Let time go on; ends before who sleeps longer than until then."""
        while True:
            for _ in range(20):
                await asyncio.sleep(0)
            if self._sleepers:
                due_ns, _, woken = heapq.heappop(self._sleepers)
                if due_ns > until_ns:
                    return
                self.now_ns = max(self.now_ns, due_ns)
                woken.set()
