"""A clock that stands still until a test moves it."""

from __future__ import annotations

import asyncio
import heapq
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count

NOON_NS = 1_763_640_000 * 10**9
"""2025-11-20 12:00:00 UTC."""


@dataclass
class HandClock:
    """Both clocks stand still until `advance`; who sleeps wakes when its time has come."""

    elapsed_ns: int = 0
    _sleepers: list[tuple[int, int, asyncio.Event]] = field(default_factory=list)
    _order: Iterator[int] = field(default_factory=count)

    def utc_ns(self) -> int:
        return NOON_NS + self.elapsed_ns

    def monotonic_ns(self) -> int:
        return self.elapsed_ns

    async def sleep(self, seconds: float) -> None:
        wake = asyncio.Event()
        heapq.heappush(self._sleepers, (self.elapsed_ns + int(seconds * 1e9), next(self._order), wake))
        await wake.wait()

    @property
    def somebody_sleeps(self) -> bool:
        return bool(self._sleepers)

    async def advance(self, seconds: float) -> None:
        await self._settle()
        self.elapsed_ns += int(seconds * 1e9)
        while self._sleepers and self._sleepers[0][0] <= self.elapsed_ns:
            heapq.heappop(self._sleepers)[2].set()
        await self._settle()

    async def _settle(self) -> None:
        for _ in range(10):
            await asyncio.sleep(0)
