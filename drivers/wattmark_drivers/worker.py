"""A thread for calls that may block: files of the kernel and libraries of vendors answer when they like."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from wattmark_drivers.errors import ConnectionFailed

_T = TypeVar("_T")


class Worker:
    """Runs calls one after another in a dedicated thread; not reusable after `close`."""

    def __init__(self, name: str) -> None:
        self._thread = ThreadPoolExecutor(max_workers=1, thread_name_prefix=name)

    async def run(self, call: Callable[[], _T], timeout_s: float, what: str) -> _T:
        """Run a call; ``what`` names it in errors. Raises `ConnectionFailed` after ``timeout_s`` [s]."""
        future = asyncio.get_running_loop().run_in_executor(self._thread, call)
        try:
            async with asyncio.timeout(timeout_s):
                return await future
        except TimeoutError:
            raise ConnectionFailed(
                f"{what} did not answer for {timeout_s:g} s.", "wattmark retries automatically."
            ) from None

    def close(self) -> None:
        """Stop the thread after the call in progress; never waits."""
        self._thread.shutdown(wait=False, cancel_futures=True)
