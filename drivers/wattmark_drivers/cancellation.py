"""Cancellations that a library has swallowed."""

from __future__ import annotations

import asyncio
from typing import Any

PATIENCE_S = 2.0
"""How long a cancelled task may clean up before it is cancelled again."""


async def end_tasks(*tasks: asyncio.Task[Any]) -> None:
    """Cancel tasks and wait until they have ended, again where a library swallows the cancellation."""
    running = {task for task in tasks if not task.done()}
    while running:
        for task in running:
            task.cancel()
        _, running = await asyncio.wait(running, timeout=PATIENCE_S)


def lost_cancellation() -> bool:
    """Return whether the current task was cancelled and runs on.

    Before Python 3.12 `asyncio.wait_for`, which libraries use, loses a cancellation that comes just as its future is
    done (python/cpython issue 81839, bpo-37658). A loop without an end asks here, so that it ends all the same.
    """
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
