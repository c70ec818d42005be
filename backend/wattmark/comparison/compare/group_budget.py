"""The budget of the mean of repeats: their scatter, and every error that all of them share."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from wattmark_calibration import Contribution, UncertainValue

from wattmark.analysis.comparison.comparison import System
from wattmark.core.quantity import BudgetLine

BETWEEN = "Scatter of repeats"
WITHIN = "Scatter within the run"


def group_budget(of: System, lines: Iterable[BudgetLine], unit: str) -> UncertainValue | None:
    """Build the budget of a system's mean [unit]; None where its scatter is not known.

    ``lines`` are the budgets of its runs, which name the shared errors; the first of a name is taken. Shared errors are
    never divided by the number of runs (method 2.2).
    """
    if of.log.u is None:
        return None
    named = _named(of.shared, lines)
    shared = [_shared(of.value * u, named[group]) for group, u in of.shared.items() if u != 0 and group in named]
    scatter = Contribution(
        BETWEEN if of.log.n > 1 else WITHIN,
        of.value * of.log.u,
        "A",
        of.log.dof,
        note=repeats_note(of),
        unit=unit,
        kind="repeats" if of.log.n > 1 else "scatter",
    )
    terms = [term for term in (scatter, *shared) if term.u_result > 0]
    return UncertainValue(of.value, unit, tuple(terms), complete=of.complete)


def repeats_note(of: System) -> str:
    """Explain how many runs a mean is of, and in how many installations or boots they were made."""
    if of.log.n == 1:
        return "one run"
    if of.log.units == of.log.n:
        return f"{of.log.n} runs"
    return f"{of.log.n} runs in {of.log.units} {'installations' if of.installations > 1 else 'boots'}"


def _named(shared: Mapping[str, float], lines: Iterable[BudgetLine]) -> dict[str, BudgetLine]:
    """Find a line for each shared error; stops at the last of them, as thousands of runs repeat the same."""
    by_group: dict[str, BudgetLine] = {}
    for line in lines:
        if len(by_group) == len(shared):
            break
        if line.correlation_group is not None and line.correlation_group in shared and line.u_result > 0:
            by_group.setdefault(line.correlation_group, line)
    return by_group


def _shared(u: float, line: BudgetLine) -> Contribution:
    """Build the contribution of an error that all runs share [its own unit], with the parts that it has in a run."""
    return Contribution(
        line.name,
        line.u,
        line.evaluation,
        sensitivity=abs(u) / line.u,
        correlation_group=line.correlation_group,
        note=line.note,
        value=line.value,
        unit=line.unit,
        distribution=line.distribution,
        parts=tuple((part.name, part.u_result * line.u / line.u_result) for part in line.parts),
        kind=line.kind,
    )
