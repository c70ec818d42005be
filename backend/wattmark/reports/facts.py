"""Facts of a record in words: names with capital and spaces, values with unit, instants as people write them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from wattmark.core.numbers import format_number

MINUS = "\N{MINUS SIGN}"
_UNITS = {
    "w": "W", "wh": "Wh", "j": "J", "s": "s", "ms": "ms", "pct": "%", "c": "°C", "k": "K", "hz": "Hz", "mhz": "MHz",
    "gib": "GiB", "mts": "MT/s", "a": "A", "v": "V", "ppm": "ppm", "rpm": "1/min",
}  # fmt: skip
_NAMES = {
    "argv": "command", "asked s": "planned duration", "cpu": "CPU", "cpus": "CPUs", "cpu count": "sockets",
    "cpu governor": "CPU governor", "memory gib": "memory", "dimm count": "modules", "os": "operating system",
    "psus": "power supplies", "boot id": "boot", "others pct": "other programs", "pf0 pct": "at power factor 0",
    "nics": "network cards", "load cpu s": "CPU time of the load", "load cpu share pct": "CPU share of the load",
    "tdp w": "TDP", "limited by": "meant to be limited by",
}  # fmt: skip
_JOINED = ("argv", "command", "version")
"""Words of a command line; they are read as one."""


@dataclass(frozen=True, slots=True)
class Facts:
    """Names and values under a title."""

    title: str
    rows: tuple[tuple[str, str], ...]


def facts_of(title: str, facts: Mapping[str, Any]) -> Facts:
    """List nested facts as names and texts; unknown ones are omitted."""
    return Facts(title, tuple(_rows("", facts)))


def fact_name(key: str) -> tuple[str, str]:
    """Split the name of a field into words and unit: "u_wiring_loss_w" is ("u(wiring loss)", "W")."""
    words = key.replace("_", " ").replace("-", " ").strip()
    stem, _, last = words.rpartition(" ")
    unit = _UNITS.get(last, "") if stem else ""
    name = _NAMES.get(words) or (stem if unit or (stem and last == "ns") else words)
    if name.startswith("u ") and len(name) > len("u "):
        name = f"u({name.removeprefix('u ')})"
    return name, unit


def capital(text: str) -> str:
    """Return a text with a capital first letter; that of a symbol such as u(...) stays."""
    return text if text.startswith("u(") else text[:1].upper() + text[1:]


def instant_text(instant: datetime, *, seconds: bool = True) -> str:
    """Write an instant as people do: "23 Nov 2026, 03:31:46 UTC"."""
    at = instant.astimezone(UTC)
    return f"{at.day} {at:%b %Y, %H:%M:%S} UTC" if seconds else f"{at.day} {at:%b %Y, %H:%M} UTC"


def iso_text(iso: str, *, seconds: bool = True) -> str:
    """Write an ISO 8601 instant as people do."""
    return instant_text(datetime.fromisoformat(iso), seconds=seconds)


def span_text(first: str, last: str) -> str:
    """Format a span between two ISO 8601 instants to the minute; common parts appear once."""
    begin, end = (datetime.fromisoformat(iso).astimezone(UTC) for iso in (first, last))
    if f"{begin:%F %R}" == f"{end:%F %R}":
        return instant_text(begin, seconds=False)
    if begin.date() == end.date():
        return f"{begin.day} {begin:%b %Y, %H:%M} to {end:%H:%M} UTC"
    return f"{instant_text(begin, seconds=False).removesuffix(' UTC')} to {instant_text(end, seconds=False)}"


def number_text(value: float, unit: str = "", digits: int = 6) -> str:
    """Write a number with a true minus sign."""
    return format_number(value, digits, unit).replace("-", MINUS)


def _rows(before: str, facts: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in facts.items():
        name, unit = fact_name(str(key))
        full = f"{before}, {name}" if before else capital(name)
        if isinstance(value, Mapping):
            yield from _rows(full, value)
        elif isinstance(value, list | tuple) and any(isinstance(item, Mapping | list | tuple) for item in value):
            for number, item in enumerate(value, start=1):
                yield from _rows(f"{full} {number}", item if isinstance(item, Mapping) else {"": item})
        elif (text := _text(str(key), value, unit)) != "":
            yield full.removesuffix(", "), text


def _text(key: str, value: Any, unit: str) -> str:
    if isinstance(value, list | tuple):
        return (" " if key in _JOINED else ", ").join(_text(key, item, unit) for item in value)
    if value is None or value == "":
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int) and key.endswith("_ns") and "monotonic" not in key:
        return instant_text(datetime.fromtimestamp(value / 1e9, UTC))
    if isinstance(value, int | float):
        return number_text(value, unit)
    return _instant(str(value))


def _instant(text: str) -> str:
    """Return an ISO instant in words, and any other text as it is."""
    if len(text) < len("2026-11-23T03:31") or text[10:11] != "T":
        return text
    try:
        at = datetime.fromisoformat(text)
    except ValueError:
        return text
    return instant_text(at) if at.tzinfo else text
