"""The load with the most work per joule, and the knee of that curve: the same for measured and published figures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from wattmark.analysis.comparison.comparison import FEWEST_TO_TEST, System
from wattmark.analysis.comparison.measured import Measured
from wattmark.analysis.comparison.ranking import compare_all
from wattmark.analysis.refusal import Refused
from wattmark.analysis.scaling.sweep import knee_level, sweep
from wattmark.comparison.scaling.scaling_views import BestLoad, LoadLevelRow
from wattmark.core.numbers import format_number, format_uncertain
from wattmark.core.texts import all_of


def best_load(rows: Sequence[LoadLevelRow], systems: Mapping[str, System]) -> BestLoad | None:
    """Find the load with the most work per joule, the highest of equal ones; None where no load has work.

    ``systems`` are the repeats of work per joule by the name of their level, none for published figures. Loads that no
    test tells from the best are named beside it, and so are those that could not be tested.
    """
    working = [(row, row.ops_per_joule) for row in rows if row.ops_per_joule is not None]
    if not working:
        return None
    top, figure = max(working, key=lambda pair: (pair[1].value, pair[0].load_pct))
    tested = compare_all(systems)
    verdicts = {row.load_pct: tested.significant(top.level, row.level) for row, _ in working if row is not top}
    return BestLoad(
        load_pct=top.load_pct,
        ops_per_joule=figure,
        alike_pct=sorted(load for load, differs in verdicts.items() if differs is False),
        untested_pct=sorted(load for load, differs in verdicts.items() if differs is None),
    )


def knee_pct(rows: Sequence[LoadLevelRow]) -> float | None:
    """Find the load at which work per joule bends most [%]; None where the curve has no knee, or too few levels."""
    figures = {row.load_pct: Measured(row.ops_per_joule.value) for row in rows if row.ops_per_joule is not None}
    try:
        return knee_level(sweep(list(figures), list(figures.values())))
    except Refused:
        return None


def best_words(best: BestLoad | None, knee: float | None, rows: Sequence[LoadLevelRow], unit: str) -> list[str]:
    """Describe the best load with those that are not known to differ from it, and the knee, a sentence each."""
    if best is None:
        return []
    figure = format_uncertain(best.ops_per_joule.value, best.ops_per_joule.U95, unit)
    alike = f"; not distinguishable from it: {load_words(best.alike_pct, rows)}" if best.alike_pct else ""
    sentences = [f"Most work per joule at {load_words([best.load_pct], rows)}: {figure}{alike}{_untested(best, rows)}"]
    if knee is not None:
        sentences.append(f"Work per joule bends most at {load_words([knee], rows)}")
    return sentences


def _untested(best: BestLoad, rows: Sequence[LoadLevelRow]) -> str:
    """Name the loads that could not be tested against the best, and what a test needs; empty where there is none."""
    if not best.untested_pct:
        return ""
    others = sum(row.ops_per_joule is not None for row in rows) - 1
    untested = "any other load" if len(best.untested_pct) == others else load_words(best.untested_pct, rows)
    return f"; not tested against {untested} (a test needs {FEWEST_TO_TEST} runs of each, in turns)"


def load_words(loads: Sequence[float], rows: Sequence[LoadLevelRow]) -> str:
    """Name loads as their levels do: "80 and 90 % load", or "2 clients and 4 clients" where levels are counts."""
    names = [row.level for load in loads for row in rows if row.load_pct == load]
    if not all("%" in name for name in names):
        return all_of(names)
    return f"{all_of([format_number(load, 3) for load in loads])} % load"
