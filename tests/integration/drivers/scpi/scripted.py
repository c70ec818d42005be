"""An instrument of a test, in the loop of the test, and the driver of one model connected to it."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.scpi.address import TcpAddress
from wattmark_drivers.scpi.engine import make_meter
from wattmark_drivers.settings import MeterSettings


class Instrument:
    """Keeps what is written to each header, gives it back, and knows some whole lines; None for no answer."""

    end = b"\r\n"

    def __init__(self, answers: dict[str, str | None], stored: dict[str, str] | None = None) -> None:
        self.answers, self.stored = answers, stored or {}
        self.heard: list[tuple[float, str]] = []
        self.left = asyncio.Event()

    @property
    def lines(self) -> list[str]:
        return [line for _, line in self.heard]

    def answer(self, line: str) -> str | None:
        if line in self.answers:
            return self.answers[line]
        header, _, value = line.partition(" ")
        if header.endswith("?"):
            return self.stored.get(header[:-1])
        self.stored[header] = value
        return None

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while line := (await reader.readline()).decode().strip():
            self.heard.append((asyncio.get_running_loop().time(), line))
            text = self.answer(line)
            if text is not None:
                writer.write(text.encode() + self.end)
        writer.close()
        self.left.set()


@asynccontextmanager
async def opened(instrument: Instrument, model: str, gap_s: float = 0.0, **options: Any) -> AsyncIterator[Any]:
    declaration = load_catalogue()[model]
    server = await asyncio.start_server(instrument.serve, "127.0.0.1", 0)
    meter = make_meter(
        MeterSettings("m", model, "", range=options.pop("range", None), options=options),
        declaration,
        declaration.protocol.model_copy(update={"command_gap_s": gap_s, "quiet_gap_s": 0.05}),
        TcpAddress("127.0.0.1", server.sockets[0].getsockname()[1]),
        timeout_s=0.4,
        clock=SystemClock(),
    )
    try:
        await meter.open()
        yield meter
    finally:
        await meter.close()
        await instrument.left.wait()
        server.close()
        await server.wait_closed()


async def read(meter: Any) -> dict[str, Any]:
    return {reading.channel: reading for reading in await meter.read()}
