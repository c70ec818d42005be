"""Ending tasks of libraries that lose a cancellation (python/cpython issue 81839)."""

from __future__ import annotations

import asyncio

from wattmark_drivers import cancellation
from wattmark_drivers.cancellation import end_tasks


async def test_a_task_that_swallows_a_cancellation_ends_at_the_next(monkeypatch):
    monkeypatch.setattr(cancellation, "PATIENCE_S", 0.01)
    swallowed = 0

    async def deaf() -> None:
        nonlocal swallowed
        while True:
            try:
                await asyncio.sleep(3600)
            except asyncio.CancelledError:
                if swallowed == 2:
                    raise
                swallowed += 1

    task = asyncio.create_task(deaf())
    await asyncio.sleep(0)
    await end_tasks(task)
    assert task.cancelled()
    assert swallowed == 2


async def test_what_has_ended_is_not_waited_for():
    async def done() -> None:
        return None

    task = asyncio.create_task(done())
    await task
    await end_tasks(task)
    await end_tasks()
