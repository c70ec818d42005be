"""Simulated devices of every protocol, each alone and inside the test."""

from __future__ import annotations

import asyncio
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
    """A simulated device that runs."""

    model: str
    device: Any
    speaker: Any
    entry: dict[str, str]

    @property
    def password(self) -> str:
        """Read the password; empty where there is none."""
        return Path(self.entry["password_file"]).read_text("utf-8") if "password_file" in self.entry else ""

    def meter(
        self, query: str = "", *, timeout_s: float = 5.0, password: str | None = None, output: int | None = None
    ) -> Meter:
        """Make a meter for it, or for another output than its first."""
        secret = self.password if password is None else password
        url = self.entry["url"] if output is None else re.sub(r"/1$", f"/{output}", self.entry["url"])
        username = self.entry.get("username")
        return create_meter(
            MeterSettings(
                "meter", self.model, url + query, username=username, password=lambda: secret, timeout_s=timeout_s
            )
        )


async def curl(*arguments: str) -> str:
    process = await asyncio.create_subprocess_exec(
        "curl", "--silent", "--show-error", "--noproxy", "*", *arguments, stdout=asyncio.subprocess.PIPE
    )
    output, _ = await process.communicate()
    assert process.returncode == 0
    return output.decode()


@pytest.fixture
def simulated(tmp_path: Path) -> Any:
    """Make a context manager: `async with simulated(model) as running`."""

    @asynccontextmanager
    async def start(model: str) -> AsyncIterator[Running]:
        servers = {"sut": SimulatedServer(ServerSpec(idle_w=180, dynamic_w=160, dimms=4))}
        spec = DeviceSpec(model=model, measures=["sut"])
        device = build_device("device", spec, 7, servers, Surroundings(tmp_path, time.time))
        entry = await device.speaker.start()
        speaker = device.speaker
        try:
            yield Running(model, device, speaker, entry)
        finally:
            await speaker.stop()

    return start
