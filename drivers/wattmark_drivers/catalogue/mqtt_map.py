"""What is read from a device that publishes to an MQTT broker: topics, questions, and pointers into the payloads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from wattmark_drivers.catalogue.http_map import HttpValue, JsonValues
from wattmark_drivers.catalogue.protocol_map import ProtocolMap
from wattmark_drivers.catalogue.source import Declared

TOPIC = r"^[^+#\s]+$"
"""A topic without wildcards; ``{topic}``, ``{base}``, ``{output}`` and ``{client}`` are filled in."""


class MqttMessage(Declared):
    """Where the device publishes, and where in the payload an object begins."""

    topic: str = Field(pattern=TOPIC)
    root: str = Field(default="", pattern=r"^(/.*)?$")
    levels: tuple[str, ...] = ()
    """Levels below the topic, each with a number as its payload; together they count as one object."""
    number_at: str | None = None
    """Where the answer repeats the number of the request; another one is no answer to it."""
    sender_at: str | None = None
    """Where the answer repeats the serial number of the device."""
    refusal_at: str | None = None
    """Words that stand in an answer only when the device refuses the request."""


class MqttRequest(Declared):
    """A question that changes nothing. ``{number}`` in the payload is the number of the request."""

    topic: str = Field(pattern=TOPIC)
    payload: str


class MqttIdentity(Declared):
    """Where the device, or a bridge on its behalf, tells who it is. Pointers begin at the message's root."""

    request: MqttRequest | None = None
    """None: the broker keeps the message."""
    answer: MqttMessage
    named_at: str | None = None
    """For a list of devices: where an entry has the name that the address gives as the topic."""
    serial: str | None = None
    firmware: str | None = None
    model: str | None = None
    exposes: str | None = None
    """A list of the device's properties, each with ``property``, its ``unit`` and the bits ``access``; bit 3: it can be
    asked for."""


class MqttRelay(Declared):
    """A topic that says whether the output is switched on, for devices whose values do not."""

    topic: str = Field(pattern=TOPIC)
    off: tuple[str, ...] = Field(min_length=1)
    on: str


class MqttAlone(Declared):
    """A topic on which the power comes by itself, where the device or its bridge is set to publish no object."""

    topic: str = Field(pattern=TOPIC)
    remedy: str
    """How a person makes it publish objects."""


class MqttAvailability(Declared):
    """A topic that says whether the device is there; the broker publishes its last will on it."""

    topic: str = Field(pattern=TOPIC)
    pointer: str = ""
    """Where the word stands in an object; a payload that is no object is the word itself."""
    online: str
    offline: str


class MqttValues(JsonValues):
    """The values of one document; ``selects_output`` where the topic or the request names the output."""

    selects_output: bool = False

    @property
    def of_one_output(self) -> bool:
        return self.selects_output


class MqttMap(ProtocolMap):
    """Everything the engine of MQTT devices needs. A new device is one declaration."""

    schemes: ClassVar = ("mqtt", "mqtts")
    options: ClassVar = ("listen",)
    engine: Literal["mqtt"]
    base: str = ""
    """The first levels of all topics where the address gives no ``base``."""
    first_output: int = Field(default=0, ge=0)
    outputs: int = Field(default=1, ge=1)
    models: tuple[str, ...] = ()
    """What the device calls its model; empty: any that has power."""
    request: MqttRequest | None = None
    """What asks for the values; None: the device is only listened to."""
    answer: MqttMessage | None = None
    published: MqttMessage
    """What the device publishes by itself."""
    published_s: float = Field(gt=0)
    """How often it does so as shipped [s]."""
    publish_more: str
    """How a person makes it publish more often: a sentence without its full stop."""
    reads: MqttValues
    identity: tuple[MqttIdentity, ...] = Field(min_length=1)
    availability: tuple[MqttAvailability, ...] = ()
    relay: MqttRelay | None = None
    alone: MqttAlone | None = None

    @property
    def measured(self) -> Sequence[HttpValue]:
        """List the values."""
        return self.reads.values

    @model_validator(mode="after")
    def _questions_have_answers(self) -> Self:
        if (self.request is None) != (self.answer is None):
            raise ValueError("a request needs the message that answers it, and the message a request")
        if not any(item.serial for item in self.identity):
            raise ValueError("nothing tells the serial number, so an exchanged device would not be noticed")
        return self
