"""A device that talks through a real broker: any MQTT model of the catalogue, answering and publishing."""

from __future__ import annotations

import asyncio
import contextlib
from typing import cast

import aiomqtt

from wattmark_drivers.cancellation import end_tasks, lost_cancellation
from wattmark_drivers.catalogue.mqtt_map import MqttMap
from wattmark_drivers.errors import ConfigurationError, ConnectionFailed
from wattmark_drivers.speakers.faults import Delay, Drop, Fault, FaultQueue, Garbage, Unplug, WrongValue
from wattmark_drivers.speakers.indication import Indication, Inside, values_of
from wattmark_drivers.speakers.loopback import LOOPBACK
from wattmark_drivers.speakers.mqtt.broker import USERNAME, MqttBroker
from wattmark_drivers.speakers.mqtt.documents import MqttDocuments
from wattmark_drivers.speakers.speaker import Speaker, SpeakerSpec

BROKER = "MQTT broker"
REJOIN_S = 0.1
JOIN_TIMEOUT_S = 10.0
GARBAGE = b'\xff\xfe{"power": '


class MqttPlug(Speaker):
    """One device at a broker. It publishes by itself where ``publish_s`` is set; faults hit its answers."""

    def __init__(self, table: MqttMap, broker: MqttBroker, topic: str, *, serial: int = 1) -> None:
        self._table = table
        self._broker = broker
        self._topic = topic
        self._inlet_c = Inside().inlet_c
        self._living: asyncio.Task[None] | None = None
        self._joined = asyncio.Event()
        self._tasks: set[asyncio.Task[None]] = set()
        self.documents = MqttDocuments(table, topic, serial)
        self.faults = FaultQueue(Delay, Drop, Garbage, Unplug, WrongValue)
        self.publish_s: float | None = None
        """How often it publishes without a question [s]."""

    async def start(self) -> dict[str, str]:
        """Join the broker and return the address. Raises a `DriverError` when there is no broker."""
        await self._broker.acquire()
        self._living = asyncio.create_task(self._live(), name=f"simulated {self._topic}")
        try:
            async with asyncio.timeout(JOIN_TIMEOUT_S):
                await self._joined.wait()
        except TimeoutError:
            raise ConnectionFailed(f"The device {self._topic} cannot join its broker.") from None
        return {
            "url": f"mqtt://{LOOPBACK}:{self._broker.port}/{self._topic}",
            "username": USERNAME,
            "password_file": str(self._broker.password_file),
        }

    async def stop(self) -> None:
        living, self._living = self._living, None
        if living is None:
            return
        await end_tasks(living)
        await self._broker.release()

    def sense(self, inside: Inside) -> None:
        self._inlet_c = inside.inlet_c

    def show(self, indication: Indication | None) -> None:
        self.documents.values = values_of(self._table.measured, indication, self._inlet_c)

    def inject(self, fault: Fault) -> None:
        """Schedule a fault for the next answers. Raises `ConfigurationError` for one that this device cannot have."""
        if isinstance(fault, WrongValue) and fault.channel not in self.documents.values:
            names = ", ".join(sorted(self.documents.values))
            raise ConfigurationError(f"The plug has no channel {fault.channel}.", f"It has: {names}.")
        self.faults.add(fault)

    async def _live(self) -> None:
        """Stay at the broker; come back whenever it, or this device, was away."""
        while not lost_cancellation():
            with contextlib.suppress(aiomqtt.MqttError, TimeoutError):
                away_s = await self._serve()
                await asyncio.sleep(away_s)
            await asyncio.sleep(REJOIN_S)

    async def _serve(self) -> float:
        """Be at the broker until a fault pulls the plug; returns for how long [s]."""
        will = self._table.availability[-1]
        gone = aiomqtt.Will(self.documents.topic(will.topic), will.offline, qos=1, retain=True)
        client = aiomqtt.Client(
            LOOPBACK, self._broker.port, username=USERNAME, password=self._broker.password, will=gone, timeout=5
        )
        async with client:
            await client.subscribe([(topic, 1) for topic in self._heard()])
            for item in self._table.availability:
                await client.publish(self.documents.topic(item.topic), item.online, qos=1, retain=True)
            for identity in self._table.identity:
                if identity.request is None:
                    await self._publish(client, self.documents.identity(identity), retain=True)
            self._joined.set()
            publishing = asyncio.create_task(self._publish_by_itself(client))
            try:
                async for message in client.messages:
                    payload = message.payload if isinstance(message.payload, bytes) else b""
                    fault = await self._hear(client, message.topic.value, payload.decode("utf-8", "replace"))
                    if isinstance(fault, Unplug):
                        # What the broker would publish as the last will of a device without power.
                        await client.publish(self.documents.topic(will.topic), will.offline, qos=1, retain=True)
                        return fault.seconds
            finally:
                await end_tasks(publishing, *self._tasks)
        return 0.0

    def _heard(self) -> list[str]:
        requests = [self._table.request, *(item.request for item in self._table.identity)]
        return list({self.documents.topic(request.topic) for request in requests if request is not None})

    async def _hear(self, client: aiomqtt.Client, topic: str, payload: str) -> Fault | None:
        """Answer a message, if it is a question of the declaration; returns the fault that hit the answer."""
        for identity in self._table.identity:
            asked = self.documents.requested(identity.request, topic, payload)
            if asked is not None:
                await self._publish(client, self.documents.identity(identity, asked))
                return None
        asked = self.documents.requested(self._table.request, topic, payload)
        if asked is None or self._table.answer is None:
            return None
        fault = self.faults.take()
        wrong = (fault.channel, fault.value) if isinstance(fault, WrongValue) else None
        messages = self.documents.measured(self._table.answer, wrong, asked)
        match fault:
            case Drop() | Unplug():
                return fault
            case Garbage():
                messages = dict.fromkeys(messages, GARBAGE)
            case Delay():
                task = asyncio.create_task(self._late(client, messages, fault.seconds))
                self._tasks.add(task)
                task.add_done_callback(self._tasks.discard)
                return fault
        await self._publish(client, messages)
        return fault

    async def _late(self, client: aiomqtt.Client, messages: dict[str, bytes], seconds: float) -> None:
        await asyncio.sleep(seconds)
        await self._publish(client, messages)

    async def _publish_by_itself(self, client: aiomqtt.Client) -> None:
        while True:
            await asyncio.sleep(self.publish_s or REJOIN_S)
            if self.publish_s is not None and any(value is not None for value in self.documents.values.values()):
                await self._publish(client, self.documents.measured(self._table.published))

    async def _publish(self, client: aiomqtt.Client, messages: dict[str, bytes], *, retain: bool = False) -> None:
        for topic, payload in messages.items():
            await client.publish(topic, payload, qos=0, retain=retain)


def make_speaker(device: SpeakerSpec) -> MqttPlug:
    """Create the speaker of any MQTT model of the catalogue; the devices of a lab share a broker."""
    table = device.declaration.protocol
    if not isinstance(table, MqttMap):
        raise TypeError(f"{device.declaration.id} does not speak MQTT")
    lines = device.around.lines
    broker = cast("MqttBroker", lines.setdefault(BROKER, MqttBroker(device.around.folder / "broker", port=device.port)))
    return MqttPlug(table, broker, f"sim-{device.name}", serial=device.serial)
