"""Turn payloads into documents and identities. Pure: any bytes give a document, or an error that names the sender."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from wattmark_drivers.catalogue.mqtt_map import MqttAvailability, MqttIdentity
from wattmark_drivers.errors import BadReply, ConfigurationError
from wattmark_drivers.http_client.json_body import Json, parse_json, point, text_at

CAN_BE_ASKED = 4
"""Bit 3 of a property's ``access`` in Zigbee2MQTT (Exposes, Access)."""
MOST_NAMES = 20


@dataclass(frozen=True, slots=True)
class Who:
    """A device's description of itself.

    ``asks`` is False where its power cannot be asked for, ``power`` where it has none.
    """

    serial: str | None = None
    firmware: str | None = None
    model: str | None = None
    asks: bool = True
    power: bool = True
    units: Mapping[str, str] = field(default_factory=dict)
    """Units of the properties for which it reports one."""

    def __or__(self, other: Who) -> Who:
        """Join the values of two messages."""
        return Who(
            self.serial or other.serial,
            self.firmware or other.firmware,
            self.model or other.model,
            asks=self.asks and other.asks,
            power=self.power and other.power,
            units={**other.units, **self.units},
        )


def who_is(identity: MqttIdentity, document: object, topic: str, power: str) -> Who:
    """Read the identity; ``power`` is the property that holds the power.

    Raises `ConfigurationError` where a list of devices has none with the name ``topic``.
    """
    if identity.named_at is not None:
        document = _entry(document, identity.named_at, topic)
    serial, firmware, model = (
        text_at(document, at) if at is not None else None for at in (identity.serial, identity.firmware, identity.model)
    )
    if identity.exposes is None:
        return Who(serial, firmware, model)
    exposed = point(document, identity.exposes)
    access = _access(exposed, power)
    described = ((text_at(item, "/property"), text_at(item, "/unit")) for item in _walk(exposed))
    units = {name: unit for name, unit in described if name is not None and unit is not None}
    return Who(serial, firmware, model, bool((access or 0) & CAN_BE_ASKED), access is not None, units)


def is_offline(availability: MqttAvailability, payload: bytes) -> bool | None:
    """Return whether a payload reports the device as offline; None for other words."""
    try:
        document: Json = parse_json(payload, availability.topic)
    except BadReply:
        document = None
    word = point(document, availability.pointer) if isinstance(document, dict) else None
    text = word if isinstance(word, str) else payload[:64].decode("utf-8", "replace")
    words = {availability.offline.lower(): True, availability.online.lower(): False}
    return words.get(text.strip().lower())


def merge(parts: Mapping[str, bytes], who: str) -> dict[str, Json]:
    """Merge the payloads of several levels. Raises `BadReply` for one that is not JSON."""
    return {level: parse_json(payload, who) for level, payload in parts.items()}


def _entry(document: object, named_at: str, name: str) -> object:
    names = []
    for entry in document if isinstance(document, list) else []:
        if (own := text_at(entry, named_at)) == name:
            return entry
        if own is not None:
            names.append(own)
    known = ", ".join(names[:MOST_NAMES]) or "none"
    raise ConfigurationError(f"The bridge knows no device named {name}.", f"Write its name in the address: {known}.")


def _access(exposed: object, power: str) -> int | None:
    """Find the access bits of a property; None where the device does not have it."""
    for item in _walk(exposed):
        if item.get("property") == power:
            access = item.get("access")
            return access if isinstance(access, int) else 0
    return None


def _walk(exposed: object, depth: int = 4) -> Iterator[dict[str, object]]:
    for item in exposed if isinstance(exposed, list) else []:
        if isinstance(item, dict):
            yield item
            if depth:
                yield from _walk(item.get("features"), depth - 1)
