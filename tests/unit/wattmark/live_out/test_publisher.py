"""A broker that is slow gets every meter at once: one after the other, the last readings would be old."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from wattmark.bench.outputs import MqttOutput
from wattmark.live_out import publisher
from wattmark.live_out.publisher import Publisher
from wattmark_drivers.errors import ConnectionFailed

from tests.set_clock import SetClock

from .test_topics import meter

METERS = [replace(meter(), name=f"outlet-{number}") for number in range(50)]


class SlowBroker:
    """Acknowledges everything after a tenth of a second."""

    label = "broker"

    def __init__(self, *_: Any) -> None:
        self.kept: dict[str, str] = {}
        self.fails_at = ""

    async def open(self) -> None:
        return None

    async def publish(self, topic: str, payload: str, *, confirmed: bool = False, kept: bool = False) -> None:
        await asyncio.sleep(0.1)
        if self.fails_at and self.fails_at in topic:
            raise ConnectionFailed("The connection broke.", "")
        if kept:
            self.kept[topic] = payload

    async def close(self) -> None:
        return None


@pytest.fixture
def broker(monkeypatch: pytest.MonkeyPatch) -> SlowBroker:
    broker = SlowBroker()
    monkeypatch.setattr(publisher, "MqttSession", lambda *_: broker)
    return broker


def sender() -> Publisher:
    return Publisher(MqttOutput(url="mqtt://192.0.2.1:1883"), "Lab", None, SetClock())


async def test_fifty_meters_take_as_long_as_one(broker: SlowBroker) -> None:
    mqtt = sender()
    async with asyncio.timeout(1.0):
        assert await mqtt.send(METERS) == 50
    assert sum(topic.endswith("/config") and payload != "" for topic, payload in broker.kept.items()) == 100
    async with asyncio.timeout(1.0):
        await mqtt.send(METERS[:1])
    assert sum(topic.endswith("/config") and payload != "" for topic, payload in broker.kept.items()) == 2


async def test_one_message_that_fails_fails_the_sending(broker: SlowBroker) -> None:
    mqtt = sender()
    broker.fails_at = "outlet-7/about"
    with pytest.raises(ConnectionFailed):
        await mqtt.send(METERS)
