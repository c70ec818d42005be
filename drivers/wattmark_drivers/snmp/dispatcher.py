"""The library's dispatcher of datagrams, which lets no datagram raise inside the event loop."""

from __future__ import annotations

from typing import Any

from pysnmp.carrier.asyncio.dispatch import AsyncioDispatcher

from wattmark_drivers.traffic import tell


class TolerantDispatcher(AsyncioDispatcher):  # type: ignore[misc]
    """Drop what cannot be decoded, and what comes after the end: the library's decoder raises errors of many kinds.

    A request whose answer was dropped ends with its time, like one that nobody answered.
    """

    def _callback_function(self, incomingTransport: Any, transportAddress: Any, incomingMessage: bytes) -> None:  # noqa: N803 - the library's names
        try:
            super()._callback_function(incomingTransport, transportAddress, incomingMessage)
        except Exception as error:  # the sender decides which
            tell("received", f"{len(incomingMessage)} bytes that cannot be decoded ({type(error).__name__})")
