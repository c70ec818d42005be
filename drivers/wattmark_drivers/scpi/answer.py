"""Turn an answer into values: numbers with their markers, in the places that the declaration gives. Pure."""

from __future__ import annotations

import math
import re
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from wattmark_drivers.catalogue.scpi_map import ScpiMap
from wattmark_drivers.catalogue.scpi_query import AnswerField, Encoding, Query
from wattmark_drivers.errors import BadReply
from wattmark_drivers.reading import Quality

_NUMBER = re.compile(r"[+-]?(?:\d{1,12}(?:\.\d{0,20})?|\.\d{1,20})(?:[Ee][+-]?\d{1,3})?")
_MOMENT = re.compile(r"(\d{4}:\d\d:\d\dD\d\d:\d\d:\d\d)(\.\d{1,9})([+-]\d{4})")
_NOT_FINITE = {"NAN": math.nan, "INF": math.inf, "+INF": math.inf, "-INF": -math.inf}
MEASURED = ("voltage", "current", "power", "apparent_power", "reactive_power", "voltage_peak", "current_peak")
"""Quantities that exceed a range; others cannot be computed when a device calls them infinite."""
SAME_MARKER = 1e-4
"""Relative difference up to which a number is a marker; an answer has four digits or more."""


@dataclass(frozen=True, slots=True)
class AnswerPlace:
    """A field that is measured, what the device calls it now, and its place in the answer."""

    field: AnswerField
    item: str
    index: int


@dataclass(frozen=True, slots=True)
class Value:
    """A value in the unit of its channel, before what the device's registers add to its quality."""

    field: AnswerField
    value: float
    quality: Quality


def decode(table: ScpiMap, query: Query, places: Sequence[AnswerPlace], data: bytes) -> list[Value]:
    """Decode an answer. Raises `BadReply` when it does not have the declared form, number by number."""
    length = query.length or (max(place.index for place in places) + 1)
    if query.encoding is Encoding.FLOAT32:
        texts = [repr(number) for number in _floats(data)]
    else:
        texts = split(data, query.separator)
    if len(texts) != length:
        raise BadReply(f"An answer with {len(texts)} values for {length} was dropped.", "It may be late or incomplete.")
    if query.named:
        texts = _by_name(texts, places)
    return [_value(table, place.field, texts[place.index]) for place in places]


def plain(text: str) -> str:
    """Remove the header that an instrument puts before an answer (`:INP:CFAC 3`)."""
    header, space, rest = text.partition(" ")
    return rest.strip() if space and header.startswith(":") else text


def split(data: bytes, separator: str) -> list[str]:
    """Split an answer at any character of ``separator``. Raises `BadReply` for bytes that are not text."""
    text = data.decode("ascii", "replace").strip()
    if not (text.isascii() and text.isprintable()):
        raise BadReply(
            f"An answer with invalid characters was dropped: {text[:40]!r}.", "Check the cable and the baud rate."
        )
    return [field.strip() for field in re.split(f"[{re.escape(separator)}]", plain(text))]


def _floats(data: bytes) -> tuple[float, ...]:
    digits = int(data[1:2]) if data[:1] == b"#" and data[1:2].isdigit() else 0
    body = data[2 + digits :]
    if not digits or not data[2 : 2 + digits].isdigit() or int(data[2 : 2 + digits]) != len(body) or len(body) % 4:
        raise BadReply("An answer that is not a block of floating-point numbers was dropped.", "It may be incomplete.")
    return struct.unpack(f">{len(body) // 4}f", body)


def _by_name(texts: Sequence[str], places: Sequence[AnswerPlace]) -> list[str]:
    named = [text.split() for text in texts]
    ordered = [""] * len(texts)
    for place in places:
        words = named[place.index]
        if len(words) != 2 or words[0].upper() != place.field.name.upper():
            raise BadReply(
                f"An answer with {texts[place.index]!r} for {place.field.name} was dropped.",
                "It belongs to another request.",
            )
        ordered[place.index] = words[1]
    return ordered


def _value(table: ScpiMap, field: AnswerField, text: str) -> Value:
    number = moment_s(text) if field.quantity == "time" else _NOT_FINITE.get(text.upper())
    if number is None and _NUMBER.fullmatch(text):
        number = float(text)
    if _is_marker(table.over, text, number) or (number is not None and math.isinf(number)):
        over = Quality.OVER_RANGE if field.quantity in MEASURED else Quality.GOOD
        return Value(field, math.nan, over | Quality.INVALID)
    if _is_marker(table.invalid, text, number) or (number is not None and math.isnan(number)):
        return Value(field, math.nan, Quality.INVALID)
    if number is None:
        raise BadReply(f"An answer with {text[:20]!r} instead of a number was dropped.", "It may be incomplete.")
    value = number * field.scale
    fits = field.limits is None or field.limits[0] <= value <= field.limits[1]
    return Value(field, value, Quality.GOOD if fits else Quality.IMPLAUSIBLE)


def moment_s(text: str) -> float | None:
    """Read date and time as `2015:01:21D17:20:55.437817000+0000` [s since 1970]; None for another form."""
    match = _MOMENT.fullmatch(text)
    if match is None:
        return None
    try:
        whole = datetime.strptime(f"{match[1]}{match[3]}", "%Y:%m:%dD%H:%M:%S%z")
    except ValueError:
        return None
    return whole.timestamp() + float(match[2])


def _is_marker(markers: Sequence[str], text: str, number: float | None) -> bool:
    for marker in markers:
        if text.upper() == marker.upper():
            return True
        if number is not None and _NUMBER.fullmatch(marker):
            wanted = float(marker)
            if abs(number - wanted) <= SAME_MARKER * abs(wanted):
                return True
    return False
