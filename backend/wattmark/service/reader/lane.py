"""Who is answered now and who waits: a few heavy answers at a time, one client never before all others."""

from __future__ import annotations

import asyncio
import math
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any, Literal

from wattmark.service.reader.unavailable import TooManyReaders

Kind = Literal["file", "upload", "comparison", "page"]
PATIENCE_S = 20.0
LONGEST_WAIT_S = 120


@dataclass(eq=False, slots=True)
class _Asking:
    client: str
    task: asyncio.Task[Any]
    turn: asyncio.Future[None]


class Lane:
    """Places for one kind of answers: ``most`` at a time, ``each`` of them for one client. Of one event loop."""

    def __init__(
        self,
        most: int,
        each: int,
        patience_s: float = PATIENCE_S,
        monotonic_s: Callable[[], float] = time.monotonic,
    ) -> None:
        self.most = most
        self._each = each
        self._patience_s = patience_s
        self._monotonic_s = monotonic_s
        self._held: list[_Asking] = []
        self._waiting: list[_Asking] = []
        self._lasted_s = 1.0
        self.refused = 0

    @property
    def answering(self) -> int:
        """Count the places that are taken."""
        return len(self._held)

    @property
    def waiting(self) -> int:
        return len(self._waiting)

    @property
    def unasked(self) -> int:
        """Count the places that are taken although nobody asks any more, which no request gets back. Always 0."""
        return sum(asking.task.done() for asking in tuple(self._held))

    @asynccontextmanager
    async def place(self, client: str) -> AsyncIterator[None]:
        """Keep a place while the block lasts. Raises `TooManyReaders` when none came free in time."""
        loop, task = asyncio.get_running_loop(), asyncio.current_task()
        assert task is not None  # noqa: S101 - a coroutine that is awaited has one
        asking = _Asking(client, task, loop.create_future())
        self._waiting.append(asking)
        self._call_next()
        if not asking.turn.done():
            await self._wait(asking)
        began_s = self._monotonic_s()
        try:
            yield
        finally:
            self._leave(asking)
            self._lasted_s += 0.3 * (self._monotonic_s() - began_s - self._lasted_s)

    async def _wait(self, asking: _Asking) -> None:
        try:
            async with asyncio.timeout(self._patience_s):
                await asking.turn
        except BaseException as error:
            if asking in self._waiting:
                self._waiting.remove(asking)
            else:  # its turn came at that very moment
                self._leave(asking)
            if isinstance(error, TimeoutError):
                self.refused += 1
                raise TooManyReaders(self.most, self._again_s()) from None
            raise

    def _leave(self, asking: _Asking) -> None:
        self._held.remove(asking)
        self._call_next()

    def _call_next(self) -> None:
        """Hand every free place to whoever may have it and holds least, then to who came first."""
        while able := [asking for asking in self._waiting if self._may_be_next(asking)]:
            following = min(able, key=lambda asking: self._count_of(asking.client))
            following.turn.set_result(None)
            self._waiting.remove(following)
            self._held.append(following)

    def _may_be_next(self, asking: _Asking) -> bool:
        """Return whether it can take a place: who was cancelled in this turn of the loop is still in the queue."""
        free = len(self._held) < self.most and self._count_of(asking.client) < self._each
        return free and not asking.turn.done()

    def _count_of(self, client: str) -> int:
        return sum(asking.client == client for asking in self._held)

    def _again_s(self) -> int:
        """Estimate when the waiting requests are finished [s]."""
        return min(LONGEST_WAIT_S, max(1, math.ceil(self._lasted_s * (self.waiting + 1) / self.most)))


def lanes(patience_s: float = PATIENCE_S) -> dict[Kind, Lane]:
    """Create the places of a reader. It is one interpreter: more of them would need memory and save no time."""
    return {
        "file": Lane(most=2, each=1, patience_s=patience_s),
        "upload": Lane(most=2, each=1, patience_s=patience_s),
        "comparison": Lane(most=2, each=1, patience_s=patience_s),
        "page": Lane(most=4, each=3, patience_s=patience_s),
    }
