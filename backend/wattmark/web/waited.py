"""Long work in a thread for one request: it ends early where the client has left or the service stops."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

from fastapi import Request
from starlette.concurrency import run_in_threadpool

from wattmark.core.wanted import wanted_until

T = TypeVar("T")
END_S = 1.0
"""How long a cancelled request waits for the end of its work, which must not outlive what it works on."""


async def run_while_wanted(request: Request, work: Callable[[], T]) -> T:
    """Run work in a thread as long as the client waits. The body must have been read.

    Where the client leaves or this task is cancelled, `core.wanted.require_wanted` raises in the thread.
    """
    abandoned = threading.Event()

    def run() -> T:
        with wanted_until(abandoned):
            return work()

    async def watch() -> None:
        while (await request.receive())["type"] != "http.disconnect":
            pass
        abandoned.set()

    watching = asyncio.create_task(watch(), name="client of a long request")
    working = asyncio.create_task(run_in_threadpool(run), name="work of a long request")
    try:
        return await asyncio.shield(working)
    finally:
        abandoned.set()
        watching.cancel()
        await asyncio.wait([working], timeout=END_S)
