"""An analyser that resets its connection between two questions, on both event loops."""

from __future__ import annotations

import asyncio
import socket
import struct

import pytest
import uvloop
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.errors import ConnectionFailed
from wattmark_drivers.scpi.address import TcpAddress
from wattmark_drivers.scpi.byte_link import TcpLink

RESET = struct.pack("ii", 1, 0)
"""SO_LINGER of no time: closing sends a reset (socket(7))."""


@pytest.mark.parametrize("loop", [asyncio.new_event_loop, uvloop.new_event_loop])
def test_a_reset_connection_is_a_lost_one(loop):
    def reset(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, RESET)
        writer.transport.abort()

    async def scenario() -> None:
        async with await asyncio.start_server(reset, "127.0.0.1", 0) as server:
            port = server.sockets[0].getsockname()[1]
            link = TcpLink(TcpAddress("127.0.0.1", port), SystemClock(), send_end=b"\n", reply_end=b"\n")
            await link.open()
            reader, _ = link._streams
            while reader.exception() is None:
                await asyncio.sleep(0.01)
            with pytest.raises(ConnectionFailed, match="broke"):
                await link.send("*IDN?")
            await link.close()

    with asyncio.Runner(loop_factory=loop) as runner:
        runner.run(scenario())
