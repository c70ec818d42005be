"""The count that the level of a run names."""

from __future__ import annotations

import re

_COUNT = re.compile(r"(\d{1,9})(?:\s.*)?", re.DOTALL)


def level_count(level: str) -> int | None:
    """Read the count of a level ("4 processes" is 4); None where it names no count."""
    match = _COUNT.fullmatch(level)
    return int(match.group(1)) or None if match else None
