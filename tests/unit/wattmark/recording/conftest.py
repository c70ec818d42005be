"""A meter that says what the test wants, beside a clock that the test moves."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import pytest
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.reading import Channel, Kind, Quality, Reading

from tests.hand_clock import NOON_NS, HandClock


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
