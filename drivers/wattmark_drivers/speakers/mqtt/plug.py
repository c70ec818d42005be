"""A device that talks through a real broker: any MQTT model of the catalogue, answering and publishing."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Sequence
from typing import cast

import aiomqtt

from wattmark_drivers.cancellation import end_tasks, lost_cancellation
from wattmark_drivers.catalogue.mqtt_map import MqttMap
from wattmark_drivers.errors import ConfigurationError, ConnectionFailed
from wattmark_drivers.speakers.face import Absent, Face
from wattmark_drivers.speakers.faults import Delay, Drop, Fault, FaultQueue, Garbage, Unplug, WrongValue
from wattmark_drivers.speakers.indication import Indication, Inside, values_of
from wattmark_drivers.speakers.mqtt.broker import MqttBroker, OtherBroker
from wattmark_drivers.speakers.mqtt.documents import MqttDocuments
from wattmark_drivers.speakers.pace import Pace
from wattmark_drivers.speakers.speaker import Speaker, SpeakerSpec

BROKER = "MQTT broker"
REJOIN_S = 0.1
JOIN_TIMEOUT_S = 10.0
LEAVE_TIMEOUT_S = 1.0
FACE_REJOIN_S = 2.0
FACE_PUBLISH_S = 1.0
MOST_WAITING = 100
"""Questions that wait for an answer at a broker where strangers ask; more are lost."""
ASKED_PER_S, ASKED_AT_ONCE = 50.0, 100.0
PORT, TLS_PORT = 1883, 8883
GARBAGE = b'\xff\xfe{"power": '


class MqttPlug(Speaker):
    """One device at a broker. It publishes by itself where ``publish_s`` is set; faults hit its answers.

    With a face it says that it is there only while it has a value.
    """

    def __init__(
        self,
        table: MqttMap,
        broker: MqttBroker | OtherBroker,
        topic: str,
        *,
        serial: int = 1,
        face: Face | None = None,
    ) -> None:
        self._table = table
        self._broker = broker
        self._topic = topic
        self._face = face
        self._inlet_c = Inside().inlet_c
        self._living: asyncio.Task[None] | None = None
        self._joined = asyncio.Event()
        self._trouble = "it does not answer"
        self._is_joined = False
        self._tasks: set[asyncio.Task[None]] = set()
        self._changed = asyncio.Event()
        """Set where a value came or went, which a client must not learn only at the next period."""
        self._pace = Pace(ASKED_PER_S, ASKED_AT_ONCE)
        self.documents = MqttDocuments(table, topic, serial, face)
        self.faults = FaultQueue(Delay, Drop, Garbage, Unplug, WrongValue)
        self.publish_s: float | None = FACE_PUBLISH_S if face else None
        """How often it publishes without a question [s]."""

    async def start(self) -> dict[str, str]:
        """Join the broker and return the address. Raises a `DriverError` when there is no broker."""
        await self._broker.acquire()
        self._living = asyncio.create_task(self._live(), name=f"device {self._topic}")
        try:
            async with asyncio.timeout(JOIN_TIMEOUT_S):
                await self._joined.wait()
        except TimeoutError:
            await self.stop()
            raise ConnectionFailed(
                f"The broker at {self._broker.host}:{self._broker.port} does not take the device {self._topic}: "
                f"{self._trouble}.",
                "Check the address of the broker, the user and the password.",
            ) from None
        login = self._broker.login
        entry = {"url": f"mqtt://{self._broker.host}:{self._broker.port}/{self._topic}"}
        if login is not None:
            entry["username"] = login.username
        if isinstance(self._broker, MqttBroker):
            entry["password_file"] = str(self._broker.password_file)
        return entry

    @property
    def note(self) -> str | None:
        if self._is_joined or self._living is None:
            return None
        return (
            f"The broker at {self._broker.host}:{self._broker.port} does not take it at present: {self._trouble}. "
            "wattmark tries again."
        )

    @property
    def upkeep(self) -> Sequence[asyncio.Task[None]]:
        return [self._living] if self._living is not None else []

    async def stop(self) -> None:
        living, self._living = self._living, None
        if living is None:
            return
        await end_tasks(living)
        await self._broker.release()

    def sense(self, inside: Inside) -> None:
        self._inlet_c = inside.inlet_c

    def show(self, indication: Indication | None, _absent: Absent | None = None) -> None:
        had_value = self._has_value
        self.documents.values = values_of(self._table.measured, indication, self._inlet_c)
        if self._has_value is not had_value:
            self._changed.set()

    @property
    def _has_value(self) -> bool:
        return any(value is not None for value in self.documents.values.values())

    def inject(self, fault: Fault) -> None:
        """Schedule a fault for the next answers. Raises `ConfigurationError` for one that this device cannot have."""
        if isinstance(fault, WrongValue) and fault.channel not in self.documents.values:
            names = ", ".join(sorted(self.documents.values))
            raise ConfigurationError(f"The plug has no channel {fault.channel}.", f"It has: {names}.")
        self.faults.add(fault)

    async def _live(self) -> None:
        """Stay at the broker; come back whenever it, or this device, was away."""
        while not lost_cancellation():
            try:
                away_s = await self._serve()
                self._is_joined, self._trouble = False, "the connection has ended"
                await asyncio.sleep(away_s)
            except (aiomqtt.MqttError, TimeoutError) as error:
                self._is_joined, self._trouble = False, str(error) or self._trouble
            await asyncio.sleep(FACE_REJOIN_S if self._face else REJOIN_S)

    async def _serve(self) -> float:
        """Be at the broker until a fault pulls the plug; returns for how long [s]."""
        will, login = self._table.availability[-1], self._broker.login
        gone = aiomqtt.Will(self.documents.topic(will.topic), will.offline, qos=1, retain=True)
        client = aiomqtt.Client(
            self._broker.host,
            self._broker.port,
            username=login.username if login else None,
            password=login.password() if login else None,
            will=gone,
            timeout=5,
            tls_context=self._broker.tls if isinstance(self._broker, OtherBroker) else None,
            max_queued_incoming_messages=MOST_WAITING if self._face else None,
        )
        async with client:
            await client.subscribe([(topic, 1) for topic in self._heard()])
            if self._face is None:
                await self._say(client, there=True)
            for identity in self._table.identity:
                if identity.request is None:
                    await self._publish(client, self.documents.identity(identity), retain=True)
            self._is_joined = True
            self._joined.set()
            publishing = asyncio.create_task(self._publish_by_itself(client))
            hearing = asyncio.create_task(self._hear_all(client))
            try:
                # A device that only hears goes on looking alive with its last value: the end of either is the end.
                await asyncio.wait((publishing, hearing), return_when=asyncio.FIRST_COMPLETED)
                if publishing.done():
                    publishing.result()
                return hearing.result() if hearing.done() else 0.0
            finally:
                await end_tasks(publishing, hearing, *self._tasks)
                if self._face is not None:
                    await self._leave(client)

    async def _hear_all(self, client: aiomqtt.Client) -> float:
        """Answer what is asked until a fault pulls the plug; returns for how long [s]."""
        will = self._table.availability[-1]
        async for message in client.messages:
            payload = message.payload if isinstance(message.payload, bytes) else b""
            fault = await self._hear(client, message.topic.value, payload.decode("utf-8", "replace"))
            if isinstance(fault, Unplug):
                # What the broker would publish as the last will of a device without power.
                await client.publish(self.documents.topic(will.topic), will.offline, qos=1, retain=True)
                return fault.seconds
        return 0.0

    async def _leave(self, client: aiomqtt.Client) -> None:
        """Say that the device is gone: the broker publishes the last will only of one that breaks off."""
        with contextlib.suppress(aiomqtt.MqttError, TimeoutError):
            async with asyncio.timeout(LEAVE_TIMEOUT_S):
                await self._say(client, there=False)

    async def _say(self, client: aiomqtt.Client, *, there: bool) -> None:
        """Say whether the device is there, wherever it does; the broker keeps that."""
        for item in self._table.availability:
            payload = item.online if there else item.offline
            await client.publish(self.documents.topic(item.topic), payload, qos=1, retain=True)

    def _heard(self) -> list[str]:
        requests = [self._table.request, *(item.request for item in self._table.identity)]
        return list({self.documents.topic(request.topic) for request in requests if request is not None})

    async def _hear(self, client: aiomqtt.Client, topic: str, payload: str) -> Fault | None:
        """Answer a message, if it is a question of the declaration; returns the fault that hit the answer."""
        if self._face is not None and self._pace.spend(self._broker.host) > 0:
            self.askers.refuse(self._broker.host)
            return None
        for identity in self._table.identity:
            asked = self.documents.requested(identity.request, topic, payload)
            if asked is not None:
                await self._publish(client, self.documents.identity(identity, asked))
                return None
        asked = self.documents.requested(self._table.request, topic, payload)
        if asked is None or self._table.answer is None:
            return None
        self.askers.asked(self._broker.host)
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
        """Publish each period; behind a face also at once where a value came, and say at once that it went."""
        there: bool | None = None
        while True:
            if self._face is None:
                await asyncio.sleep(self.publish_s or REJOIN_S)
            elif there is not None:
                await self._pass_period()
            has_value = self._has_value
            if self._face is not None and has_value is not there:
                there = has_value
                await self._say(client, there=there)
            if self.publish_s is not None and has_value:
                await self._publish(client, self.documents.measured(self._table.published))

    async def _pass_period(self) -> None:
        """Wait for the next period, or until a value comes or goes."""
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self.publish_s or REJOIN_S):
                await self._changed.wait()
        self._changed.clear()

    async def _publish(self, client: aiomqtt.Client, messages: dict[str, bytes], *, retain: bool = False) -> None:
        for topic, payload in messages.items():
            await client.publish(topic, payload, qos=0, retain=retain)


def make_speaker(device: SpeakerSpec) -> MqttPlug:
    """Create the speaker of any MQTT model of the catalogue; the devices of a lab share a broker."""
    table = device.declaration.protocol
    if not isinstance(table, MqttMap):
        raise TypeError(f"{device.declaration.id} does not speak MQTT")
    if device.face is not None:
        door = device.door
        broker = OtherBroker(door.address, device.port or (TLS_PORT if door.tls else PORT), door.credentials, door.tls)
        plug = MqttPlug(table, broker, device.name, face=device.face)
        plug.publish_s = device.publish_s or FACE_PUBLISH_S
        return plug
    lines = device.around.lines
    own = cast("MqttBroker", lines.setdefault(BROKER, MqttBroker(device.around.folder / "broker", port=device.port)))
    return MqttPlug(table, own, f"sim-{device.name}", serial=device.serial)
