"""A plug of two lines that answers as a test says."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any


def hidden(text: bytes) -> bytes:
    """Hide a message as the protocol says: each byte XOR the byte before it as sent, the first one XOR 171."""
    sent = [171]
    for byte in text:
        sent.append(byte ^ sent[-1])
    return bytes(sent[1:])


def shown(body: bytes) -> bytes:
    return bytes(byte ^ before for byte, before in zip(body, [171, *body], strict=False))


@asynccontextmanager
async def plug_with(answers: dict[str, Any], frame: bytes | None = None) -> AsyncIterator[tuple[int, list[Any]]]:
    """Serve documents by module on the old protocol, or always the same bytes; yields port and requests."""
    asked: list[Any] = []

    async def converse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while True:
                length = int.from_bytes(await reader.readexactly(4), "big")
                request = json.loads(shown(await reader.readexactly(length)))
                asked.append(request)
                body = hidden(json.dumps({module: answers.get(module) for module in request}).encode())
                writer.write(len(body).to_bytes(4, "big") + body if frame is None else frame)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(converse, "127.0.0.1", 0)
    try:
        yield server.sockets[0].getsockname()[1], asked
    finally:
        server.close()
