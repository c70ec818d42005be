"""The budget of the mean of repeats: their scatter, and every error that all of them share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from wattmark_calibration import Contribution, Kind, UncertainValue

from wattmark.analysis.comparison import System
from wattmark.runs.result import Budget

BETWEEN = "Scatter of repeats"
WITHIN = "Scatter within the run"


def group_budget(of: System, lines: Sequence[Budget], unit: str) -> UncertainValue | None:
    """Put together the budget of a system's mean [unit]; None where its scatter is not known.

    ``lines`` are the budgets of its runs, which name the shared errors. Shared errors are never divided by the number
    of runs (method 2.2).
    """
    if of.log.u is None:
        return None
    named = {line.correlation_group: line for line in lines if line.correlation_group is not None}
    shared = [_shared(of.value * u, named[group]) for group, u in of.shared.items() if u != 0 and group in named]
    note = f"{of.log.n} runs" if of.log.n > 1 else "one run"
    scatter = Contribution(
        BETWEEN if of.log.n > 1 else WITHIN,
        of.value * of.log.u,
        "A",
        of.log.dof,
        note=note,
        unit=unit,
        kind="repeats" if of.log.n > 1 else "scatter",
    )
    terms = [term for term in (scatter, *shared) if term.u_result > 0]
    return UncertainValue(of.value, unit, tuple(terms), complete=of.complete)


def _shared(u: float, line: Budget) -> Contribution:
    """Write an error that all runs share, with the parts that it has in a run."""
    return Contribution(
        line.name,
        abs(u),
        line.evaluation,
        correlation_group=line.correlation_group,
        note=line.note,
        distribution=line.distribution,
        parts=tuple((part.name, part.u * abs(u) / line.u) for part in line.parts),
        kind=cast("Kind", line.kind),
    )
