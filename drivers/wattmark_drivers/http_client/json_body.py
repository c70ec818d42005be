"""Read JSON that a device sent, whatever it may be, and point into it (RFC 6901)."""

from __future__ import annotations

import json
import math
import re

from wattmark_drivers.errors import BadReply

Json = dict[str, "Json"] | list["Json"] | str | int | float | bool | None
"""Any JSON value."""
MISSING = object()
_INDEX = re.compile(r"0|[1-9][0-9]{0,5}")


class _RepeatedNameError(Exception):
    """A name occurs twice in one object, with different values (RFC 8259, 4, leaves open which one counts)."""


def _once(pairs: list[tuple[str, Json]]) -> Json:
    """Build an object whose names have one value each. Raises `_RepeatedNameError`."""
    document = dict(pairs)
    if len(document) < len(pairs):
        for name, value in pairs:
            if document[name] != value:
                raise _RepeatedNameError(name)
    return document


def parse_json(body: bytes, who: str) -> Json:
    """Parse a body. Raises `BadReply` for anything that is not JSON, or that gives one name two values."""
    try:
        document: Json = json.loads(body, object_pairs_hook=_once)
    except _RepeatedNameError as error:
        name = "".join(char if char.isprintable() else " " for char in str(error)[:40])
        raise BadReply(
            f"{who} gives {name!r} twice with different values.", "Which one counts is not known: update its firmware."
        ) from None
    except (ValueError, RecursionError):
        began = "".join(char if char.isprintable() else " " for char in body[:40].decode("utf-8", "replace"))
        raise BadReply(
            f"{who} did not answer with JSON but with {began!r}.", "Check that the address leads to the device."
        ) from None
    return document


def point(document: object, pointer: str) -> object:
    """Follow a JSON pointer; `MISSING` where it has no target."""
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        if isinstance(document, dict):
            document = document.get(key, MISSING)
        elif isinstance(document, list) and _INDEX.fullmatch(key) and int(key) < len(document):
            document = document[int(key)]
        else:
            return MISSING
    return document


def text_at(document: object, *pointers: str, longest: int = 128) -> str | None:
    """Return the first printable text that one of the pointers leads to; None where there is none."""
    for pointer in pointers:
        value = point(document, pointer)
        if isinstance(value, str) and value.strip() and value.isprintable():
            return value.strip()[:longest]
    return None


def word_at(document: object, pointer: str) -> str | None:
    """Return a printable text or a whole number as text; None for anything else."""
    value = point(document, pointer)
    is_number = isinstance(value, int) and not isinstance(value, bool) and abs(value) < 1 << 53
    return str(value) if is_number else text_at(document, pointer)


def number_of(value: object) -> float | None:
    """Return a finite JSON number; None for anything else (null, text, a boolean, a number beyond float range)."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None
