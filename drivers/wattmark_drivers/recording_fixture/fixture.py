"""The document of a recorded dialogue."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from wattmark_drivers.catalogue import Declaration
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.meter_url import meter_url
from wattmark_drivers.reading import Channel, Reading
from wattmark_drivers.recording_fixture.redact import Redactor, as_text
from wattmark_drivers.settings import MeterSettings
from wattmark_drivers.traffic import Direction

FORMAT = "wattmark-fixture/1"


@dataclass
class Dialogue:
    """Requests, replies and readings; times are UTC nanoseconds."""

    begin_ns: int
    exchanges: list[tuple[int, Direction, bytes]] = field(default_factory=list)
    readings: list[Reading] = field(default_factory=list)
    channels: Sequence[Channel] = ()
    problem: str | None = None


def fixture(
    dialogue: Dialogue,
    settings: MeterSettings,
    declaration: Declaration,
    identity: MeterIdentity,
    redactor: Redactor,
    *,
    made: str,
    version: str,
) -> dict[str, Any]:
    """Write the document, redacted; the format is described in this room's README."""
    since = dialogue.begin_ns
    for _, _, data in dialogue.exchanges:
        redactor.learn_from(as_text(data) or "")
    return {
        "format": FORMAT,
        "made": made,
        "wattmark": version,
        "model": settings.model,
        "title": declaration.title,
        "firmware": None if identity.firmware is None else redactor.text(identity.firmware),
        "simulated": identity.simulated,
        "address": redactor.text(meter_url(settings)),
        "options": dict(settings.options),
        "channels": [
            {"id": channel.id, "quantity": channel.quantity, "unit": channel.unit, "kind": channel.kind.value}
            for channel in dialogue.channels
        ],
        "exchanges": [_exchange(since, *exchange, redactor) for exchange in dialogue.exchanges],
        "readings": [_reading(since, reading) for reading in dialogue.readings],
        "problem": None if dialogue.problem is None else redactor.text(dialogue.problem),
        "redacted": dict(sorted(redactor.counts.items())),
    }


def _exchange(begin_ns: int, t_ns: int, direction: Direction, data: bytes, redactor: Redactor) -> dict[str, Any]:
    text = as_text(data)
    payload = {"hex": redactor.data(data).hex(" ")} if text is None else {"text": redactor.text(text)}
    return {"t_ms": _ms(begin_ns, t_ns), "direction": direction, **payload}


def _reading(begin_ns: int, reading: Reading) -> dict[str, Any]:
    return {
        "t_ms": _ms(begin_ns, reading.t_ns),
        "channel": reading.channel,
        "value": reading.value if math.isfinite(reading.value) else None,
        "unit": reading.unit,
        "quality": [str(flag.name).lower() for flag in reading.quality],
    }


def _ms(begin_ns: int, t_ns: int) -> float:
    return round((t_ns - begin_ns) / 1e6, 1)
