"""The load levels of a text: exactly ten target loads and active idle, or the reason why not."""

from __future__ import annotations

import re

from wattmark.analysis.comparison.specpower import TEN_LEVELS, LoadLevel, OverallRatio, overall_ratio
from wattmark.analysis.refusal import Refused
from wattmark.comparison.published.published_result import PublishedLevel
from wattmark.core.amounts import problem
from wattmark.core.errors import InputError
from wattmark.importers.specpower.fdr_text import Fdr
from wattmark.workloads.loadgen.source_file import broken

SUMMARY = "Benchmark Results Summary"
IDLE = "Active Idle"
_TARGET = re.compile(r"(100|[1-9]0)%")
_NUMBER = re.compile(r"[0-9]{1,3}(?:,[0-9]{3})*(?:\.[0-9]+)?|[0-9]+(?:\.[0-9]+)?")
_REMEDY = "Give a full disclosure text with all ten target loads and active idle."


def read_levels(fdr: Fdr, name: str) -> tuple[PublishedLevel, ...]:
    """Read the levels, 100 % first. Raises `InputError` naming what is missing."""
    levels: dict[float, PublishedLevel] = {}
    for number, cells in fdr.rows.get(SUMMARY, []):
        level = _level(name, number, cells)
        if level is None:
            continue
        if level.target_pct in levels:
            raise broken(name, number, f"the level {level.target_pct:g} % occurs twice", _REMEDY)
        levels[level.target_pct] = level
    wanted = [*(float(target) for target in TEN_LEVELS), 0.0]
    missing = [f"{target:g} %" if target else "active idle" for target in wanted if target not in levels]
    if missing:
        lacking = "of all loads" if len(missing) == len(wanted) else ", ".join(missing)
        raise InputError(f"{name} lacks the levels {lacking}.{fdr.withheld}", _REMEDY)
    return tuple(levels[target] for target in wanted)


def recompute(levels: tuple[PublishedLevel, ...], name: str) -> OverallRatio:
    """Compute the overall figure from the printed levels. Raises `InputError` where they give none."""
    try:
        return overall_ratio([LoadLevel(level.target_pct, level.ops_per_s, level.power_w) for level in levels])
    except Refused as refused:
        raise InputError(f"{name}: {refused}", "Restore the text from its source.") from None


def rounding_pct(levels: tuple[PublishedLevel, ...], printed: float) -> float:
    """Compute how far the printed overall figure may lie from one recomputed, from the last digits printed [%]."""
    ops, watts = sum(level.ops_per_s for level in levels), sum(level.power_w for level in levels)
    return 100 * (0.5 * len(levels) / watts + 0.5 * len(levels) / ops + 0.5 / printed)


def number(text: str) -> float | None:
    """Read a printed number with its thousands grouped; None where it is none."""
    return float(text.replace(",", "")) if _NUMBER.fullmatch(text) and len(text) < 30 else None


def _level(name: str, line: int, cells: list[str]) -> PublishedLevel | None:
    if (match := _TARGET.fullmatch(cells[0])) and len(cells) == 5:
        target, actual, rest = float(match[1]), number(cells[1].removesuffix("%")), cells[2:]
        if actual is None:
            raise broken(name, line, f"{cells[1][:40]!r} is not an actual load", _REMEDY)
    elif cells[0] == IDLE and len(cells) == 4:
        target, actual, rest = 0.0, None, cells[1:]
    else:
        return None
    ops, watts, ratio = (number(cell) for cell in rest)
    if ops is None or watts is None or problem(ops) or problem(watts) or watts == 0:
        raise broken(name, line, f"{' | '.join(rest)[:80]!r} are not ssj_ops and watts", _REMEDY)
    return PublishedLevel(target_pct=target, actual_pct=actual, ops_per_s=ops, power_w=watts, printed_ratio=ratio)
