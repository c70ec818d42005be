"""Rows of a table that name no server: they sum up others, or compare two of them."""

from __future__ import annotations

import re
from collections.abc import Collection

_OF_ALL = (
    *("average", "avg", "mean", "median", "geomean", "geometric mean", "harmonic mean", "overall"),
    *("total", "totals", "subtotal", "sum", "mittelwert", "durchschnitt", "summe", "gesamt"),
)
_OF_SOME = ("min", "minimum", "max", "maximum", "std", "stddev", "standard deviation")
_COMPARED = ("difference", "diff", "delta", "ratio", "speedup", "change", "improvement")
_BEHIND = r"(?: (?:of|over|for|across|all|n|servers|systems|results)\b.*)?"


def _pattern(*words: str) -> re.Pattern[str]:
    return re.compile(rf"(?:grand |sub[ -]?)?(?:{'|'.join(words)}){_BEHIND}")


_SUMMARY = _pattern(*_OF_ALL, *_OF_SOME, *_COMPARED)
_SUMMARY_OF_ALL = _pattern(*_OF_ALL)
_BETWEEN = re.compile(r" ?[/:÷−–-] ?| (?:vs\.?|versus|over|to|und|and) ")


def sums_up(name: str, *, in_any_column: bool = False) -> bool:
    """Return whether a name is that of a row that sums up others.

    ``in_any_column``: a cell of which nobody says what it holds, such as a mode "max".
    """
    plain = re.sub(r"\s*[(\[].*?[)\]]\s*$", "", name).strip(" :.").casefold()
    return (_SUMMARY_OF_ALL if in_any_column else _SUMMARY).fullmatch(plain) is not None


def compares(name: str, servers: Collection[str]) -> bool:
    """Return whether a name is made of those of two servers, as "B/A" is."""
    cuts = [(name[: match.start()], name[match.end() :]) for match in _BETWEEN.finditer(name)]
    return any(first in servers and second in servers for first, second in cuts)
