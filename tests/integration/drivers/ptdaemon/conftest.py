"""A power daemon on loopback that the test feeds, and lines to it without the driver."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.factory import create_meter
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.speakers.face import Doorway, Face
from wattmark_drivers.speakers.indication import Behind, Indication
from wattmark_drivers.speakers.speaker import SpeakerSpec, Surroundings, find_speaker

MODEL = "spec.ptdaemon"


class Fed:
    """A running daemon; ``feed`` shows it values, four times as often as it samples by default."""

    def __init__(self, speaker: Any, url: str) -> None:
        self.speaker = speaker
        self.url = url
        self.port = int(url.rpartition(":")[2])

    def meter(self, channel: str = "", **settings: Any) -> Any:
        settings = {"period_s": 0.2, "timeout_s": 1.0, **settings}
        return create_meter(MeterSettings("daemon", MODEL, self.url + channel, **settings))

    @property
    def daemon(self) -> Any:
        """The daemon without its port."""
        return self.speaker.daemon

    def show(self, power_w: float, behind: Behind | None = None, **more: float) -> None:
        values = {"power": power_w, "voltage": 230.0, "current": 2.5, "power_factor": 0.97, **more}
        self.speaker.show(Indication((values,), values, t_ns=time.time_ns(), behind=behind))

    @asynccontextmanager
    async def feeding(self, every_s: float = 0.1, first_w: float = 100.0) -> AsyncIterator[None]:
        """Show one watt more at each update."""

        async def run() -> None:
            power_w = first_w
            while True:
                self.show(power_w)
                power_w += 1
                await asyncio.sleep(every_s)

        task = asyncio.create_task(run())
        try:
            yield
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


class Line:
    """A client that sends bytes."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    async def ask(self, command: str, end: str = "\r\n") -> str:
        self.writer.write((command + end).encode())
        await self.writer.drain()
        return await self.line()

    async def line(self) -> str:
        async with asyncio.timeout(5):
            data = await self.reader.readline()
        assert data.endswith(b"\r\n"), data
        return data[:-2].decode()


@pytest.fixture
def fed(tmp_path: Path) -> Any:
    @asynccontextmanager
    async def start(
        *, update_s: float = 0.1, port: int = 0, most_clients: int = 64, face: Face | None = None
    ) -> AsyncIterator[Fed]:
        declaration = load_catalogue()[MODEL]
        rhythm = declaration.rhythm.model_copy(update={"update_period_s": update_s})
        spec = SpeakerSpec(
            "device",
            declaration.model_copy(update={"rhythm": rhythm}),
            7,
            Surroundings(tmp_path, time.time),
            port=port,
            door=Doorway(most_clients=most_clients),
            face=face,
        )
        speaker = find_speaker("ptdaemon")(spec)
        entry = await speaker.start()
        try:
            yield Fed(speaker, entry["url"])
        finally:
            await speaker.stop()

    return start


@pytest.fixture
def licensed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every daemon one that does not tell whose measurement it has, as SPEC's."""
    monkeypatch.setattr("wattmark_drivers.speakers.ptdaemon.conversation.standing_reply", lambda _: "Unknown command")


@pytest.fixture
def connect() -> Any:
    @asynccontextmanager
    async def to(port: int) -> AsyncIterator[Line]:
        reader, writer = await asyncio.open_connection("127.0.0.1", port)
        try:
            yield Line(reader, writer)
        finally:
            writer.close()

    return to
