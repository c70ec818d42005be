"""Throughput beyond the measured range of clock, cores or load: several models side by side, clearly named."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from wattmark.analysis.comparison.course import Course, course
from wattmark.analysis.refusal import Refused
from wattmark.analysis.scaling.extrapolation import Extrapolated, extrapolate
from wattmark.analysis.scaling.sweep import mean_of
from wattmark.comparison.choices import Axis
from wattmark.comparison.compare.cells import Repeated, repeated, with_known_memory
from wattmark.comparison.compare.factors import left_equal
from wattmark.comparison.compare.levels import level_count
from wattmark.comparison.compare.wording import steps_in_time
from wattmark.comparison.scaling.scaling_views import ExtrapolatedOut, ExtrapolatedRow
from wattmark.core.errors import InputError
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord

FACTOR: Mapping[Axis, str] = {"clock": "cpu.clock_mhz", "cores": "cpu.cores", "load": "level"}
UNIT: Mapping[Axis, str] = {"clock": "MHz", "cores": "cores", "load": "at once"}
STEP: Mapping[Axis, str] = {"clock": "clock step", "cores": "core count", "load": "level"}
NOT_MEASURED = "extrapolated, not measured"
NO_EFFICIENCY = "Extrapolated throughput gives no performance per watt, because its power was not measured."
Equal = frozenset[tuple[str, str]]


def extrapolated_view(
    pairs: Iterable[tuple[RunRecord, Result]],
    axis: Axis,
    target: float,
    workload: str | None = None,
    configuration: str | None = None,
    ignored: Sequence[str] = (),
) -> ExtrapolatedOut:
    """Estimate throughput beyond one axis from figures whose other factors are all equal.

    Among several such sets the one with most points is taken. Raises `InputError`: fewer than two points, a target
    within the measured range, or a target that is not a positive number.
    """
    known, excluded = with_known_memory(pairs, FACTOR[axis], ignored)
    measured, remarks = repeated(known, "throughput")
    chosen = [
        f
        for f in measured
        if workload in (None, f.factors["workload"]) and (axis != "load" or configuration in (None, f.key))
    ]
    equal, points = _richest(chosen, axis, ignored)
    try:
        levels = sorted(points)
        figures = [mean_of([f.figure for f in points[level]]) for level in levels]
        extrapolation = extrapolate(levels, figures, target, axis=axis, unit=UNIT[axis])
    except Refused as refusal:
        raise InputError(refusal.text, "Choose a target beyond the measured points, or measure more points.") from None
    used = [f for level in levels for f in points[level]]
    return ExtrapolatedOut(
        axis=axis,
        axis_unit=UNIT[axis],
        target=target,
        equal=", ".join(f"{name} {value}" for name, value in sorted(equal) if name != "unit"),
        unit=used[0].unit,
        rows=[*_measured(points), *_predicted(extrapolation, included=any(f.included for f in used))],
        spread=extrapolation.spread,
        envelope=extrapolation.envelope,
        warning=extrapolation.warning,
        simulated=any(f.simulated for f in used),
        remarks=[
            *extrapolation.excluded,
            *excluded,
            *remarks,
            *steps_in_time([_course(points[level]) for level in levels], STEP[axis]),
            NO_EFFICIENCY,
        ],
    )


def _richest(
    figures: Sequence[Repeated], axis: Axis, ignored: Sequence[str]
) -> tuple[Equal, dict[float, list[Repeated]]]:
    """Return the set of figures with most distinct points; the first among equals."""
    factor = FACTOR[axis]
    sets: dict[Equal, dict[float, list[Repeated]]] = defaultdict(lambda: defaultdict(list))
    for f in figures:
        position = _position(f, axis)
        if position is not None:
            others = {**left_equal(f.factors, factor, ignored), "unit": f.unit}
            sets[frozenset((k, v) for k, v in others.items() if k != factor)][position].append(f)
    if not sets or max(map(len, sets.values())) < 2:
        raise InputError(
            f"No two runs differ in {factor} alone.", "Measure at two or more points with everything else the same."
        )
    return max(sets.items(), key=lambda entry: len(entry[1]))


def _position(figure: Repeated, axis: Axis) -> float | None:
    """Return the position of a figure on the axis; None where its run does not state one."""
    text = figure.factors.get(FACTOR[axis])
    if text is None:
        return None
    if axis == "load":
        return level_count(text)
    try:
        return float(text)
    except ValueError:
        return None


def _course(figures: Sequence[Repeated]) -> Course | None:
    """Summarise the runs of one point over time; None where the time of one is not known."""
    courses = [f.system.course for f in figures]
    known = [of for of in courses if of is not None]
    if len(known) < len(courses):
        return None
    return course([t for of in known for t in of.times_s], [value for of in known for value in of.values])


def _measured(points: Mapping[float, Sequence[Repeated]]) -> list[ExtrapolatedRow]:
    return [
        ExtrapolatedRow(
            kind="measured",
            at=position,
            model="",
            throughput=f.interval,
            basis=f.remark or "",
            n=f.n,
            included=bool(f.included),
        )
        for position in sorted(points)
        for f in points[position]
    ]


def _predicted(extrapolation: Extrapolated, *, included: bool) -> list[ExtrapolatedRow]:
    return [
        ExtrapolatedRow(
            kind=NOT_MEASURED,
            at=extrapolation.target,
            model=f"{p.title}: {p.formula}",
            throughput=p.figure.model_copy(update={"high": None}) if p.figure.high == math.inf else p.figure,
            basis=f"{p.basis}, not bounded above" if p.figure.high == math.inf else p.basis,
            n=None,
            included=included,
        )
        for p in extrapolation.predictions
    ]
