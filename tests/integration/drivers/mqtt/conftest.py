"""Simulated MQTT devices at a mosquitto broker of their own."""

from __future__ import annotations

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiomqtt
import pytest
from wattmark_drivers.catalogue import load_catalogue
from wattmark_drivers.factory import create_meter
from wattmark_drivers.meter import Meter
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.speakers.indication import Indication, Inside
from wattmark_drivers.speakers.mqtt.broker import USERNAME, MqttBroker
from wattmark_drivers.speakers.mqtt.plug import MqttPlug

from tests.web_peer import self_signed

TOPIC = "desk"
TOTAL = {"power": 333.0, "voltage": 231.0, "current": 1.5, "power_factor": 0.96, "frequency": 50.0}
TOTAL |= {"apparent_power": 346.0, "reactive_power": 94.0}


def shows(power_w: float = TOTAL["power"]) -> Indication:
    return Indication((), {**TOTAL, "power": power_w}, 123_456.0, 789.0)


@dataclass
class Place:
    """A broker, and the devices that tests put there."""

    broker: MqttBroker
    ca: Path | None = None

    @property
    def scheme(self) -> str:
        return "mqtts" if self.ca else "mqtt"

    def url(self, topic: str = TOPIC, query: str = "") -> str:
        trust = f"ca={self.ca}" if self.ca else ""
        query = "&".join(part for part in (query, trust) if part)
        return f"{self.scheme}://127.0.0.1:{self.broker.port}/{topic}" + (f"?{query}" if query else "")

    def meter(
        self,
        model: str,
        *,
        url: str | None = None,
        password: str | None = None,
        timeout_s: float = 3.0,
        listen: bool = False,
        query: str = "",
    ) -> Meter:
        secret = self.broker.password if password is None else password
        options = {"listen": "on"} if listen else {}
        settings = MeterSettings(
            "plug",
            model,
            url or self.url(query=query),
            username=USERNAME,
            password=lambda: secret,
            timeout_s=timeout_s,
            options=options,
        )
        return create_meter(settings)

    def plug(self, model: str, serial: int = 7, topic: str = TOPIC) -> MqttPlug:
        table = load_catalogue()[model].protocol
        plug = MqttPlug(table, self.broker, topic, serial=serial)
        plug.sense(Inside(inlet_c=23.0))
        plug.show(shows())
        return plug

    @asynccontextmanager
    async def client(self) -> AsyncIterator[aiomqtt.Client]:
        """Join as somebody else."""
        port, password = self.broker.port, self.broker.password
        async with aiomqtt.Client("127.0.0.1", port, username=USERNAME, password=password) as client:
            yield client

    async def publish(self, topic: str, payload: str | bytes, *, retain: bool = False) -> None:
        async with self.client() as client:
            await client.publish(topic, payload, qos=1, retain=retain)


@pytest.fixture
async def place(tmp_path: Path) -> AsyncIterator[Place]:
    """Start a broker."""
    program = shutil.which("mosquitto", path="/usr/sbin:/usr/bin:/usr/local/sbin")
    assert program, "mosquitto is missing: apt-get install mosquitto"
    broker = MqttBroker(tmp_path / "broker")
    await broker.acquire()
    try:
        yield Place(broker)
    finally:
        await broker.stop()


@pytest.fixture
def running(place: Place) -> Any:
    """Make a context manager: `async with running(model) as plug`."""

    @asynccontextmanager
    async def start(model: str, serial: int = 7) -> AsyncIterator[MqttPlug]:
        plug = place.plug(model, serial)
        await plug.start()
        try:
            yield plug
        finally:
            await plug.stop()

    return start


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    """Make a certificate for 127.0.0.1 that only tests trust, and its key."""
    return self_signed(tmp_path_factory.mktemp("broker-tls"))
