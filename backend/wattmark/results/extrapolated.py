"""Throughput beyond what was measured, along clock, cores or load: several models side by side, clearly named."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from typing import Literal

from wattmark.analysis.extrapolation import Extrapolated, extrapolate
from wattmark.analysis.refusal import Refused
from wattmark.analysis.sweep import mean_of
from wattmark.errors import InputError
from wattmark.results.cells import Repeated, repeated
from wattmark.results.factors import left_equal
from wattmark.results.scaling import level_count
from wattmark.results.table_views import ExtrapolatedOut, ExtrapolatedRow
from wattmark.runs.record import RunRecord
from wattmark.runs.result import Result

Axis = Literal["clock", "cores", "load"]
FACTOR: Mapping[Axis, str] = {"clock": "cpu.clock_mhz", "cores": "cpu.cores", "load": "level"}
UNIT: Mapping[Axis, str] = {"clock": "MHz", "cores": "cores", "load": "at once"}
NOT_MEASURED = "extrapolated, not measured"
NO_EFFICIENCY = "No performance per watt is formed from extrapolated throughput: nobody measured its watts."
Equal = frozenset[tuple[str, str]]


def extrapolated_view(
    pairs: Iterable[tuple[RunRecord, Result]],
    axis: Axis,
    target: float,
    workload: str | None = None,
    configuration: str | None = None,
    ignored: Sequence[str] = (),
) -> ExtrapolatedOut:
    """Extrapolate throughput along one axis from figures whose other factors are all equal.

    Among several such sets the one with most points is taken. Raises `InputError`: fewer than two points, a target
    within the measured range, or a target that is no positive number.
    """
    found, remarks = repeated(pairs, "throughput")
    chosen = [
        one
        for one in found
        if workload in (None, one.told["workload"]) and (axis != "load" or configuration in (None, one.key))
    ]
    equal, points = _richest(chosen, axis, ignored)
    try:
        levels = sorted(points)
        figures = [mean_of([one.figure for one in points[at]]) for at in levels]
        told = extrapolate(levels, figures, target, axis=axis, unit=UNIT[axis])
    except Refused as refusal:
        raise InputError(refusal.text, "Choose a target beyond the measured points, or measure more of them.") from None
    used = [one for at in levels for one in points[at]]
    return ExtrapolatedOut(
        axis=axis,
        axis_unit=UNIT[axis],
        target=target,
        equal=", ".join(f"{name} {value}" for name, value in sorted(equal) if name != "unit"),
        unit=used[0].unit,
        rows=[*_measured(points), *_predicted(told, included=any(one.included for one in used))],
        spread=told.spread,
        envelope=told.envelope,
        warning=told.warning,
        simulated=any(one.simulated for one in used),
        remarks=[*told.left_out, *remarks, NO_EFFICIENCY],
    )


def _richest(
    found: Sequence[Repeated], axis: Axis, ignored: Sequence[str]
) -> tuple[Equal, dict[float, list[Repeated]]]:
    """Take the set of figures with most distinct points; the first among equals."""
    factor = FACTOR[axis]
    sets: dict[Equal, dict[float, list[Repeated]]] = defaultdict(lambda: defaultdict(list))
    for one in found:
        at = _position(one, axis)
        if at is not None:
            told = {**left_equal(one.told, factor, ignored), "unit": one.unit}
            sets[frozenset((k, v) for k, v in told.items() if k != factor)][at].append(one)
    if not sets or max(map(len, sets.values())) < 2:
        raise InputError(
            f"No two runs differ in {factor} alone.", "Measure at two points at least, with everything else the same."
        )
    return max(sets.items(), key=lambda entry: len(entry[1]))


def _position(one: Repeated, axis: Axis) -> float | None:
    """Read where on the axis a figure stands; None where nobody told."""
    told = one.told.get(FACTOR[axis])
    if told is None:
        return None
    if axis == "load":
        return level_count(told)
    try:
        return float(told)
    except ValueError:
        return None


def _measured(points: Mapping[float, Sequence[Repeated]]) -> list[ExtrapolatedRow]:
    rows = []
    for at in sorted(points):
        for one in points[at]:
            low, high = one.interval or (None, None)
            rows.append(
                ExtrapolatedRow(
                    kind="measured",
                    at=at,
                    model="",
                    value=one.system.value,
                    low=low,
                    high=high,
                    basis=one.remark or "",
                    n=one.n,
                    included=bool(one.included),
                )
            )
    return rows


def _predicted(told: Extrapolated, *, included: bool) -> list[ExtrapolatedRow]:
    return [
        ExtrapolatedRow(
            kind=NOT_MEASURED,
            at=told.target,
            model=f"{p.title}: {p.formula}",
            value=p.value,
            low=p.low,
            high=p.high if p.high != float("inf") else None,
            basis=p.basis if p.high != float("inf") else f"{p.basis}, not bounded above",
            n=None,
            included=included,
        )
        for p in told.predictions
    ]
