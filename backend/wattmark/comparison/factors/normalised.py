"""Figures in multiples of one configuration's: "factor 1 = baseline"."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from wattmark.analysis.comparison.comparison import around
from wattmark.analysis.comparison.measured import Measured
from wattmark.analysis.comparison.normalise import Normalised, normalised
from wattmark.analysis.comparison.sert import geometric_mean
from wattmark.analysis.refusal import Refused
from wattmark.comparison.choices import Figure
from wattmark.comparison.compare.cells import (
    TITLES,
    Repeated,
    mean_ratio,
    ratio_of,
    ratio_remark,
    repeated,
    scatter_only,
)
from wattmark.comparison.factors.table_views import NormalisedOut, NormalisedRow
from wattmark.core.errors import InputError
from wattmark.core.interval import Interval
from wattmark.core.numbers import format_uncertain
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord


def normalised_view(
    pairs: Iterable[tuple[RunRecord, Result]], baseline: str | None = None, figure: Figure = "efficiency"
) -> NormalisedOut:
    """Compute every configuration's figure in multiples of the baseline's under the same workload and level [1].

    ``baseline`` is "<server>/<configuration>"; None takes the one that ran under most workloads and levels, the first
    among equals. Raises `InputError` for an unknown one and where there are no figures.
    """
    figures, remarks = repeated(pairs, figure)
    base = choose_baseline(figures, baseline)
    by_work: dict[tuple[str, str, str], dict[str, Repeated]] = defaultdict(dict)
    for f in figures:
        by_work[f.factors["workload"], f.factors["level"], f.unit][f.key] = f
    rows: list[NormalisedRow] = []
    pairs_of: dict[str, list[tuple[Repeated, Repeated]]] = defaultdict(list)
    for (workload, level, _), group in by_work.items():
        if base not in group:
            remarks.append(f"{workload}, {level}: excluded, because {base} did not run it.")
            continue
        rows += [_row(entry, group, base) for entry in _figures(group, base)]
        for key, f in group.items():
            pairs_of[key].append((f, group[base]))
    means = {key: _mean(both) for key, both in pairs_of.items()}
    return NormalisedOut(
        figure=figure,
        baseline=base,
        rows=rows,
        means=means,
        statement=_statement(figure, base, means),
        simulated=any(row.simulated for row in rows),
        remarks=remarks,
    )


def _figures(group: dict[str, Repeated], base: str) -> tuple[Normalised, ...]:
    try:
        return normalised({key: Measured(f.system.value) for key, f in group.items()}, base)
    except Refused as refusal:
        raise InputError(refusal.text, "Exclude the run, or repeat it.") from None


def choose_baseline(figures: Sequence[Repeated], wanted: str | None) -> str:
    """Return the wanted configuration, or the one with most figures. Raises `InputError` for an unknown one."""
    keys = list(dict.fromkeys(f.key for f in figures))
    if not keys:
        raise InputError("There are no results to normalise.", "Complete a run first, or choose another quantity.")
    if wanted is None:
        return max(keys, key=lambda key: sum(f.key == key for f in figures))
    if wanted not in keys:
        raise InputError(f"There is no configuration {wanted[:160]!r}.", f"Choose one of: {', '.join(keys)}.")
    return wanted


def _row(entry: Normalised, group: dict[str, Repeated], base: str) -> NormalisedRow:
    f = group[entry.key]
    estimate = None if entry.key == base else ratio_of(f, group[base])
    remark = f.remark if entry.key == base else ratio_remark(estimate, [f], [group[base]])
    return NormalisedRow(
        key=entry.key,
        workload=f.factors["workload"],
        level=f.factors["level"],
        n=f.n,
        value=f.interval,
        unit=f.unit,
        factor=around(entry.factor, estimate),
        simulated=f.simulated or group[base].simulated,
        traceable=f.traceable and group[base].traceable,
        sources_disagree=bool(f.disagreements or group[base].disagreements),
        scatter_only=scatter_only(estimate, [f, group[base]]),
        remark=remark,
        included=bool(f.included or group[base].included),
    )


def _mean(pairs: Sequence[tuple[Repeated, Repeated]]) -> Interval:
    """Average the factors of a configuration geometrically."""
    share = 1 / len(pairs)
    estimate = mean_ratio((share, new, share, old) for new, old in pairs)
    mean = geometric_mean([new.system.value / old.system.value for new, old in pairs])
    return around(mean, estimate)


def _statement(figure: Figure, base: str, means: Mapping[str, Interval]) -> str:
    factors = ", ".join(f"{key} {format_uncertain(of.value, of.U95)}" for key, of in means.items() if key != base)
    shown = f" Geometric means: {factors}." if factors else ""
    return f"{TITLES[figure]} in multiples of {base} (factor 1 = baseline).{shown}"
