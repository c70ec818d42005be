"""The load of a level: full load by its name, another by its name, or as measured in its runs."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Protocol

from wattmark.comparison.compare.views import CompareGroup

OVERALL = "overall"
"""Level of a published figure over all loads."""
FULL_LOAD = "full load"
"""The level of published figures whose articles state no other."""
_FULL = re.compile(r"full load|all (?:threads|cores|cpus|processes)", re.ASCII)
_SHARE = re.compile(r"([0-9]{1,3}(?:\.[0-9]{1,9})?) ?%(?: of the maximum)?", re.ASCII)
_NOT_FULL = (OVERALL, "idle", "active idle")


class AtLevel(Protocol):
    """A figure at a level."""

    @property
    def level(self) -> str: ...


def full_by_name(level: str) -> bool | None:
    """Return whether a level's name says that it is full load; None where the name leaves it open ("4 processes")."""
    name = level.strip().casefold()
    if name in _NOT_FULL:
        return False
    share = _SHARE.fullmatch(name)
    if share is not None:
        return float(share.group(1)) == 100
    return True if _FULL.fullmatch(name) else None


def same_load(level: str, other: str) -> bool:
    """Return whether two names mean the same load: "100 %", "full load" and "all threads" do."""
    return level == other or bool(full_by_name(level) and full_by_name(other))


def stands_at(published: str, level: str, measured: Iterable[CompareGroup]) -> bool:
    """Return whether a published figure of one level belongs beside figures measured at another.

    A figure at full load does where the level is named so, or where a configuration there is shown to be at full load.
    """
    if same_load(published, level):
        return True
    return bool(full_by_name(published)) and full_by_name(level) is None and any(group.full_load for group in measured)


def elsewhere_text(elsewhere: Sequence[AtLevel], level: str) -> str | None:
    """Count the published figures that stand at another load than this level, with theirs; None for none."""
    if not elsewhere:
        return None
    counts = Counter(figure.level for figure in elsewhere)
    at = ", ".join(f"{count} at {name}" for name, count in sorted(counts.items()))
    figures = f"published figure{'' if len(elsewhere) == 1 else 's'} of this workload"
    if full_by_name(level) is None and all(full_by_name(name) for name in counts):
        return f"Not compared: {len(elsewhere)} {figures} at full load; no run at {level} is shown to be at full load."
    return f"Not compared: {len(elsewhere)} {figures} at another load than {level} ({at})."


def other_unit_text(figures: Sequence[CompareGroup]) -> str | None:
    """Count the published figures whose work is counted in another unit; None for none."""
    if not figures:
        return None
    units = ", ".join(sorted({figure.throughput_unit for figure in figures}))
    return f"Not compared: {len(figures)} published figure{'' if len(figures) == 1 else 's'} in another unit ({units})."
