"""What a simulated MQTT device publishes: documents and topics from its declaration. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from wattmark_drivers.catalogue.mqtt_map import MqttIdentity, MqttMap, MqttMessage, MqttRequest
from wattmark_drivers.identity import SIMULATOR_MARK
from wattmark_drivers.speakers.http.documents import place

ASKED = r"(?P<{}>[\w.-]+)"


class MqttDocuments:
    """The messages of one device; its first output carries the load, the others none."""

    def __init__(self, table: MqttMap, topic: str, serial: int) -> None:
        self._table = table
        self._topic = topic
        self.serial = f"{SIMULATOR_MARK}-{serial}"
        self.values: dict[str, float] = dict.fromkeys((item.channel for item in table.measured), 0.0)
        self.model = table.models[0] if table.models else f"{SIMULATOR_MARK} plug"
        self.asked_for_power = True
        """Whether a bridge says that the power can be asked for."""

    def topic(self, declared: str, found: Mapping[str, str] | None = None) -> str:
        """Fill in a declared topic; ``found`` is what a request said."""
        names = {"topic": self._topic, "base": self._table.base, "output": str(self._table.first_output)}
        for name, text in {**names, **(found or {})}.items():
            declared = declared.replace(f"{{{name}}}", text)
        return declared

    def requested(self, request: MqttRequest | None, topic: str, payload: str) -> dict[str, str] | None:
        """Match a message with a declared request; returns what the request said, None for another message."""
        if request is None or topic != self.topic(request.topic):
            return None
        pattern = re.escape(request.payload)
        for name in ("number", "client", "output"):
            pattern = pattern.replace(re.escape(f"{{{name}}}"), ASKED.format(name))
        match = re.fullmatch(pattern, payload)
        return match.groupdict() if match else None

    def identity(self, identity: MqttIdentity, found: Mapping[str, str] | None = None) -> dict[str, bytes]:
        """Build the messages that tell who the device is, by topic."""
        told: Any = {}
        texts = (
            (identity.serial, self.serial),
            (identity.firmware, f"{SIMULATOR_MARK} 1.0"),
            (identity.model, self.model),
        )
        for pointer, text in texts:
            told = told if pointer is None else place(told, pointer, text)
        if identity.exposes is not None:
            access = 5 if self.asked_for_power else 1
            told = place(told, identity.exposes, [{"type": "numeric", "property": "power", "access": access}])
        if identity.named_at is not None:
            told = [place({}, identity.named_at, "Coordinator"), place(told, identity.named_at, self._topic)]
        return self._messages(identity.answer, told, found)

    def measured(
        self,
        message: MqttMessage,
        wrong: tuple[str, float | None] | None = None,
        found: Mapping[str, str] | None = None,
    ) -> dict[str, bytes]:
        """Build the messages with the values, by topic; ``wrong`` is a channel and what it shows instead."""
        document: Any = {}
        for item in self._table.measured:
            own = (found or {}).get("output", str(self._table.first_output)) == str(self._table.first_output)
            value: float | None = self.values[item.channel] if own else 0.0
            if wrong is not None and wrong[0] == item.channel:
                value = wrong[1]
            document = place(document, item.pointer, None if value is None else _number(value / item.scale))
        return self._messages(message, document, found)

    def _messages(self, message: MqttMessage, document: Any, found: Mapping[str, str] | None) -> dict[str, bytes]:
        topic = self.topic(message.topic, found)
        if message.levels:
            relay = self._table.relay
            state = {} if relay is None else {self.topic(relay.topic, found): relay.on.encode()}
            return state | {f"{topic}/{level}": _encoded(document[level]) for level in message.levels}
        framed = place({}, message.root, document) if message.root else document
        return {topic: _encoded(self._framed(message, framed, found))}

    def _framed(self, message: MqttMessage, document: Any, found: Mapping[str, str] | None) -> Any:
        if message.number_at is not None and found is not None:
            document = place(document, message.number_at, int(found["number"]))
        if message.sender_at is not None:
            document = place(document, message.sender_at, self.serial)
        return document


def _number(value: float) -> float:
    rounded = round(value, 6)
    return int(rounded) if rounded.is_integer() else rounded


def _encoded(document: Any) -> bytes:
    return json.dumps(document).encode()
