"""What the runs of a group agree on: steps in common, one start in several clocks, one end."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from wattmark.analysis.clocks.clocks import Exchange
from wattmark.campaigns.group import BarrierGroup
from wattmark.campaigns.watch.clock_log import ClockLog
from wattmark.core.errors import Disturbed
from wattmark.runs.disclosure import StartGroup

from tests.set_clock import SetClock

NOW_NS = 1_000_000_000_000_000_000
AHEAD_NS = 7_000_000_000
DELAY_NS = 1_000_000


class Ahead:
    """A server's clock that is 7 s ahead, a millisecond away."""

    async def ask(self, count: int) -> Sequence[Exchange]:
        there_ns = NOW_NS + DELAY_NS // 2 + AHEAD_NS
        return [Exchange(NOW_NS, there_ns, there_ns, NOW_NS + DELAY_NS)] * count

    async def close(self) -> None: ...

    def loads(self) -> list[dict[str, int | None]]:
        return []


def pair() -> BarrierGroup:
    return BarrierGroup(["a", "b"], SetClock(NOW_NS))


async def test_nobody_goes_on_before_all_are_there() -> None:
    a, b = pair().members().values()
    first = asyncio.create_task(a.meet())
    await asyncio.sleep(0.02)
    assert not first.done()
    await b.meet()
    await first
    await asyncio.gather(a.meet(), b.meet())


async def test_a_group_is_steady_when_every_server_is() -> None:
    a, b = pair().members().values()
    assert not a.all_steady(True)
    assert not b.all_steady(None)
    assert b.all_steady(True)
    assert not a.all_steady(False), "it was, and is no more"
    assert not b.all_steady(True)


async def test_one_instant_is_written_in_each_clock_and_the_real_starts_are_put_on_one() -> None:
    group = pair()
    a, b = group.members().values()
    here, there = ClockLog(None, SetClock(NOW_NS), 1), ClockLog(Ahead(), SetClock(NOW_NS), 1)
    ours, theirs = await asyncio.gather(a.start(here), b.start(there))
    assert ours is not None
    assert theirs is not None
    assert ours.mark == theirs.mark
    assert ours.there_ns == ours.mark.utc_ns > NOW_NS
    assert theirs.there_ns - ours.there_ns == AHEAD_NS
    a.began(ours.there_ns + 1_000_000)
    b.began(theirs.there_ns + 5_000_000)
    begun = StartGroup(barrier="x", target_s=0.01)
    facts, same = await asyncio.gather(a.compare(here, begun), b.compare(there, begun))
    assert facts == same
    assert facts.spread_s == pytest.approx(0.004, abs=1e-6)
    assert facts.start_ns == ours.mark.utc_ns
    # The offset lies within half the delay, a rectangle: 0.5 ms / sqrt(3); the other clock is our own.
    assert facts.u_s >= 0.0005 / 3**0.5


async def test_who_leaves_ends_all_and_the_first_reason_counts() -> None:
    a, b = pair().members().values()
    waiting = [asyncio.create_task(a.meet()), asyncio.create_task(a.until_broken())]
    await asyncio.sleep(0.02)
    await b.leave("a fuse blew.")
    await a.leave("what follows from it.")
    for task in waiting:
        with pytest.raises(Disturbed, match="The run of b, which started together with this one, ended early: a fuse"):
            await task
    with pytest.raises(Disturbed, match="a fuse"):
        await b.meet()


async def test_a_group_of_one_waits_for_nobody_and_begins_at_once() -> None:
    (alone,) = BarrierGroup(["a"], SetClock(NOW_NS)).members().values()
    clocks = ClockLog(None, SetClock(NOW_NS), 1)
    await alone.meet()
    assert (await alone.start(clocks), alone.spare_s) == (None, 0.0)
    assert [alone.all_steady(state) for state in (True, False, None)] == [True, False, False]
