"""Configurations by workloads: each figure as a multiple of the baseline's, and their geometric mean."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence

from wattmark.analysis.comparison.comparison import Estimate, around, can_test
from wattmark.analysis.comparison.course import turns
from wattmark.analysis.comparison.ranking import SIGNIFICANCE, holm
from wattmark.analysis.comparison.sert import geometric_mean
from wattmark.comparison.choices import Figure
from wattmark.comparison.compare.cells import Repeated, mean_ratio, other_program, ratio_of, ratio_remark, repeated
from wattmark.comparison.compare.views import MatrixCell, MatrixColumn, MatrixMean, MatrixOut, MatrixRow
from wattmark.core.errors import InputError
from wattmark.results.ranking_bars import why_not_ranked
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord

_Column = tuple[str, str]
"""A workload with its level."""
_Cells = Mapping[tuple[str, _Column], Repeated]
_Tested = Mapping[tuple[str, _Column], float]
"""p-values of cells, adjusted for their number."""


def matrix(
    pairs: Iterable[tuple[RunRecord, Result]], keys: Sequence[str], baseline: str, figure: Figure = "efficiency"
) -> MatrixOut:
    """Compare configurations ("<server>/<configuration>") under every workload they ran, against ``baseline``.

    A workload is shown at the level that most configurations ran. In a mean, what one meter does to all workloads
    counts once. Raises `InputError` where the baseline has no run.
    """
    ran = list(pairs)
    if all(key_of(run) != baseline for run, _ in ran):
        raise InputError(f"There is no configuration {baseline[:160]!r}.", "Choose a measured baseline.")
    cells = {(f.key, (f.factors["workload"], f.factors["level"])): f for f in repeated(ran, figure)[0]}
    columns = _columns(ran, cells)
    estimates = {
        (key, column): estimate
        for key in dict.fromkeys(keys)
        for column in columns
        if key != baseline
        and (key, column) in cells
        and (baseline, column) in cells
        and (estimate := ratio_of(cells[key, column], cells[baseline, column])) is not None
    }
    tested = _tested(estimates, cells, baseline)
    barred = _barred(ran, figure)
    return MatrixOut(
        baseline=baseline,
        figure=figure,
        columns=[_column(column, cells, ran) for column in columns],
        rows=[
            MatrixRow(
                key=key,
                cells=[_cell(key, column, baseline, cells, estimates, tested, barred) for column in columns],
                mean=_mean(key, columns, baseline, cells),
            )
            for key in dict.fromkeys(keys)
        ],
    )


def key_of(run: RunRecord) -> str:
    """Return the configuration of a run: "<server>/<configuration>"."""
    return f"{run.server}/{run.configuration}"


def _columns(ran: Sequence[tuple[RunRecord, Result]], cells: _Cells) -> list[_Column]:
    """Choose a level for each workload: the one with most figures, then with most runs, then the last by name."""
    runs = Counter((run.workload, run.level) for run, _ in ran)
    figures = Counter(column for _, column in cells)
    levels: dict[str, list[_Column]] = defaultdict(list)
    for column in runs:
        levels[column[0]].append(column)
    chosen = [max(of, key=lambda column: (figures[column], runs[column], column)) for of in levels.values()]
    return sorted(chosen)


def _column(column: _Column, cells: _Cells, ran: Sequence[tuple[RunRecord, Result]]) -> MatrixColumn:
    of = [f for (_, its), f in cells.items() if its == column]
    unit = of[0].unit if of else next(r.efficiency_unit for run, r in ran if (run.workload, run.level) == column)
    return MatrixColumn(workload=column[0], level=column[1], unit=unit, n=len(of))


def _tested(estimates: Mapping[tuple[str, _Column], Estimate], cells: _Cells, baseline: str) -> _Tested:
    testable = [
        at
        for at, estimate in estimates.items()
        if estimate.u > 0
        and can_test(cells[at].system, cells[baseline, at[1]].system)
        and not other_program(cells[at], cells[baseline, at[1]])
        and turns(cells[at].system.course, cells[baseline, at[1]].system.course) == "in turns"
    ]
    return dict(zip(testable, holm([estimates[at].p for at in testable]), strict=True))


def _barred(ran: Sequence[tuple[RunRecord, Result]], figure: Figure) -> dict[tuple[str, _Column], str]:
    """Return why a configuration that ran a workload has no figure there, by its last run."""
    causes = {}
    for run, result in ran:
        causes[key_of(run), (run.workload, run.level)] = why_not_ranked(result, figure) or "without the figure"
    return causes


def _cell(
    key: str,
    column: _Column,
    baseline: str,
    cells: _Cells,
    estimates: Mapping[tuple[str, _Column], Estimate],
    tested: _Tested,
    barred: Mapping[tuple[str, _Column], str],
) -> MatrixCell | None:
    own, against = cells.get((key, column)), cells.get((baseline, column))
    if own is None:
        why = barred.get((key, column))
        return None if why is None else MatrixCell(value=None, remark=f"Not ranked: {why}.")
    if against is None:
        return MatrixCell(value=own.system.value, simulated=own.simulated, remark="The baseline has no figure here.")
    estimate, p = estimates.get((key, column)), tested.get((key, column))
    return MatrixCell(
        value=own.system.value,
        ratio=around(own.system.value / against.system.value, estimate),
        significant=None if p is None else p < SIGNIFICANCE,
        simulated=own.simulated or against.simulated,
        remark=own.remark if key == baseline else ratio_remark(estimate, [own], [against]),
    )


def _mean(key: str, columns: Sequence[_Column], baseline: str, cells: _Cells) -> MatrixMean | None:
    """Average the ratios of a configuration geometrically; None for fewer than two."""
    both = [
        (cells[key, column], cells[baseline, column])
        for column in columns
        if (key, column) in cells and (baseline, column) in cells
    ]
    if len(both) < 2:
        return None
    share = 1 / len(both)
    estimate = mean_ratio((share, new, share, old) for new, old in both)
    news, olds = zip(*both, strict=True)
    return MatrixMean(
        ratio=around(geometric_mean([new.system.value / old.system.value for new, old in both]), estimate),
        workloads=len(both),
        remark=None if key == baseline else ratio_remark(estimate, news, olds),
    )
