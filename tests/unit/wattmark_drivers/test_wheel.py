"""Everybody who waits shares one timer of the event loop."""

from __future__ import annotations

import asyncio
from time import monotonic_ns

import pytest
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.wheel import wheel

MS = 1_000_000


async def test_sleepers_wake_in_order_and_not_too_early():
    begin_ns, woken = monotonic_ns(), []

    async def sleep(ms: int) -> None:
        await wheel().sleep_until(begin_ns + ms * MS)
        assert monotonic_ns() >= begin_ns + ms * MS
        woken.append(ms)

    await asyncio.gather(*(sleep(ms) for ms in (30, 5, 20, 5, 1, 0)))
    assert woken == [0, 1, 5, 5, 20, 30]


async def test_a_sleeper_that_is_cancelled_disturbs_nobody():
    clock = SystemClock()
    first, second = (asyncio.create_task(clock.sleep(seconds)) for seconds in (0.01, 0.03))
    await asyncio.sleep(0)
    first.cancel()
    await second
    assert first.cancelled()


async def test_an_earlier_sleeper_is_not_kept_waiting_by_a_later_one():
    later = asyncio.create_task(SystemClock().sleep(3600))
    await asyncio.sleep(0)
    await asyncio.wait_for(SystemClock().sleep(0.01), 10)
    later.cancel()


async def test_no_time_is_a_turn_of_the_loop():
    turned = []
    asyncio.get_running_loop().call_soon(turned.append, True)
    await SystemClock().sleep(0)
    await SystemClock().sleep(-1)
    assert turned == [True]


async def test_what_is_overdue_fails_and_what_is_done_does_not():
    loop = asyncio.get_running_loop()
    late, done, cancelled = (loop.create_future() for _ in range(3))
    for waiting in (late, done, cancelled):
        wheel().fail_at(monotonic_ns() + 5 * MS, waiting)
    done.set_result(b"answer")
    cancelled.cancel()
    with pytest.raises(TimeoutError):
        await asyncio.wait_for(late, 10)
    await asyncio.sleep(0.01)
    assert await done == b"answer"


async def test_each_event_loop_has_its_own():
    ours = wheel()
    assert wheel() is ours

    def other():
        async def find():
            return wheel()

        return asyncio.run(find())

    assert await asyncio.to_thread(other) is not ours
