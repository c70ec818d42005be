"""A few are answered at a time; the others wait for their turn, in which no client keeps out another."""

from __future__ import annotations

import asyncio
from contextlib import AsyncExitStack

import pytest
from wattmark.service.reader.lane import Lane
from wattmark.service.reader.unavailable import TooManyReaders

pytestmark = pytest.mark.anyio


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


class Visitors:
    """Requests that hold their place until they are told to leave; ``inside`` in the order in which they came in."""

    def __init__(self, lane: Lane) -> None:
        self._lane = lane
        self.inside: list[str] = []
        self.leave: dict[str, asyncio.Event] = {}
        self.tasks: dict[str, asyncio.Task[None]] = {}

    async def come(self, name: str) -> None:
        self.leave[name] = asyncio.Event()
        self.tasks[name] = asyncio.create_task(self._visit(name))
        await settle()

    async def go(self, name: str) -> None:
        self.leave[name].set()
        await settle()

    async def _visit(self, name: str) -> None:
        async with self._lane.place(name[0]):
            self.inside.append(name)
            await self.leave[name].wait()


async def test_who_holds_least_comes_next_and_then_who_came_first() -> None:
    lane = Lane(most=3, each=2)
    visitors = Visitors(lane)
    for name in ("a1", "a2", "a3", "b1", "b2", "c1"):
        await visitors.come(name)
    assert visitors.inside == ["a1", "a2", "b1"], "the third of a waits, whoever else is there"
    assert (lane.answering, lane.waiting) == (3, 3)
    await visitors.go("a1")
    assert visitors.inside[3:] == ["c1"], "it holds nothing yet, and a one place"
    await visitors.go("a2")
    assert visitors.inside[4:] == ["a3"]
    for name in ("a3", "b1", "b2", "c1"):
        await visitors.go(name)
    assert (lane.answering, lane.waiting, lane.refused) == (0, 0, 0)


async def test_one_client_leaves_a_place_to_others() -> None:
    lane = Lane(most=2, each=1, patience_s=0.05)
    async with lane.place("a"):
        with pytest.raises(TooManyReaders):
            async with lane.place("a"):
                pass
        async with lane.place("b"):
            assert lane.answering == 2
    assert lane.refused == 1


async def test_who_waits_too_long_is_refused_with_a_time() -> None:
    now_s = 0.0
    lane = Lane(most=1, each=1, patience_s=0.02, monotonic_s=lambda: now_s)
    async with lane.place("a"):
        now_s = 100.0
    async with lane.place("a"):
        with pytest.raises(TooManyReaders) as refused:
            async with lane.place("b"):
                pass
    assert refused.value.wait_s == 31, "as long as answers have lasted of late"
    assert "Try again in 31 s." in str(refused.value)


@pytest.mark.parametrize("moment", ["while it waits", "as its turn comes"])
async def test_who_goes_away_leaves_no_place_taken(moment: str) -> None:
    lane = Lane(most=1, each=1)
    visitors = Visitors(lane)
    async with AsyncExitStack() as stack:
        await stack.enter_async_context(lane.place("x"))
        await visitors.come("a")
        await visitors.come("b")
        if moment == "while it waits":
            visitors.tasks["a"].cancel()
            await settle()
            assert lane.waiting == 1
    if moment == "as its turn comes":
        visitors.tasks["a"].cancel()
    await settle()
    assert visitors.inside[-1] == "b"
    await visitors.go("b")
    assert (lane.answering, lane.waiting) == (0, 0)
