"""InfluxDB line protocol: one line with measurement, tags, fields and stamp.

Source: InfluxDB OSS v2, "Line protocol" reference (docs.influxdata.com/influxdb/v2/reference/syntax/line-protocol):
comma, equals sign and space are escaped by a backslash outside string values; floats are plain, integers end in i,
unsigned ones in u, strings stand in double quotes; lines that begin with # are comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from wattmark.core.amounts import LATEST_NS
from wattmark.importers.importer import Precision

PER_SECOND: dict[Precision, int] = {"ns": 10**9, "us": 10**6, "ms": 10**3, "s": 1}
_PROVEN_NS = (946_684_800 * 10**9, 4_102_444_800 * 10**9)
"""From 2000 to 2100: no stamp lies in it in more than one unit, since units are a factor of 1000 apart."""
_STAMP = re.compile(r"-?[0-9]{1,20}")
_NUMBER = re.compile(r"([+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)[iu]?")
_UNESCAPED = re.compile(r"\\([,= \\])")


class Point(NamedTuple):
    """One line: the head as written, what it names, and the fields as written."""

    head: str
    """Measurement and tags as written."""
    fields: list[tuple[str, str]]
    stamp: str


def parse_point(line: str) -> Point:
    """Split a line. Raises ValueError."""
    head, rest = _head(line)
    if not head or head.startswith(","):
        raise ValueError("it has no measurement")
    if '"' in rest or "\\" in rest:
        fields, *stamp = split(rest, " ", strings=True)
        pairs = [_pair(field) for field in split(fields, ",", strings=True)]
    else:
        fields, *stamp = rest.split(" ")
        pairs = [_plain_pair(field) for field in fields.split(",")]
    if len(stamp) != 1 or not stamp[0]:
        raise ValueError("it has no stamp" if not any(stamp) else "it is not measurement, fields and stamp")
    return Point(head, pairs, stamp[0])


def _head(line: str) -> tuple[str, str]:
    """Split at the first space that is not escaped; quotes have no meaning before it."""
    if "\\" not in line:
        head, _, rest = line.partition(" ")
        return head, rest
    head = next(split(line, " "))
    return head, line[len(head) + 1 :]


def tags_of(head: str) -> tuple[str, dict[str, str]]:
    """Return the measurement and the tags of a head. Raises ValueError."""
    measurement, *tags = split(head, ",")
    return unescaped(measurement), {unescaped(key): unescaped(value) for key, value in map(_pair, tags)}


def number_of(value: str) -> float | None:
    """Return the number of a field; None for a string or a truth value. Raises ValueError."""
    match = _NUMBER.fullmatch(value)
    if match:
        return float(match[1])
    if value.startswith('"') and value.endswith('"') and len(value) > 1:
        return None
    if value in ("t", "T", "true", "True", "TRUE", "f", "F", "false", "False", "FALSE"):
        return None
    raise ValueError(f"{value[:40]!r} is not a value of a field")


def stamp_ns(stamp: str, precision: Precision) -> int:
    """Return a stamp as UTC [ns]. Raises ValueError."""
    if _STAMP.fullmatch(stamp) is None:
        raise ValueError(f"{stamp[:40]!r} is not a stamp")
    t_ns = int(stamp) * (10**9 // PER_SECOND[precision])
    if not 0 <= t_ns <= LATEST_NS:
        raise ValueError(f"its stamp read in {precision} lies outside the years 1970 to 2116")
    return t_ns


def proven_precision(stamp: str) -> Precision | None:
    """Return the only unit in which a stamp lies in the years 2000 to 2100; None where there is none."""
    if _STAMP.fullmatch(stamp) is None:
        return None
    fits = [unit for unit, per in PER_SECOND.items() if is_proven(int(stamp) * (10**9 // per))]
    return fits[0] if len(fits) == 1 else None


def is_proven(t_ns: int) -> bool:
    """Return whether an instant lies in the years that prove its unit."""
    return _PROVEN_NS[0] <= t_ns < _PROVEN_NS[1]


def unescaped(text: str) -> str:
    """Return a name without its backslashes."""
    return _UNESCAPED.sub(r"\1", text) if "\\" in text else text


def escaped(text: str, signs: str = ", =\\") -> str:
    """Return a name with a backslash before each of some characters."""
    return "".join(f"\\{sign}" if sign in signs else sign for sign in text)


def _plain_pair(text: str) -> tuple[str, str]:
    key, _, value = text.partition("=")
    if not key or not value:
        raise ValueError(f"{text[:40]!r} is not a key with a value")
    return key, value


def _pair(text: str) -> tuple[str, str]:
    if "\\" not in text:
        return _plain_pair(text)
    key = next(split(text, "="))
    if not key or len(text) < len(key) + 2:
        raise ValueError(f"{text[:40]!r} is not a key with a value")
    return key, text[len(key) + 1 :]


def split(text: str, at: str, *, strings: bool = False) -> Iterator[str]:
    """Split at characters that are neither escaped nor, where there may be strings, inside one."""
    if "\\" not in text and not (strings and '"' in text):
        yield from text.split(at)
        return
    begin, place, quoted = 0, 0, False
    while place < len(text):
        character = text[place]
        if character == "\\":
            place += 1
        elif strings and character == '"':
            quoted = not quoted
        elif character == at and not quoted:
            yield text[begin:place]
            begin = place + 1
        place += 1
    if quoted:
        raise ValueError("a string does not end")
    yield text[begin:]


def begins(lines: Sequence[str]) -> bool:
    """Return whether a file begins with points."""
    points = [line.removeprefix("> ") for line in lines if not line.startswith("#")][:10]
    return bool(points) and all(_is_point(line) for line in points)


def _is_point(line: str) -> bool:
    try:
        point = parse_point(line)
        tags_of(point.head)
        return proven_precision(point.stamp) is not None
    except ValueError:
        return False
