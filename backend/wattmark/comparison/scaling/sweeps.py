"""Every configuration over its load levels under one workload, with the marks that a figure of it needs."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark.analysis.comparison.measured import Measured
from wattmark.analysis.refusal import Refused
from wattmark.analysis.scaling.sweep import knee_level, peak, saturation, sweep
from wattmark.comparison.compare.curves import curves_of
from wattmark.comparison.compare.levels import level_count
from wattmark.comparison.scaling.per_user import user_points
from wattmark.comparison.scaling.scaling import scaling_view
from wattmark.comparison.scaling.scaling_views import ScalingLevel, ScalingOut, UserPoint
from wattmark.core.interval import Interval95
from wattmark.core.schema import Schema
from wattmark.results.result import Result


class SweepMarks(Schema):
    """Levels at which a curve peaks, bends and saturates."""

    peak: float
    peak_at_edge: bool
    """The best figure stands at the highest level: the true peak may lie beyond it."""
    knee: float | None
    """None: the curve has none, or too few levels to tell."""
    saturation: float
    """The first level with 95 % of the peak."""


class SweepOut(Schema):
    """One configuration over its levels; None where fewer than two levels have the figure."""

    scaling: ScalingOut
    throughput: SweepMarks | None
    efficiency: SweepMarks | None
    users: list[UserPoint] = []
    """Levels by what one user gets and the energy of a unit of work; empty where the workload does not report it."""


def sweeps(results: Sequence[Result], workload: str, from_level: float | None = None) -> list[SweepOut]:
    """Return every configuration that ran a workload at two levels or more, with the mean from a level upwards.

    Simulated runs of a configuration that was also measured are a sweep of their own, and so are those of each version
    of the load program and of each unit of work.
    """
    swept = [
        key
        for key, own in curves_of(results, workload).items()
        if len({level_count(result.level) for result in own} - {None}) > 1
    ]
    views = [scaling_view(results, key, workload, from_level) for key in swept]
    return [_sweep(scaling, users) for scaling, users in zip(views, user_points(views), strict=True)]


def _sweep(scaling: ScalingOut, users: list[UserPoint]) -> SweepOut:
    return SweepOut(
        scaling=scaling,
        throughput=_marks(scaling.levels, [level.throughput for level in scaling.levels]),
        efficiency=_marks(scaling.levels, [level.efficiency for level in scaling.levels]),
        users=users,
    )


def _marks(levels: Sequence[ScalingLevel], figures: Sequence[Interval95 | None]) -> SweepMarks | None:
    by_count = {level.count: figure.value for level, figure in zip(levels, figures, strict=True) if figure is not None}
    try:
        curve = sweep(list(by_count), [Measured(value) for value in by_count.values()])
    except Refused:
        return None
    top = peak(curve)
    return SweepMarks(peak=top.level, peak_at_edge=top.at_edge, knee=knee_level(curve), saturation=saturation(curve))
