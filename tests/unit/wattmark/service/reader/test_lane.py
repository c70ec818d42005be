"""A few are answered at a time; the others wait for their turn, in which no client keeps out another."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Sequence
from contextlib import AsyncExitStack

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from wattmark.service.reader.lane import Lane
from wattmark.service.reader.unavailable import TooManyReaders

from tests.examples import examples


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


async def test_holder_and_waiter_that_go_away_in_one_turn_leave_no_place_taken() -> None:
    """As a browser that leaves a page drops all its requests at once."""
    lane = Lane(most=2, each=1)
    visitors = Visitors(lane)
    await visitors.come("a1")
    await visitors.come("a2")
    visitors.tasks["a1"].cancel()
    visitors.tasks["a2"].cancel()
    ends = await asyncio.gather(*visitors.tasks.values(), return_exceptions=True)
    assert [type(end) for end in ends] == [asyncio.CancelledError] * 2
    assert (lane.answering, lane.waiting) == (0, 0)
    await visitors.come("a3")
    assert visitors.inside == ["a1", "a3"]
    await visitors.go("a3")


async def test_who_was_cancelled_is_passed_over_for_who_still_waits() -> None:
    lane = Lane(most=1, each=1)
    visitors = Visitors(lane)
    for name in ("a", "b", "c"):
        await visitors.come(name)
    visitors.tasks["a"].cancel()
    visitors.tasks["b"].cancel()
    await settle()
    assert visitors.inside == ["a", "c"]
    await visitors.go("c")
    assert (lane.answering, lane.waiting) == (0, 0)


async def test_a_place_that_is_taken_by_nobody_is_counted() -> None:
    """It takes a defect to have one: here the place of a task that is over is put back."""
    lane = Lane(most=2, each=1)
    visitors = Visitors(lane)
    await visitors.come("a")
    assert lane.unasked == 0
    (asking,) = lane._held
    await visitors.go("a")
    assert (lane.answering, lane.unasked) == (0, 0)
    lane._held.append(asking)
    assert (lane.answering, lane.unasked) == (1, 1)


MOST, EACH, PATIENCE_S = 3, 2, 20.0
STEP = st.one_of(
    st.tuples(st.just("come"), st.sampled_from("abc")),
    st.tuples(st.sampled_from(("go", "cancel")), st.integers(0, 15)),
    st.tuples(st.just("wait"), st.sampled_from((5.0, PATIENCE_S))),
    st.tuples(st.just("turn"), st.integers(1, 3)),
)
"""Steps without a turn between them happen in one turn of the event loop."""


@given(steps=st.lists(STEP, max_size=60))
@example(steps=[("come", "a")] * 3 + [("turn", 3), ("cancel", 0), ("cancel", 2)])
@example(steps=[("come", "a")] * 3 + [("turn", 3), ("go", 0), ("turn", 1), ("wait", PATIENCE_S)])
@settings(max_examples=examples(60), deadline=None, derandomize=True)
def test_no_place_is_lost_or_held_twice_in_whatever_order_clients_come_and_go(
    steps: Sequence[tuple[str, str | float]],
) -> None:
    asyncio.run(Crowd().run(steps))


class Crowd:
    """Clients of one lane on an event loop whose time the test sets; who is inside is counted apart from the lane."""

    def __init__(self) -> None:
        self._lane = Lane(most=MOST, each=EACH, patience_s=PATIENCE_S)
        self._inside: Counter[str] = Counter()
        self._leave: list[asyncio.Event] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._now_s = 0.0

    async def run(self, steps: Sequence[tuple[str, str | float]]) -> None:
        asyncio.get_running_loop().time = lambda: self._now_s  # type: ignore[method-assign]
        for action, value in steps:
            await self._do(action, value)
        for leave in self._leave:
            leave.set()
        while not all(task.done() for task in self._tasks):
            await asyncio.sleep(0)
            self._check()
        ends = [None if task.cancelled() else task.exception() for task in self._tasks]
        assert [end for end in ends if end is not None and not isinstance(end, TooManyReaders)] == []
        assert self._lane.refused == sum(isinstance(end, TooManyReaders) for end in ends)
        assert (self._lane.answering, self._lane.waiting, self._inside.total()) == (0, 0, 0)
        async with AsyncExitStack() as stack:
            for client in "abc":
                await stack.enter_async_context(self._lane.place(client))

    async def _do(self, action: str, value: str | float) -> None:
        if action == "come":
            self._leave.append(asyncio.Event())
            self._tasks.append(asyncio.create_task(self._visit(str(value), self._leave[-1])))
        elif action == "wait":
            self._now_s += float(value)
        elif action == "turn":
            for _ in range(int(value)):
                await asyncio.sleep(0)
                self._check()
        elif self._tasks and action == "go":
            self._leave[int(value) % len(self._leave)].set()
        elif self._tasks:
            self._tasks[int(value) % len(self._tasks)].cancel()

    async def _visit(self, client: str, leave: asyncio.Event) -> None:
        async with self._lane.place(client):
            self._inside[client] += 1
            try:
                await leave.wait()
            finally:
                self._inside[client] -= 1

    def _check(self) -> None:
        assert self._inside.total() <= self._lane.answering <= MOST
        assert self._lane.unasked == 0
        assert max(self._inside.values(), default=0) <= EACH
