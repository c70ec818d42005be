"""Put indicated values where a declaration reads them: the documents of a simulated plug. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wattmark_drivers.catalogue.http_map import HttpMap, HttpRequest, HttpValue
from wattmark_drivers.catalogue.protocol_map import DeclaredChannel
from wattmark_drivers.identity import SIMULATOR_MARK
from wattmark_drivers.speakers.indication import Indication


def indicated(channel: DeclaredChannel, indication: Indication, inlet_c: float) -> float:
    """Pick the value of a channel in its unit; 0 for quantities that no load model has."""
    if channel.quantity == "energy":
        return 0.0 if "export" in channel.channel or "return" in channel.channel else indication.energy_wh
    if channel.quantity == "temperature":
        return inlet_c
    values = indication.phases[channel.phase - 1] if channel.phase else indication.total
    return values.get(channel.quantity, 0.0)


def answer_of(request: HttpRequest, output: int, values: Mapping[str, float]) -> Any:
    """Build the answer to a request from values by channel [their units]."""
    document: Any = {}
    if request.output_at is not None:
        document = place(document, request.output_at, output)
    for flag in request.flags:
        if isinstance(flag.says, bool):
            document = place(document, _of_output(flag.pointer, output), not flag.says)
    for value in request.values:
        number = round(values[value.channel] / value.scale, 6)
        document = place(document, _of_output(value.pointer, output), int(number) if number.is_integer() else number)
    return document


def falsified(document: Any, value: HttpValue, output: int, wrong: float | None) -> Any:
    """Replace a value of an answer; a missing one becomes null, or the first number that represents it."""
    missing = value.invalid[0] if value.invalid else None
    return place(document, _of_output(value.pointer, output), missing if wrong is None else wrong / value.scale)


def identities(table: HttpMap, serial: int) -> dict[str, Any]:
    """Build the answers that tell who the device is, by path."""
    documents: dict[str, Any] = {}
    for who in table.identity:
        document = documents.get(who.path, {})
        for pointer, text in ((who.serial, f"{SIMULATOR_MARK}-{serial}"), (who.firmware, f"{SIMULATOR_MARK} 1.0")):
            document = document if pointer is None else place(document, pointer, text)
        documents[who.path] = document
    return documents


def place(document: Any, pointer: str, value: Any) -> Any:
    """Copy a document with a value where a JSON pointer leads, making what is missing on the way."""
    _, _, rest = pointer.partition("/")
    key, slash, following = rest.partition("/")
    below = f"/{following}" if slash else ""
    if key.isdecimal():
        items = list(document) if isinstance(document, list) else []
        items += [{}] * (int(key) + 1 - len(items))
        items[int(key)] = place(items[int(key)], below, value) if below else value
        return items
    fields = dict(document) if isinstance(document, dict) else {}
    fields[key] = place(fields.get(key, {}), below, value) if below else value
    return fields


def _of_output(pointer: str, output: int) -> str:
    return pointer.replace("{output}", str(output))
