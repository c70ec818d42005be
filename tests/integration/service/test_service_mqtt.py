"""A real mosquitto receives what the meters of a service show; while it is away, recording goes on."""

from __future__ import annotations

import asyncio
import json
import signal
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import aiomqtt
import pytest
from prometheus_client.parser import text_string_to_metric_families
from wattmark_drivers.speakers.mqtt.broker import USERNAME, MqttBroker

from ..fake_sdm120 import FakeSdm120, fake_sdm120
from .conftest import PATIENCE_S, Service, Start

BENCH = """\
schema: wattmark-bench/1
lab: Lab 1
meters:
  - {{id: wall, model: eastron.sdm120, url: "{url}"}}
outputs:
  mqtt: {{url: "mqtt://127.0.0.1:{port}", user: {user}, password_file: {secret}, period_s: 1}}
"""
SWING_W = 0.01
"""How far `FakeSdm120` moves around its watts."""


@pytest.fixture
async def broker(tmp_path: Path) -> AsyncIterator[MqttBroker]:
    broker = MqttBroker(tmp_path / "broker")
    await broker.start()
    try:
        yield broker
    finally:
        await broker.stop()


class Heard:
    """What a subscriber of everything has received, by topic."""

    def __init__(self) -> None:
        self.newest: dict[str, aiomqtt.Message] = {}

    async def until(self, reached: Callable[[], bool]) -> None:
        async with asyncio.timeout(PATIENCE_S):
            while not reached():
                await asyncio.sleep(0.05)

    def text(self, topic: str) -> str | None:
        message = self.newest.get(topic)
        return None if message is None else bytes(message.payload).decode()


@asynccontextmanager
async def listening(broker: MqttBroker) -> AsyncIterator[Heard]:
    heard = Heard()

    async def take(client: aiomqtt.Client) -> None:
        async for message in client.messages:
            heard.newest[message.topic.value] = message

    async with aiomqtt.Client("127.0.0.1", broker.port, username=USERNAME, password=broker.password) as client:
        await client.subscribe("#", qos=1)
        task = asyncio.create_task(take(client))
        try:
            yield heard
        finally:
            task.cancel()
            await asyncio.gather(task, return_exceptions=True)


def serve(start: Start, folder: Path, meter: FakeSdm120, broker: MqttBroker) -> Service:
    bench = folder / "lab.yaml"
    bench.write_text(BENCH.format(url=meter.url, port=broker.port, user=USERNAME, secret=broker.password_file))
    return start(folder / "data", bench=bench)


def figure(service: Service, name: str) -> float:
    text = service.text("/metrics")
    samples = {
        sample.name: sample.value for family in text_string_to_metric_families(text) for sample in family.samples
    }
    return samples[name]


async def test_a_broker_receives_watts_and_home_assistant_finds_them(
    start: Start, tmp_path: Path, broker: MqttBroker
) -> None:
    with fake_sdm120() as meter:
        meter.power_w = 230.5
        async with listening(broker) as heard:
            service = await asyncio.to_thread(serve, start, tmp_path, meter, broker)
            await heard.until(lambda: "wattmark/Lab 1/wall/power" in heard.newest)
            assert float(heard.text("wattmark/Lab 1/wall/power")) == pytest.approx(230.5, abs=SWING_W)
            assert heard.text("wattmark/Lab 1/status") == "online"
            about = json.loads(heard.text("wattmark/Lab 1/wall/about"))
            assert (about["simulated"], about["quality"], about["role"]) == (False, "good", "wall")
        status, answer = await asyncio.to_thread(service.ask, "POST", "/api/outputs/mqtt/test")
        assert (status, answer["answer"]) == (
            200,
            f"The broker 127.0.0.1:{broker.port} acknowledged wattmark/Lab 1/wall/power.",
        )
        async with listening(broker) as later:
            config = "homeassistant/sensor/wattmark_Lab_201_wall/power/config"
            await later.until(lambda: config in later.newest)
            assert later.newest[config].retain, "Home Assistant finds it after its own restart"
            found = json.loads(later.text(config))
            assert (found["state_topic"], found["unit_of_measurement"]) == ("wattmark/Lab 1/wall/power", "W")
            await later.until(lambda: "wattmark/Lab 1/wall/power" in later.newest)
            assert not later.newest["wattmark/Lab 1/wall/power"].retain, "an old reading must not look new"
            service.process.send_signal(signal.SIGKILL)
            await later.until(lambda: later.text("wattmark/Lab 1/status") == "offline")


async def test_a_service_that_stops_says_so(start: Start, tmp_path: Path, broker: MqttBroker) -> None:
    with fake_sdm120() as meter:
        async with listening(broker) as heard:
            service = await asyncio.to_thread(serve, start, tmp_path, meter, broker)
            await heard.until(lambda: heard.text("wattmark/Lab 1/status") == "online")
            assert await asyncio.to_thread(service.end) == 0
            await heard.until(lambda: heard.text("wattmark/Lab 1/status") == "offline")


async def test_while_the_broker_is_away_meters_are_read_and_what_is_not_sent_is_counted(
    start: Start, tmp_path: Path, broker: MqttBroker
) -> None:
    with fake_sdm120() as meter:
        service = await asyncio.to_thread(serve, start, tmp_path, meter, broker)
        heard = Heard()
        await heard.until(lambda: figure(service, "wattmark_output_sent_readings_total") > 0)
        await broker.stop()
        await heard.until(lambda: figure(service, "wattmark_output_unsent_readings_total") > 2)
        assert figure(service, "wattmark_output_blocked") == 1
        assert figure(service, "wattmark_last_sample_age_seconds") < 3, "the meter is read as before"
        assert service.get("/healthz")["status"] == "ready"
        status, refused = await asyncio.to_thread(service.ask, "POST", "/api/outputs/mqtt/test")
        assert status == 502
        assert refused["cause"].startswith(f"No connection to the broker 127.0.0.1:{broker.port}: ")
        shown = {output["name"]: output for output in service.get("/api/outputs")["outputs"]}
        assert (shown["mqtt"]["state"], shown["mqtt"]["problem"]) == ("waiting", refused["cause"])
        assert shown["mqtt"]["not_sent"] > 3, "the test counts as well"
        assert shown["otel"]["state"] == shown["prometheus"]["state"] == "off"
        sent = figure(service, "wattmark_output_sent_readings_total")
        await broker.start()
        await heard.until(lambda: figure(service, "wattmark_output_sent_readings_total") > sent)
        assert figure(service, "wattmark_output_blocked") == 0
