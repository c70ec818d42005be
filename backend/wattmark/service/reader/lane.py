"""Who is answered now and who waits: a few heavy answers at a time, one client never before all others."""

from __future__ import annotations

import asyncio
import math
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Literal

from wattmark.service.reader.unavailable import TooManyReaders

Kind = Literal["file", "comparison", "page"]
PATIENCE_S = 20.0
LONGEST_WAIT_S = 120


@dataclass(eq=False, slots=True)
class _Waiting:
    client: str
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
        self._held: Counter[str] = Counter()
        self._waiting: list[_Waiting] = []
        self._lasted_s = 1.0
        self.refused = 0

    @property
    def answering(self) -> int:
        """Count the places that are taken."""
        return self._held.total()

    @property
    def waiting(self) -> int:
        """Count those that still wait: who has gone away keeps no place in the queue."""
        return sum(not waiter.turn.done() for waiter in self._waiting)

    @asynccontextmanager
    async def place(self, client: str) -> AsyncIterator[None]:
        """Keep a place while the block lasts. Raises `TooManyReaders` when none came free in time."""
        if self._may_have(client):
            self._held[client] += 1
        else:
            await self._wait(client)
        began_s = self._monotonic_s()
        try:
            yield
        finally:
            self._lasted_s += 0.3 * (self._monotonic_s() - began_s - self._lasted_s)
            self._leave(client)

    def _may_have(self, client: str) -> bool:
        return self.answering < self.most and self._held[client] < self._each

    async def _wait(self, client: str) -> None:
        waiting = _Waiting(client, asyncio.get_running_loop().create_future())
        self._waiting.append(waiting)
        try:
            async with asyncio.timeout(self._patience_s):
                await waiting.turn
        except BaseException as error:
            if waiting in self._waiting:
                self._waiting.remove(waiting)
            else:  # its turn had come in the same moment
                self._leave(client)
            if isinstance(error, TimeoutError):
                self.refused += 1
                raise TooManyReaders(self.most, self._again_s()) from None
            raise

    def _leave(self, client: str) -> None:
        self._held[client] -= 1
        if not self._held[client]:
            del self._held[client]
        while able := [waiter for waiter in self._waiting if self._may_be_next(waiter)]:
            following = min(able, key=lambda waiter: self._held[waiter.client])
            following.turn.set_result(None)
            self._waiting.remove(following)
            self._held[following.client] += 1

    def _may_be_next(self, waiter: _Waiting) -> bool:
        """Whoever was cancelled in this turn of the event loop still stands in the queue, and takes no place."""
        return not waiter.turn.done() and self._may_have(waiter.client)

    def _again_s(self) -> int:
        """Estimate when the waiting requests are finished [s]."""
        return min(LONGEST_WAIT_S, max(1, math.ceil(self._lasted_s * (self.waiting + 1) / self.most)))


def lanes(patience_s: float = PATIENCE_S) -> dict[Kind, Lane]:
    """Create the places of a reader. It is one interpreter: more of them would need memory and save no time."""
    return {
        "file": Lane(most=2, each=1, patience_s=patience_s),
        "comparison": Lane(most=2, each=1, patience_s=patience_s),
        "page": Lane(most=4, each=3, patience_s=patience_s),
    }
