"""What an MQTT device publishes: documents and topics from its declaration. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from wattmark_drivers.catalogue.mqtt_map import MqttIdentity, MqttMap, MqttMessage, MqttRequest
from wattmark_drivers.identity import SIMULATOR_MARK
from wattmark_drivers.speakers.face import Face
from wattmark_drivers.speakers.http.documents import place
from wattmark_drivers.speakers.indication import values_of

SAID = {"number": r"(?P<number>\d{1,9})", "client": r"(?P<client>[\w.-]+)", "output": r"(?P<output>\d{1,3})"}
"""What a request may say in these places of its pattern."""


class MqttDocuments:
    """The messages of one device; its first output carries the load, the others none."""

    def __init__(self, table: MqttMap, topic: str, serial: int, face: Face | None = None) -> None:
        self._table = table
        self._topic = topic
        self._outputs = table.outputs if face is None else 1
        """A live meter is no output but the first: of others nothing is known, not even that they carry no load."""
        self._face = face
        self.serial = f"{SIMULATOR_MARK}-{serial}"
        self._firmware = f"{SIMULATOR_MARK} 1.0"
        if face is not None:
            self.serial = face.marked(face.serial or topic)
            self._firmware = face.marked(f"{face.maker} {face.firmware}, {face.model}")
        self.values = values_of(table.measured, None)
        """By channel; None where there is no reading."""
        self.model = table.models[0] if table.models else f"{SIMULATOR_MARK} plug"
        self.asked_for_power = True
        """Whether a bridge says that the power can be asked for."""

    def topic(self, declared: str, asked: Mapping[str, str] | None = None) -> str:
        """Fill in a declared topic; ``asked`` is what a request named."""
        names = {"topic": self._topic, "base": self._table.base, "output": str(self._table.first_output)}
        for name, text in {**names, **(asked or {})}.items():
            declared = declared.replace(f"{{{name}}}", text)
        return declared

    def requested(self, request: MqttRequest | None, topic: str, payload: str) -> dict[str, str] | None:
        """Match a message with a declared request about an existing output; return what it said, None for others."""
        if request is None or topic != self.topic(request.topic):
            return None
        pattern = re.escape(request.payload)
        for name, said in SAID.items():
            pattern = pattern.replace(re.escape(f"{{{name}}}"), said)
        match = re.fullmatch(pattern, payload)
        if match is None:
            return None
        request_says, first = match.groupdict(), self._table.first_output
        is_there = int(request_says.get("output", first)) in range(first, first + self._outputs)
        return request_says if is_there else None

    def identity(self, identity: MqttIdentity, asked: Mapping[str, str] | None = None) -> dict[str, bytes]:
        """Build the messages that tell who the device is, by topic."""
        document: Any = {}
        texts = (
            (identity.serial, self.serial),
            (identity.firmware, self._firmware),
            (identity.model, self.model),
        )
        for pointer, text in texts:
            document = document if pointer is None else place(document, pointer, text)
        if identity.exposes is not None:
            access = 5 if self.asked_for_power else 1
            document = place(document, identity.exposes, [{"type": "numeric", "property": "power", "access": access}])
        if identity.named_at is not None:
            document = [place({}, identity.named_at, "Coordinator"), place(document, identity.named_at, self._topic)]
        return self._messages(identity.answer, document, asked)

    def measured(
        self,
        message: MqttMessage,
        wrong: tuple[str, float | None] | None = None,
        asked: Mapping[str, str] | None = None,
    ) -> dict[str, bytes]:
        """Build the messages with the values, by topic; ``wrong`` is a channel and what it shows instead."""
        document: Any = {}
        for item in self._table.measured:
            own = (asked or {}).get("output", str(self._table.first_output)) == str(self._table.first_output)
            value = self.values[item.channel] if own else 0.0
            if wrong is not None and wrong[0] == item.channel:
                value = wrong[1]
            document = place(document, item.pointer, None if value is None else _number(value / item.scale))
        return self._messages(message, document, asked)

    def _messages(self, message: MqttMessage, document: Any, asked: Mapping[str, str] | None) -> dict[str, bytes]:
        topic = self.topic(message.topic, asked)
        if message.levels:
            relay = self._table.relay if self._face is None else None  # nobody knows whether a live meter has one
            state = {} if relay is None else {self.topic(relay.topic, asked): relay.on.encode()}
            levels = {level: document[level] for level in message.levels}
            if self._face is None:
                levels = {level: value for level, value in levels.items() if value is not None}
            # Else null takes away what a subscriber has of a value that the meter no longer gives.
            return state | {f"{topic}/{level}": _encoded(value) for level, value in levels.items()}
        framed = place({}, message.root, document) if message.root else document
        return {topic: _encoded(self._framed(message, framed, asked))}

    def _framed(self, message: MqttMessage, document: Any, asked: Mapping[str, str] | None) -> Any:
        if message.number_at is not None and asked is not None:
            document = place(document, message.number_at, int(asked["number"]))
        if message.sender_at is not None:
            document = place(document, message.sender_at, self.serial)
        return document


def _number(value: float) -> float:
    rounded = round(value, 6)
    return int(rounded) if rounded.is_integer() else rounded


def _encoded(document: Any) -> bytes:
    return json.dumps(document, allow_nan=False).encode()
