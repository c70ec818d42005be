"""The way to an analyser: messages out and in, whatever carries them."""

from __future__ import annotations

from typing import Protocol

from wattmark_drivers.errors import ConnectionFailed


class NoAnswer(ConnectionFailed):
    """The device did not answer in time."""


class Link(Protocol):
    """A way to one device. Failures are `ConnectionFailed`; only `receive` raises `NoAnswer`."""

    async def open(self) -> None:
        """Connect."""
        ...

    async def send(self, message: str) -> None:
        """Send one message; the link adds the line end."""
        ...

    async def receive(self, patience_s: float, *, block: bool = False) -> bytes:
        """Wait for a whole message, without its line end. Raises `NoAnswer` after ``patience_s`` [s]."""
        ...

    async def clear(self, quiet_gap_s: float) -> None:
        """Discard data in transit: device clear where there is one, else all bytes until the line is quiet."""
        ...

    async def close(self) -> None:
        """Close the link; never raises."""
        ...
