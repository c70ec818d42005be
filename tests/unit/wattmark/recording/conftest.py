"""A clock that the test moves, and a meter that says what the test wants."""

import asyncio
import heapq
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import count

import pytest
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.reading import Channel, Kind, Quality, Reading

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


@dataclass
class FakeMeter:
    """A meter with one or more channels of power."""

    name: str
    channels: Sequence[Channel] = (Channel("power", "power", "W", Kind.AVERAGED, "Active power"),)
    simulated: bool = False
    indicative: bool = False
    pushes: bool = False
    answer: Callable[[], list[Reading]] = list
    closed: int = 0
    opened: int = 0

    @property
    def identity(self) -> MeterIdentity:
        return MeterIdentity(self.name, "fake", "nobody", "Fake", simulated=self.simulated, indicative=self.indicative)

    async def open(self) -> None:
        self.opened += 1

    async def read(self) -> list[Reading]:
        return self.answer()

    async def close(self) -> None:
        self.closed += 1


def reading(value: float, t_ns: int = NOON_NS, channel: str = "power", **fields: object) -> Reading:
    base: dict[str, object] = {"unit": "W", "u_t_ns": 0, "kind": Kind.AVERAGED, "quality": Quality.GOOD}
    return Reading(channel, value, t_ns=t_ns, **{**base, **fields})  # type: ignore[arg-type]


async def until(condition: Callable[[], bool]) -> None:
    """Wait for another thread or task; the limit is only there to end a test that fails."""
    async with asyncio.timeout(20):
        while not condition():
            await asyncio.sleep(0.005)


@pytest.fixture
def clock() -> HandClock:
    return HandClock()
