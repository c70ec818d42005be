"""Where a broker is, and which of its devices is meant."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import Literal, cast, get_args
from urllib.parse import SplitResult, unquote, urlsplit

from wattmark_drivers.address_parts import number, query
from wattmark_drivers.catalogue.declaration import Transport
from wattmark_drivers.engine import Scheme
from wattmark_drivers.http_client.origin import TLS_KEYS, Origin, parse_origin

Version = Literal["3.1.1", "5"]
VERSIONS: tuple[str, ...] = get_args(Version)
MOST_OUTPUTS = 255
LONGEST_TOPIC = 256


@dataclass(frozen=True, slots=True)
class MqttAddress:
    """A broker, the topic of a device at it, and one of the device's outputs; None takes the model's own."""

    origin: Origin
    topic: str
    base: str | None = None
    output: int | None = None
    version: Version = "3.1.1"


def parse_mqtt(parts: SplitResult, transport: Transport, *, secure: bool) -> MqttAddress:
    """Parse mqtt://HOST:1883/TOPIC?base=zigbee2mqtt&output=1&mqtt=5."""
    options = query(parts, "base", "output", "mqtt", *TLS_KEYS)
    port = transport.port or (8883 if secure else 1883)
    return MqttAddress(
        parse_origin(parts, options, secure=secure, port=port),
        _topic(unquote(parts.path).strip("/"), "topic"),
        _topic(options["base"].strip("/"), "base topic") if options.get("base") else None,
        number(options["output"], "output", 0, MOST_OUTPUTS) if options.get("output") else None,
        _version(options),
    )


def parse_broker(url: str, topic: str) -> MqttAddress:
    """Parse the address of a broker to publish to, mqtt://HOST:1883/TOPIC; ``topic`` is used where it names none.

    Raises ValueError that continues the sentence "The address ...".
    """
    parts = urlsplit(url)
    secure = parts.scheme == "mqtts"
    options = query(parts, "mqtt", *TLS_KEYS)
    origin = parse_origin(parts, options, secure=secure, port=8883 if secure else 1883)
    return MqttAddress(origin, _topic(unquote(parts.path).strip("/") or topic, "topic"), version=_version(options))


def _version(options: dict[str, str]) -> Version:
    version = options.get("mqtt", "3.1.1")
    if version not in VERSIONS:
        raise ValueError(f"has mqtt={version}, which is not one of {', '.join(VERSIONS)}")
    return cast("Version", version)


def _topic(text: str, what: str) -> str:
    """Check the topic of one device: wildcards would mix the readings of several."""
    if not text:
        raise ValueError(f"names no {what} of a device")
    if re.search(r"[+#\x00-\x1f\x7f]", text) or len(text.encode()) > LONGEST_TOPIC:
        raise ValueError(f"has a {what} with a wildcard, a control character or more than {LONGEST_TOPIC} bytes")
    return text


SCHEMES = {
    "mqtt": Scheme("mqtt://HOST:1883/TOPIC", partial(parse_mqtt, secure=False)),
    "mqtts": Scheme("mqtts://HOST:8883/TOPIC?tls=verify&ca=FILE", partial(parse_mqtt, secure=True)),
}
