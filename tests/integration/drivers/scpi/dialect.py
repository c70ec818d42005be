"""A declaration that belongs to no maker, and a server that speaks it in the loop of the test."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from wattmark_drivers.catalogue import parse_declaration
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.scpi.address import TcpAddress
from wattmark_drivers.scpi.engine import make_meter
from wattmark_drivers.settings import MeterSettings

HEAD = """
id: some.meter
maker: Some
model: Meter
title: Some meter
sources: {}
transports: [{scheme: scpi-tcp, timeout_s: 0.5, status: unconfirmed}]
rhythm: {kind: averaged, update_period_s: 0.1, status: unconfirmed}
protocol:
  engine: scpi
  status: unconfirmed
"""


class Script:
    """A server in the loop of the test: `answer` gives what is sent back for each line, None for nothing."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.writers: list[asyncio.StreamWriter] = []

    def answer(self, line: str) -> str | None:
        raise NotImplementedError

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.writers.append(writer)
        while line := (await reader.readline()).decode().strip():
            self.heard.append(line)
            if (text := self.answer(line)) is not None:
                writer.write(text.encode() + b"\r\n")
        writer.close()


@asynccontextmanager
async def talking(script: Script, text: str, **options: Any) -> AsyncIterator[Any]:
    declaration = parse_declaration(text, "some.meter.yaml")
    server = await asyncio.start_server(script.serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    choice = options.pop("range", None)
    meter = make_meter(
        MeterSettings("m", "some.meter", "", period_s=0.1, range=choice, options=options),
        declaration,
        declaration.protocol,
        TcpAddress("127.0.0.1", port),
        timeout_s=0.5,
        clock=SystemClock(),
    )
    try:
        await meter.open()
        yield meter
    finally:
        await meter.close()
        for writer in script.writers:
            writer.close()
        server.close()
        await server.wait_closed()
