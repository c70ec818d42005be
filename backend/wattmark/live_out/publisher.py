"""Publish what meters show to an MQTT broker."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress

import aiomqtt
from wattmark_drivers.clock import Clock
from wattmark_drivers.errors import DriverError
from wattmark_drivers.mqtt.session import LEAVE_S, MqttSession

from wattmark.bench.outputs import MqttOutput
from wattmark.live_out.live_meters import MeterNow
from wattmark.live_out.topics import OFFLINE, ONLINE, Topics

TIMEOUT_S = 5.0
"""How long a broker may take to answer [s]."""


class Publisher:
    """One session with a broker, which says that this service is offline when the session breaks.

    Messages about the service and its meters are kept by the broker; readings are not, or an old one would look new.
    """

    def __init__(self, settings: MqttOutput, lab: str, password: Callable[[], str] | None, clock: Clock) -> None:
        self._settings = settings
        self._address = settings.address
        self._topics = Topics(self._address.topic, lab)
        self._password = password
        self._clock = clock
        self._session: MqttSession | None = None
        self._announced: dict[str, dict[str, str]] = {}

    async def send(self, meters: Sequence[MeterNow]) -> int:
        """Publish every meter. Raises `ConnectionFailed`, `AuthenticationFailed`, `InputError`."""
        session = await self._publish(meters)
        await self._withdraw(session, self._announced.keys() - {meter.name for meter in meters})
        return len(meters)

    async def send_one(self, meter: MeterNow) -> str:
        """Publish one meter; return the broker's answer in words. Raises as `send` does."""
        session = await self._publish([meter])
        return f"The broker {session.label} acknowledged {self._topics.of_meter(meter.name, 'power')}."

    async def _publish(self, meters: Sequence[MeterNow]) -> MqttSession:
        """Publish meters in one go: one after the other, a slow broker would get the last ones when they are old."""
        session = self._session or await self._open()
        await self._announce(session, meters)
        states = (self._topics.states(meter) for meter in meters)
        await _publish_all(session, {topic: payload for state in states for topic, payload in state.items()})
        return session

    async def close(self) -> None:
        """Say that this service is offline, and leave the broker. Never raises."""
        session, self._session = self._session, None
        if session is None:
            return
        with suppress(DriverError, TimeoutError):
            async with asyncio.timeout(LEAVE_S):
                await session.publish(self._topics.status, OFFLINE, kept=True)
        await session.close()

    async def _open(self) -> MqttSession:
        will = aiomqtt.Will(self._topics.status, OFFLINE, qos=1, retain=True)
        password = "" if self._password is None else self._password()
        session = MqttSession(self._address, self._settings.user, password, TIMEOUT_S, self._clock, will)
        self._announced.clear()
        self._session = session
        await session.open()
        await session.publish(self._topics.status, ONLINE, confirmed=True, kept=True)
        return session

    async def _announce(self, session: MqttSession, meters: Sequence[MeterNow]) -> None:
        """Tell Home Assistant of each meter once in a session, and again when it is described otherwise."""
        prefix = self._settings.home_assistant
        if prefix is None:
            return
        described = {meter.name: self._topics.announcements(meter, prefix, self._settings.period_s) for meter in meters}
        new = {name: own for name, own in described.items() if self._announced.get(name) != own}
        messages = {topic: payload for own in new.values() for topic, payload in own.items()}
        await _publish_all(session, messages, kept=True)
        self._announced.update(new)

    async def _withdraw(self, session: MqttSession, names: Collection[str]) -> None:
        """Remove meters from Home Assistant: an empty message takes a kept one away."""
        topics = [topic for name in names for topic in self._announced[name]]
        await _publish_all(session, dict.fromkeys(topics, ""), kept=True)
        for name in names:
            del self._announced[name]


async def _publish_all(session: MqttSession, messages: Mapping[str, str], *, kept: bool = False) -> None:
    """Publish messages by topic at once, and wait until all are acknowledged. Raises what the first that fails does."""
    published = (session.publish(topic, payload, confirmed=True, kept=kept) for topic, payload in messages.items())
    for outcome in await asyncio.gather(*published, return_exceptions=True):
        if isinstance(outcome, BaseException):
            raise outcome
