"""Limit of simultaneously open streams."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from typing import Annotated, cast

from fastapi import Depends, Request

from wattmark.core.errors import WattmarkError

MOST = 100


class StreamSlots:
    """A number of places."""

    def __init__(self, most: int = MOST) -> None:
        self.most = most
        self.taken = 0

    @contextmanager
    def take(self) -> Iterator[None]:
        """Keep a place while the block lasts. Raises `WattmarkError` when all are taken."""
        if self.taken >= self.most:
            raise WattmarkError(
                f"{self.most} live views are open, which is the limit.", "Close one of them, then try again."
            )
        self.taken += 1
        try:
            yield
        finally:
            self.taken -= 1


async def _slot(request: Request) -> AsyncIterator[None]:
    with cast("StreamSlots", request.app.state.stream_slots).take():
        yield


StreamSlot = Annotated[None, Depends(_slot)]
