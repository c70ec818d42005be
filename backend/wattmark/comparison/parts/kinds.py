"""Kinds of parts among runs, so that no line mixes parts that draw different power."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from wattmark.comparison.parts.counting import Counting
from wattmark.comparison.parts.views import CountedKind
from wattmark.core.errors import InputError
from wattmark.core.part_words import PartWords
from wattmark.results.result import Result

ALL = "all"
"""Asks for the runs of all kinds in one line."""


def kinds_of(counted: Sequence[Result], counting: Counting) -> list[CountedKind]:
    """List the kinds of parts among runs that count, those with most counts and then most runs first."""
    runs: dict[str, list[Result]] = defaultdict(list)
    for r in counted:
        runs[counting.kind(r)].append(r)
    kinds = [
        CountedKind(
            part=name,
            counts=sorted({count for r in own if (count := counting.count(r)) is not None}),
            runs=len(own),
        )
        for name, own in runs.items()
    ]
    return sorted(kinds, key=lambda kind: (-len(kind.counts), -kind.runs, kind.part))


def choose_kind(kinds: Sequence[CountedKind], wanted: str | None, counting: Counting) -> str:
    """Choose one kind, or `ALL` where none has two counts. Raises `InputError` for an unknown one."""
    names = [*(kind.part for kind in kinds), *([ALL] if counting.mixed else [])]
    if wanted is not None and wanted not in names:
        raise InputError(
            f"No run that counts has {counting.part.pieces} {wanted[:80]!r}.",
            f"Choose {', '.join(names) or 'another server'}.",
        )
    if wanted is not None:
        return wanted
    if not kinds or (len(kinds) > 1 and len(kinds[0].counts) < 2):
        return ALL
    return kinds[0].part


def mixture(kinds: Sequence[CountedKind], chosen: str, part: PartWords) -> list[str]:
    """Explain in sentences which other parts were left out, or that the line mixes several kinds."""
    if len(kinds) < 2:
        return []
    if chosen == ALL:
        named = "; ".join(
            f"{listed_counts(kind.counts)} × {kind.part}" for kind in sorted(kinds, key=lambda kind: kind.counts)
        )
        return [f"The {part.pieces} differ too ({named}), so the slope is not that of one kind of {part.piece}."]
    others = [kind for kind in kinds if kind.part != chosen]
    named = ", ".join(f"{kind.runs} with {kind.part}" for kind in others)
    runs = sum(kind.runs for kind in others)
    return [
        f"Only runs with {chosen} are shown; {runs} other {'run has' if runs == 1 else 'runs have'} other "
        f"{part.pieces} ({named})."
    ]


def shown_parts(chosen: str, part: PartWords) -> str:
    """Name the parts of a line in a title: one kind of them, or all."""
    return f"all {part.pieces}" if chosen == ALL else chosen


def listed_counts(counts: Sequence[int]) -> str:
    """Join counts to a phrase: "2, 4 and 8"."""
    *others, last = map(str, counts)
    return f"{', '.join(others)} and {last}" if others else last
