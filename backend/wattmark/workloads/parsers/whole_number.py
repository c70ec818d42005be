"""A pattern may find a part of a number only: 65 in 65.4k, 662 in 65,662, 6 in 6e5."""

from __future__ import annotations

import re

from wattmark.core.errors import WorkloadFailed
from wattmark.workloads.parsers.printed_lines import CUT

_EXPONENT = re.compile(r"[eE][-+]?\d")
_GOES_ON = re.compile(rf"\d|[.,'’_]\d|[\u00a0\u2009\u202f]\d|{CUT}")
_BEGAN_BEFORE = re.compile(r"(?:[-+−\d]|[\d][.,'’_\u00a0\u2009\u202f]|\d[eE]|(?<![\w.])[.,])$")
_GROUP_AFTER = re.compile(r" \d{3}(?![\w.,])")
_GROUP_BEFORE = re.compile(r"(?<![\w.,])\d{1,3} $")
_UNIT = re.compile(r"[^\W\d_]|%")
_REMEDY = "Let the pattern contain all of the number and what stands around it, such as its unit."


def require_whole(match: re.Match[str], pattern: re.Pattern[str]) -> None:
    """Check that the group "value" of a match is all of a number, in the unit that the pattern names.

    What the pattern itself takes in around the group is declared; the rest of the line is looked at.
    Raises `WorkloadFailed`.
    """
    text, (begin, end) = match.string, match.span("value")
    if begin < 0:
        return
    before, after = text[:begin], text[end:]
    if match.start() == begin and (_BEGAN_BEFORE.search(before) or _is_group(match["value"], _GROUP_BEFORE, before)):
        raise _part(match, "begins before it")
    if _EXPONENT.match(after):
        raise _part(match, "goes on after it")
    if match.end() > end:
        return
    if _GOES_ON.match(after) or (match["value"].lstrip("+-").isdecimal() and _GROUP_AFTER.match(after)):
        raise _part(match, "goes on after it")
    alone = pattern.search(text[:end]) if _UNIT.match(after) else None
    if alone is not None and alone.span("value") == (begin, end):
        raise _part(match, f"has a unit that the pattern does not name: {after.split()[0][:20]}")


def _is_group(value: str, group: re.Pattern[str], before: str) -> bool:
    return re.fullmatch(r"\d{3}(?:[.,]\d*)?", value) is not None and group.search(before) is not None


def _part(match: re.Match[str], how: str) -> WorkloadFailed:
    line = match.string.strip()[:200]
    return WorkloadFailed(f'The pattern finds {match["value"]} in "{line}", but the number {how}.', _REMEDY)
