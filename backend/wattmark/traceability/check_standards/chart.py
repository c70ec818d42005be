"""Control charts from stored readings: the baseline, and the rules that later readings break."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wattmark_calibration import coverage_factor
from wattmark_calibration.check_standard.chart import (
    SMALLEST_BASELINE,
    Baseline,
    ChartPoint,
    baseline,
    control_chart,
    drift_from_centre,
)

from wattmark.core.instants import iso
from wattmark.core.quantity import Quantity
from wattmark.traceability.check_standards.record import CheckReading
from wattmark.traceability.check_standards.views import BaselineOut, CheckPointOut, CheckSegmentOut, point_out

DRIFT_OVER = 4
"""Weekly readings over which drift is computed: a month."""


def segments(readings: Iterable[CheckReading]) -> list[CheckSegmentOut]:
    """Build the segments of a control chart from readings, oldest first; each new baseline opens a segment.

    The first ten readings of a segment are its baseline and are not judged: limits from ten readings cannot hold one
    of those ten out of control (the largest possible distance is (n - 1)/sqrt(n) = 2.85 s).
    """
    groups: list[list[CheckReading]] = []
    for reading in readings:
        if reading.begins_baseline or not groups:
            groups.append([])
        groups[-1].append(reading)
    return [_segment(group) for group in groups]


def drift(segment: CheckSegmentOut) -> tuple[Quantity, int] | None:
    """Compute the drift from the centre over the last judged readings [W], and their number.

    Its ± is expanded by Student's factor for the degrees of freedom of the baseline.
    """
    last = [point.power_w for point in segment.points if point.z is not None][-DRIFT_OVER:]
    if segment.baseline is None or not last:
        return None
    base = Baseline(segment.baseline.centre_w, segment.baseline.s_w, segment.baseline.count)
    moved, u = drift_from_centre(base, last)
    dof = base.count - 1
    return Quantity(value=moved, unit="W", u=u, dof=dof, k95=coverage_factor(dof)), len(last)


def _segment(readings: Sequence[CheckReading]) -> CheckSegmentOut:
    points = [point_out(reading, iso(reading.at_ns)) for reading in readings]
    missing = max(SMALLEST_BASELINE - len(readings), 0)
    if missing:
        first = [point.model_copy(update={"in_baseline": True}) for point in points]
        return CheckSegmentOut(baseline=None, missing=missing, refusal=None, points=first)
    try:
        base = baseline([reading.power_w for reading in readings[:SMALLEST_BASELINE]])
    except ValueError as error:
        return CheckSegmentOut(baseline=None, missing=0, refusal=str(error), points=points)
    judged = control_chart(base, [reading.power_w for reading in readings[SMALLEST_BASELINE:]]).points
    shown = [point.model_copy(update={"in_baseline": True}) for point in points[:SMALLEST_BASELINE]]
    shown += [_judged(point, verdict) for point, verdict in zip(points[SMALLEST_BASELINE:], judged, strict=True)]
    return CheckSegmentOut(baseline=_baseline_out(base), missing=0, refusal=None, points=shown)


def _judged(point: CheckPointOut, verdict: ChartPoint) -> CheckPointOut:
    return point.model_copy(
        update={"z": verdict.z, "zone": verdict.verdict.value, "violations": list(verdict.violations)}
    )


def _baseline_out(base: Baseline) -> BaselineOut:
    (low2, high2), (low3, high3) = base.warning_limits, base.action_limits
    return BaselineOut(
        count=base.count,
        centre_w=base.centre,
        s_w=base.s,
        warning_low_w=low2,
        warning_high_w=high2,
        action_low_w=low3,
        action_high_w=high3,
    )
