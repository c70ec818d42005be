"""Put indicated values where a declaration reads them: the documents of a plug. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from wattmark_drivers.catalogue.http_map import HttpMap, HttpRequest, HttpValue
from wattmark_drivers.identity import SIMULATOR_MARK


def answer_of(request: HttpRequest, output: int, values: Mapping[str, float | None]) -> Any:
    """Build the answer to a request from values by channel [their units]; null where one is missing."""
    document: Any = {}
    if request.output_at is not None:
        document = place(document, request.output_at, output)
    for flag in request.flags:
        if isinstance(flag.says, bool):
            document = place(document, _of_output(flag.pointer, output), not flag.says)
    for value in request.values:
        document = place(document, _of_output(value.pointer, output), _written(value, values[value.channel]))
    return document


def _written(value: HttpValue, shown: float | None) -> float | None:
    """Write a value in its own scale; a missing one is null, or the first number that represents it."""
    if shown is None:
        return value.invalid[0] if value.invalid else None
    number = round(shown / value.scale, 6)
    return int(number) if number.is_integer() else number


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
