"""Speakers with a face: what a live meter shows, spoken to programs that know nothing of wattmark."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.factory import create_meter
from wattmark_drivers.meter import Meter
from wattmark_drivers.reading import Reading
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.speakers.face import Credentials, Doorway, Face
from wattmark_drivers.speakers.indication import Indication
from wattmark_drivers.speakers.mqtt.broker import MqttBroker
from wattmark_drivers.speakers.speaker import Speaker, SpeakerSpec, Surroundings, find_speaker

from tests.open_meter import open_meter

FACE = Face("wattmark", "gateway to Yokogawa WT310E", "91N123456", "0.1.0", simulated=False)
SECRET = "correct-horse-9"
LOGIN = Credentials("lab", lambda: SECRET)
TOTAL = {
    "power": 236.81, "voltage": 230.12, "current": 1.0731, "frequency": 49.98, "apparent_power": 246.94,
    "reactive_power": 70.02, "power_factor": 0.95898,
}  # fmt: skip
MODELS = {
    "modbus": "eastron.sdm630",
    "redfish": "redfish.bmc",
    "snmp": "raritan.pxoutlet",
    "mqtt": "tasmota.mqtt",
    "scpi": "wattmark.gateway",
    "ipmi": "ipmi.bmc",
}


def shows(power_w: float = TOTAL["power"]) -> Indication:
    """Make what a meter shows now."""
    return Indication((), {**TOTAL, "power": power_w}, 123_456.0, None, time.time_ns())


@dataclass
class Speaking:
    """A speaker that runs."""

    model: str
    speaker: Speaker
    entry: dict[str, str]
    login: Credentials

    @property
    def port(self) -> int:
        return urlsplit(self.entry["url"]).port or 0

    def meter(self, query: str = "", *, timeout_s: float = 3.0) -> Meter:
        """Make a meter of ours for it."""
        settings = MeterSettings(
            *("wall", self.model, self.entry["url"] + query),
            username=self.entry.get("username"),
            password=self.login.password,
            timeout_s=timeout_s,
        )
        return create_meter(settings)

    async def read(self, query: str = "") -> tuple[Meter, dict[str, Reading]]:
        """Read it once with our own driver, while the meter goes on."""
        async with open_meter(self.meter(query)) as meter:
            return meter, {item.channel: item for item in await meter.read()}


@pytest.fixture
async def broker(tmp_path: Path) -> AsyncIterator[MqttBroker]:
    """Run a broker that is somebody else's: its user is not ours to choose."""
    running = MqttBroker(tmp_path / "broker")
    await running.start()
    try:
        yield running
    finally:
        await running.stop()


@pytest.fixture
def speaking(tmp_path: Path) -> Any:
    """Make a context manager: `async with speaking(engine) as running`; the meter shows power from the start."""

    @asynccontextmanager
    async def start(
        engine: str,
        *,
        model: str | None = None,
        face: Face = FACE,
        door: Doorway | None = None,
        shown: Indication | None = None,
        **more: Any,
    ) -> AsyncIterator[Speaking]:
        declaration = load_catalogue()[model or MODELS[engine]]
        own = replace(door or Doorway(), credentials=(door.credentials if door else None) or LOGIN)
        around, more = Surroundings(tmp_path, time.time), {"largest_w": 250.0, **more}
        spec = SpeakerSpec("wall", declaration, 1, around, face=face, door=own, **more)
        speaker = find_speaker(engine)(spec)
        speaker.show(shown or shows())
        entry = await speaker.start()
        try:
            yield Speaking(declaration.id, speaker, entry, own.credentials or LOGIN)
        finally:
            await speaker.stop()

    return start


@asynccontextmanager
async def live(speaker: Speaker, every_s: float = 0.2) -> AsyncIterator[None]:
    """Show a new reading again and again, as a meter does."""

    async def go_on() -> None:
        while True:
            speaker.show(shows())
            await asyncio.sleep(every_s)

    showing = asyncio.create_task(go_on())
    try:
        yield
    finally:
        showing.cancel()


async def run(*argv: str, status: int | None = 0, **environment: str) -> str:
    """Run a program that was not written for us; return what it says, with its complaints unless it succeeds."""
    process = await asyncio.create_subprocess_exec(
        *argv,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
        env={**os.environ, "MIBS": "", **environment},
    )
    try:
        async with asyncio.timeout(60):
            output, complaints = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        raise
    text = (output + (complaints if process.returncode else b"")).decode("utf-8", "replace")
    assert status is None or process.returncode == status, text
    return text
