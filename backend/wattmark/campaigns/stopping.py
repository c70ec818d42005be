"""Stop a campaign: what is under way is cancelled, cleans up after itself, and nothing begins any more."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class Stopped(Exception):  # noqa: N818 - no error: the operator asked for it
    """The campaign was asked to stop."""


class StopSwitch:
    """The stop button of a campaign; ``on_stopping`` hears that something is being ended."""

    def __init__(self, on_stopping: Callable[[], None]) -> None:
        self._pressed = asyncio.Event()
        self._on_stopping = on_stopping

    def press(self) -> None:
        self._pressed.set()

    @property
    def pressed(self) -> bool:
        """Return whether the end was asked for."""
        return self._pressed.is_set()

    def check(self) -> None:
        """Raise `Stopped` when the end was asked for."""
        if self._pressed.is_set():
            raise Stopped

    async def until_stopped(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for work; when the campaign is stopped, cancel it, wait until it has cleaned up, and raise `Stopped`."""
        task, stop = asyncio.create_task(work), asyncio.create_task(self._pressed.wait())
        try:
            await asyncio.wait({task, stop}, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            self._on_stopping()
            raise Stopped
        finally:
            stop.cancel()
            if not task.done():
                task.cancel()
                await asyncio.wait({task})
