"""Lines of MLPerf's MLLOG format: ``:::MLLOG {"time_ms": ..., "key": ..., "value": ..., "metadata": {...}}``.

Other text may stand in front ("0: " of a task) and between the lines.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from wattmark.core.amounts import LATEST_NS
from wattmark.importers.log_stamps import YEAR_2000_NS
from wattmark.importers.text_lines import TextLines
from wattmark.importers.unread import Unread
from wattmark.workloads.loadgen.source_file import broken, parse_json

TOKEN = ":::MLLOG"  # noqa: S105 - the mark of the format
_YEAR_2000_MS, _LATEST_MS = YEAR_2000_NS // 10**6, LATEST_NS // 10**6


@dataclass(frozen=True, slots=True)
class Event:
    """One line: its number in the file, its time [ms since 1970], key and value."""

    line: int
    time_ms: int
    key: str
    value: Any
    metadata: dict[str, Any]


def read_events(file: TextLines, unread: Unread, keys: frozenset[str] | None = None) -> Iterator[Event]:
    """Read the events of a file, those of ``keys`` alone where they are named; lines that are none are counted.

    Without ``keys`` every line must be an event: any other is one that was not understood. Raises `InputError` for a
    time that was not read off a clock.
    """
    quoted = None if keys is None else tuple(f'"{key}"' for key in keys)
    for number, line in file:
        at = line.find(TOKEN)
        if at < 0:
            if keys is None and line.strip():
                unread.add(file.name, number, line, f"it holds no {TOKEN}")
            continue
        if quoted is not None and not any(key in line for key in quoted):
            continue
        event = _event(number, line[at + len(TOKEN) :])
        if isinstance(event, Event) and event.time_ms < _YEAR_2000_MS:
            raise broken(
                file.name,
                number,
                f"its time_ms {event.time_ms} lies before the year 2000",
                "Correct time_ms: it counts milliseconds since 1970, not seconds.",
            )
        if isinstance(event, str):
            unread.add(file.name, number, line, event)
        elif keys is None or event.key in keys:
            yield event


def _event(number: int, text: str) -> Event | str:
    """Read the JSON of a line; a text says why it is no event."""
    try:
        entry = parse_json(text)
    except ValueError as error:
        return f"it is not JSON: {error}"
    if not isinstance(entry, dict) or not isinstance(entry.get("key"), str):
        return "it has no key"
    time_ms = entry.get("time_ms")
    if not isinstance(time_ms, int) or isinstance(time_ms, bool) or not 0 <= time_ms <= _LATEST_MS:
        return "its time_ms is not a time in milliseconds since 1970"
    metadata = entry.get("metadata")
    return Event(number, time_ms, entry["key"], entry.get("value"), metadata if isinstance(metadata, dict) else {})
