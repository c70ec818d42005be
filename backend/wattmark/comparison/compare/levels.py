"""The count or the load that the level of a run names."""

from __future__ import annotations

import re

_COUNT = re.compile(r"(\d{1,9})(?:\s.*)?", re.DOTALL)
_PERCENT = re.compile(r"(\d{1,3}(?:\.\d+)?) ?%(?:\s.*)?", re.DOTALL)
_IDLE = ("idle", "active idle", "0 %", "0%")


def level_count(level: str) -> int | None:
    """Read the count of a level ("4 processes" is 4); None where it names no count."""
    match = _COUNT.fullmatch(level)
    return int(match.group(1)) or None if match else None


def target_load(level: str) -> float | None:
    """Read the target load that a level names [%], 0 of active idle; None where it names none."""
    if level.strip().lower() in _IDLE:
        return 0.0
    match = _PERCENT.fullmatch(level.strip())
    return float(match.group(1)) if match else None
