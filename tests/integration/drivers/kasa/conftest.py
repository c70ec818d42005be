"""Our simulated TP-Link plugs, and a plug of two lines that answers as a test says."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from wattmark_drivers.factory import create_meter
from wattmark_drivers.meter import Meter
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.simulators.devices import build_device
from wattmark_drivers.simulators.server import SimulatedServer
from wattmark_drivers.simulators.spec import DeviceSpec, ServerSpec
from wattmark_drivers.speakers.speaker import Surroundings


@dataclass
class Running:
    """A simulated plug that runs."""

    speaker: Any
    entry: dict[str, str]

    @property
    def password(self) -> str:
        """Read the password; empty where there is none."""
        return Path(self.entry["password_file"]).read_text("utf-8") if "password_file" in self.entry else ""

    def meter(self, model: str, timeout_s: float = 5.0, password: str | None = None, outlet: int = 1) -> Meter:
        """Make a meter for it."""
        secret = self.password if password is None else password
        url = re.sub(r"/1$", f"/{outlet}", self.entry["url"])
        username = self.entry.get("username")
        return create_meter(
            MeterSettings("plug", model, url, username=username, password=lambda: secret, timeout_s=timeout_s)
        )


@pytest.fixture
def simulated(tmp_path: Path) -> Any:
    """Make a context manager: `async with simulated(model) as running`."""

    @asynccontextmanager
    async def start(model: str) -> AsyncIterator[Running]:
        servers = {"sut": SimulatedServer(ServerSpec(idle_w=180, dynamic_w=160, dimms=4))}
        spec = DeviceSpec(model=model, measures=["sut"])
        device = build_device("plug", spec, 7, servers, Surroundings(tmp_path, time.time))
        entry = await device.speaker.start()
        try:
            yield Running(device.speaker, entry)
        finally:
            await device.speaker.stop()

    return start


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
