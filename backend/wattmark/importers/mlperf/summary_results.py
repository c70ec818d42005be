"""summary_results.json of a round (v5.1 on): what was published for each result, by its folder."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Any

from wattmark.audits.published_figures import PrintedFigure
from wattmark.core.amounts import problem
from wattmark.importers.mlperf.mlperf_tree import ResultFolder
from wattmark.workloads.loadgen.source_file import parse_json, read_source

NAME = "summary_results.json"
_UP = 8
"""Folders between a run and the root of its round."""
_MOST_BYTES = 64 * 2**20
_UNITS = {"Watts": ("W", 1.0), "Joules": ("J", 1.0), "millijoules": ("J", 1e-3)}


def published_in_tree(folder: ResultFolder, unit: str) -> PrintedFigure | None:
    """Return the figure that the tree of a result states as published, in a unit; None where it states none.

    Raises `InputError` where the file of the tree cannot be read.
    """
    if folder.submitter is None or len(folder.path.parents) < _UP:
        return None
    path = folder.path.parents[_UP - 1] / NAME
    try:
        stat = path.stat()
    except OSError:
        return None
    if stat.st_size > _MOST_BYTES:
        return None
    location = folder.where.removesuffix(f"/performance/{folder.path.name}")
    stated = _powers(path, stat.st_mtime_ns).get(location)
    if stated is None or stated[1] != unit:
        return None
    return PrintedFigure(stated[0], f"{folder.round or 'the round'}, {NAME}")


@lru_cache(maxsize=2)
def _powers(path: Path, _: int) -> dict[str, tuple[float, str]]:
    """Read power or energy of every result by its folder; empty for a file that is none."""
    try:
        entries = parse_json(read_source(path, NAME).text)
    except ValueError:
        return {}
    powers = (_power(entry) for entry in entries if isinstance(entry, dict)) if isinstance(entries, list) else ()
    return dict(power for power in powers if power is not None)


def _power(entry: dict[str, Any]) -> tuple[str, tuple[float, str]] | None:
    location, value = entry.get("Location"), entry.get("Power_Result")
    unit, scale = _UNITS.get(str(entry.get("Power_Units")), ("", 0.0))
    if not isinstance(location, str) or isinstance(value, bool) or not isinstance(value, (int, float)):
        return None
    return None if not unit or problem(value) or value <= 0 else (location, (value * scale, unit))
