"""Talk to one device through a broker: ask a question and wait for its answer, hear whether the device is there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from wattmark_drivers.catalogue.mqtt_map import MqttIdentity, MqttMap, MqttMessage, MqttRequest
from wattmark_drivers.clock import Clock, Stamp, stamp_between, stamp_since
from wattmark_drivers.errors import BadReply, ConfigurationError, ConnectionFailed
from wattmark_drivers.http_client.json_body import MISSING, parse_json, point, text_at
from wattmark_drivers.mqtt.address import MqttAddress
from wattmark_drivers.mqtt.session import Arrival, MqttSession
from wattmark_drivers.mqtt.values import is_offline, merge


class Silent(ConnectionFailed):
    """The device did not answer a question in time."""


class DeviceRefuses(BadReply):
    """The device refused a request."""


@dataclass(frozen=True, slots=True)
class MqttAnswer:
    """The document of an answer, when it was true, and the device's own name where the answer repeats it.

    ``late`` where it may answer an earlier question that stayed without an answer; the stamp then covers both.
    """

    document: object
    stamp: Stamp
    sender: str | None = None
    late: bool = False


class Conversation:
    """One device at a broker. ``changed`` means that it, or its bridge, returned and may be another one."""

    def __init__(
        self, session: MqttSession, table: MqttMap, address: MqttAddress, output: int, timeout_s: float, clock: Clock
    ) -> None:
        self._session = session
        self._table = table
        self._timeout_s = timeout_s
        self._clock = clock
        self._number = 0
        self._kept: dict[str, bytes] = {}
        """The newest message on topics that the broker keeps."""
        self._names = {
            "{topic}": address.topic,
            "{base}": address.base or table.base,
            "{output}": str(output),
            "{client}": session.client_id,
        }
        self.label = f"{address.topic} at {session.label}"
        self._unanswered_ns = 0
        """Time of the first query that may still be answered [monotonic ns]."""
        self._owed_until_ns = 0
        self.changed = False
        self.relay_off = False
        """Whether the output is switched off, as far as the device has reported since the session began."""
        self._alone: Arrival | None = None
        """The newest value published without a query."""
        self.absent: frozenset[str] = frozenset()
        """Levels that this device does not publish."""
        self._serials: dict[str, str] = {}
        """Serial number in the first answer to the latest query for the identity, by the topic of the answer."""

    def fill(self, text: str) -> str:
        """Put the names of this device into a declared topic or payload."""
        for name, own in {**self._names, "{number}": str(self._number)}.items():
            text = text.replace(name, own)
        return text

    def topics_of(self, message: MqttMessage) -> dict[str, str]:
        """Map the topics of a message to their levels; one without levels has the level ''."""
        topic = self.fill(message.topic)
        return {f"{topic}/{level}": level for level in message.levels} or {topic: ""}

    @property
    def topics(self) -> list[str]:
        """List everything to subscribe to."""
        table = self._table
        messages = [item.answer for item in table.identity] + [table.published]
        messages += [table.answer] if table.answer else []
        topics = [topic for message in messages for topic in self.topics_of(message)]
        others = [*table.availability, *(item for item in (table.relay, table.alone) if item is not None)]
        return list(dict.fromkeys([*(self.fill(item.topic) for item in others), *topics]))

    async def ask(
        self, request: MqttRequest, message: MqttMessage, whole: Callable[[object], bool] = lambda _: True
    ) -> MqttAnswer:
        """Ask once. ``whole`` says whether a document has what was asked for; the last that has not is the answer if
        no other comes in time.

        Raises `Silent`, `DeviceRefuses`, `BadReply` or `ConnectionFailed`.
        """
        self._number += 1
        self._serials.pop(self.fill(message.topic), None)
        asked_ns = self._clock.monotonic_ns()
        await self._session.publish(self.fill(request.topic), self.fill(request.payload))
        until_ns = asked_ns + int(self._timeout_s * 1e9)
        late = message.number_at is None and asked_ns < self._owed_until_ns
        since_ns = self._unanswered_ns if late else asked_ns
        topics = {topic: level for topic, level in self.topics_of(message).items() if level not in self.absent}
        parts: dict[str, bytes] = {}
        rest: MqttAnswer | None = None
        while (arrival := await self.hear(until_ns)) is not None:
            if arrival.topic not in topics or arrival.kept or arrival.t_ns < asked_ns:
                continue
            stamp = stamp_between(self._clock, since_ns, arrival.t_ns)
            if message.levels:
                parts[topics[arrival.topic]] = arrival.payload
                if len(parts) == len(topics):
                    return MqttAnswer(merge(parts, self.label), stamp, late=late)
            elif (answer := self._answer(message, arrival, stamp)) is not None:
                rest = replace(answer, late=late)
                if whole(rest.document):
                    return rest
        if parts:
            return MqttAnswer(merge(parts, self.label), stamp_since(self._clock, since_ns), late=late)
        if rest is not None:
            return rest
        self._unanswered_ns, self._owed_until_ns = since_ns, until_ns + int(self._timeout_s * 1e9)
        self.require_objects()
        raise Silent(
            f"{self.label} does not answer within {self._timeout_s:g} s.",
            "Check the topic in the address, and that the device is connected to this broker.",
        )

    def require_objects(self) -> None:
        """Raise `ConnectionFailed` where the power came by itself; to be asked where no object came."""
        if self._alone is None or self._table.alone is None:
            return
        text = self._alone.payload[:20].decode("utf-8", "replace")
        value = "".join(char if char.isprintable() else "?" for char in text)
        raise ConnectionFailed(
            f"{self.label} publishes each value by itself ({value} on {self._alone.topic}) and no JSON object.",
            self._table.alone.remedy,
        )

    async def kept(self, message: MqttMessage) -> object:
        """Read a message that the broker keeps, its newest. Raises `ConnectionFailed` where it has none."""
        topic = self.fill(message.topic)
        until_ns = self._clock.monotonic_ns() + int(self._timeout_s * 1e9)
        while topic not in self._kept:
            if await self.hear(until_ns) is None:
                raise ConnectionFailed(
                    f"The broker {self._session.label} has no message on {topic}.",
                    "Check the base topic in the address, and that the bridge is connected to this broker.",
                )
        return point(parse_json(self._kept[topic], topic), message.root)

    async def hear(self, until_ns: int) -> Arrival | None:
        """Wait for the next message until an instant [monotonic ns].

        Raises `ConnectionFailed` when the device is offline, `ConfigurationError` when two have one topic.
        """
        arrival = await self._session.next(until_ns)
        if arrival is not None:
            self._heed(arrival)
        return arrival

    def _heed(self, arrival: Arrival) -> None:
        for item in self._table.availability:
            if arrival.topic != self.fill(item.topic):
                continue
            offline = is_offline(item, arrival.payload)
            if offline:
                own = "{topic}" in item.topic
                raise ConnectionFailed(
                    f"{self.label} is offline: the topic {arrival.topic} says so.",
                    "Check its power supply and its network." if own else "Start the bridge that publishes it.",
                )
            self.changed |= offline is False and not arrival.kept
        self._heed_output(arrival)
        self._require_one_device(arrival)
        if any(self._is_kept(item, arrival.topic) for item in self._table.identity):
            self._kept[arrival.topic] = arrival.payload
            self.changed |= not arrival.kept

    def _heed_output(self, arrival: Arrival) -> None:
        """Note the state of the relay, and a value sent without a query. Retained messages do not show it."""
        relay, alone = self._table.relay, self._table.alone
        if relay is not None and arrival.topic == self.fill(relay.topic) and not arrival.kept:
            self.relay_off = arrival.payload[:64].decode("utf-8", "replace").strip().lower() in relay.off
        if alone is not None and arrival.topic == self.fill(alone.topic):
            self._alone = arrival

    def _require_one_device(self, arrival: Arrival) -> None:
        """Raise `ConfigurationError` where two devices answer one query for the identity: their readings would mix.

        Where an answer carries a number, it has a topic of its own and names its sender.
        """
        for identity in self._table.identity:
            answer = identity.answer
            if identity.request is None or identity.serial is None or answer.number_at is not None:
                continue
            if arrival.kept or arrival.topic != self.fill(answer.topic):
                continue
            document = point(parse_json(arrival.payload, self.label), answer.root)
            serial = text_at(document, identity.serial)
            if serial is not None and (first := self._serials.setdefault(arrival.topic, serial)) != serial:
                raise ConfigurationError(
                    f"Two devices answer as {self.label}: {first[:40]} and {serial[:40]}.",
                    "Give each device a topic of its own, and write that in the address.",
                )

    def _is_kept(self, identity: MqttIdentity, topic: str) -> bool:
        return identity.request is None and topic == self.fill(identity.answer.topic)

    def _answer(self, message: MqttMessage, arrival: Arrival, stamp: Stamp) -> MqttAnswer | None:
        """Read an answer; None for one to another question."""
        payload = parse_json(arrival.payload, self.label)
        if message.number_at is not None and point(payload, message.number_at) != self._number:
            return None
        if message.refusal_at is not None and (words := text_at(payload, message.refusal_at)) is not None:
            raise DeviceRefuses(
                f"{self.label} refuses to answer: {words}.", "Check the model and the output in the address."
            )
        document = point(payload, message.root)
        if document is MISSING:
            return None
        return MqttAnswer(document, stamp, text_at(payload, message.sender_at) if message.sender_at else None)
