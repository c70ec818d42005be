"""Figures in multiples of one configuration's: "factor 1 = baseline"."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from wattmark.analysis.measured import Measured
from wattmark.analysis.normalise import Normalised, normalised
from wattmark.analysis.refusal import Refused
from wattmark.analysis.sert import geometric_mean
from wattmark.errors import InputError
from wattmark.reports.numbers import format_uncertain
from wattmark.results.cells import TITLES, Figure, Repeated, mean_ratio, ratio_of, ratio_remark, repeated, scatter_only
from wattmark.results.plus_minus import half_width
from wattmark.results.table_views import NormalisedOut, NormalisedRow
from wattmark.runs.record import RunRecord
from wattmark.runs.result import Result


def normalised_view(
    pairs: Iterable[tuple[RunRecord, Result]], baseline: str | None = None, figure: Figure = "efficiency"
) -> NormalisedOut:
    """Divide every configuration's figure by the baseline's under the same workload and level [1].

    ``baseline`` is "<server>/<configuration>"; None takes the one that ran under most workloads and levels, the first
    among equals. Raises `InputError` for an unknown one and where there are no figures.
    """
    found, remarks = repeated(pairs, figure)
    base = choose_baseline(found, baseline)
    by_work: dict[tuple[str, str, str], dict[str, Repeated]] = defaultdict(dict)
    for one in found:
        by_work[one.told["workload"], one.told["level"], one.unit][one.key] = one
    rows: list[NormalisedRow] = []
    pairs_of: dict[str, list[tuple[Repeated, Repeated]]] = defaultdict(list)
    for (workload, level, _), group in by_work.items():
        if base not in group:
            remarks.append(f"{workload}, {level}: left out, for {base} did not run it.")
            continue
        rows += [_row(entry, group, base) for entry in _figures(group, base)]
        for key, one in group.items():
            pairs_of[key].append((one, group[base]))
    means = {key: _mean(both) for key, both in pairs_of.items()}
    return NormalisedOut(
        figure=figure,
        baseline=base,
        rows=rows,
        means={key: mean for key, (mean, _) in means.items()},
        means_U95={key: half for key, (_, half) in means.items()},
        statement=_statement(figure, base, means),
        simulated=any(row.simulated for row in rows),
        remarks=remarks,
    )


def _figures(group: dict[str, Repeated], base: str) -> tuple[Normalised, ...]:
    try:
        return normalised({key: Measured(one.system.value) for key, one in group.items()}, base)
    except Refused as refusal:
        raise InputError(refusal.text, "Leave the run out, or repeat it.") from None


def choose_baseline(found: Sequence[Repeated], wanted: str | None) -> str:
    """Take the wanted configuration, or the one with most figures. Raises `InputError` for an unknown one."""
    known = list(dict.fromkeys(one.key for one in found))
    if not known:
        raise InputError("There are no figures to normalise.", "Finish a run first, or choose another figure.")
    if wanted is None:
        return max(known, key=lambda key: sum(one.key == key for one in found))
    if wanted not in known:
        raise InputError(f"There is no configuration {wanted[:160]!r}.", f"Choose one of: {', '.join(known)}.")
    return wanted


def _row(entry: Normalised, group: dict[str, Repeated], base: str) -> NormalisedRow:
    one = group[entry.key]
    estimate = None if entry.key == base else ratio_of(one, group[base])
    low, high = (None, None) if estimate is None else estimate.interval()
    remark = one.remark if entry.key == base else ratio_remark(estimate, [one], [group[base]])
    return NormalisedRow(
        key=entry.key,
        workload=one.told["workload"],
        level=one.told["level"],
        n=one.n,
        value=one.system.value,
        value_U95=one.half_width,
        unit=one.unit,
        factor=entry.factor,
        low=low,
        high=high,
        simulated=one.simulated or group[base].simulated,
        traceable=one.traceable and group[base].traceable,
        scatter_only=scatter_only(estimate, [one, group[base]]),
        remark=remark,
        included=bool(one.included or group[base].included),
    )


def _mean(pairs: Sequence[tuple[Repeated, Repeated]]) -> tuple[float, float | None]:
    """Average the factors of a configuration geometrically; with half the width of the 95 % interval where known."""
    share = 1 / len(pairs)
    estimate = mean_ratio((share, new, share, old) for new, old in pairs)
    low, high = (None, None) if estimate is None else estimate.interval()
    return geometric_mean([new.system.value / old.system.value for new, old in pairs]), half_width(low, high)


def _statement(figure: Figure, base: str, means: Mapping[str, tuple[float, float | None]]) -> str:
    told = ", ".join(f"{key} {format_uncertain(*mean)}" for key, mean in means.items() if key != base)
    shown = f" Geometric means: {told}." if told else ""
    return f"{TITLES[figure]} in multiples of {base} (factor 1 = baseline).{shown}"
