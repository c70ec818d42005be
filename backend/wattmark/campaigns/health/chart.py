"""The control chart of one figure of a reference workload."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date

from wattmark_calibration.check_standard.chart import SMALLEST_BASELINE, baseline, control_chart

from wattmark.analysis.comparison.course import course
from wattmark.analysis.comparison.outlier import outlier
from wattmark.analysis.comparison.serial import neighbours_alike
from wattmark.campaigns.health.views import Figure, HealthBand, HealthChart, HealthLimits, HealthPoint, HealthState
from wattmark.core.instants import iso
from wattmark.core.numbers import format_number

NOTHING = "No ranked result{since} yet. The first {count} campaigns form the baseline."
LEARNING = "{done} of {count} campaigns for the baseline; no verdict yet."
EQUAL = (
    "The first {count} campaigns gave exactly the same value, which leaves no scatter for limits. Measure longer or "
    "with a finer meter, and set a new day since when results count."
)
COMPLETE = "The baseline is complete; verdicts start with the next campaign."
OUT = "{rules}. Queue the plan again; if that is out of control too, check meter, cooling, firmware and other programs."
WARNING = "The last campaign lies {rules}: queue the plan again."
ODD = (
    "Of the first {count}, the campaign of {day} lies {percent} % {side} the others and widens the limits. Put its "
    "runs into the trash, or set a new day since when results count."
)
UNSTEADY = (
    "The first {count} drift or shift, which widens the limits. Find the cause, and set a new day since when results "
    "count."
)
DRIFT_SIGNIFICANCE = 0.01


def health_chart(
    figure: Figure, unit: str, points: Sequence[HealthPoint], uncharted: int, since: date | None
) -> HealthChart:
    """Judge the points of a figure, oldest first, by limits from the first ten.

    The first ten are not judged. Each later point is judged by the 2 s and 3 s limits and the Western Electric rules,
    as a check standard is (`wattmark_calibration.check_standard`).
    """
    first = [point.model_copy(update={"in_baseline": True}) for point in points[:SMALLEST_BASELINE]]
    chart = HealthChart(
        figure=figure,
        unit=unit,
        state="baseline" if first else "no results",
        statement=(LEARNING if first else NOTHING).format(
            done=len(first), count=SMALLEST_BASELINE, since=f" since {since}" if since else ""
        ),
        limits=None,
        doubt=None,
        missing=SMALLEST_BASELINE - len(first),
        points=first,
        uncharted=uncharted,
    )
    if chart.missing:
        return chart
    later = points[SMALLEST_BASELINE:]
    try:
        base = baseline([point.value for point in first])
    except ValueError:
        none = {"state": "no limits", "statement": EQUAL.format(count=SMALLEST_BASELINE), "points": [*first, *later]}
        return chart.model_copy(update=none)
    judged = control_chart(base, [point.value for point in later]).points
    shown = first + [
        point.model_copy(update={"z": verdict.z, "zone": verdict.verdict.value, "violations": list(verdict.violations)})
        for point, verdict in zip(later, judged, strict=True)
    ]
    state, statement = _status(shown)
    limits = HealthLimits(
        count=base.count,
        centre=base.centre,
        s=base.s,
        warning=_band(base.warning_limits),
        action=_band(base.action_limits),
    )
    judged_by = {"limits": limits, "doubt": _doubt(first)}
    return chart.model_copy(update={"state": state, "statement": statement, "points": shown, **judged_by})


def _doubt(first: Sequence[HealthPoint]) -> str | None:
    """Explain why the first campaigns are no baseline of an unchanged bench; None where nothing speaks against it."""
    values = [point.value for point in first]
    if (odd := outlier(values, least=0.0)) is not None:
        return ODD.format(
            count=len(first),
            day=iso(round(first[odd.place].t_s) * 10**9)[:10],
            percent=format_number(100 * abs(odd.above), 2),
            side="above" if odd.above > 0 else "below",
        )
    order = course([point.t_s for point in first], values)
    alike = neighbours_alike([order]) if order else None
    return UNSTEADY.format(count=len(first)) if alike and alike.p < DRIFT_SIGNIFICANCE else None


def _band(limits: tuple[float, float]) -> HealthBand:
    low, high = limits
    return HealthBand(low=low, high=high)


def _status(points: Sequence[HealthPoint]) -> tuple[HealthState, str]:
    last, rules = points[-1], "; ".join(points[-1].violations)
    if last.zone is None:
        return "in control", COMPLETE
    if last.zone == "out of control":
        return last.zone, OUT.format(rules=rules)
    if last.zone == "warning":
        return last.zone, WARNING.format(rules=rules)
    earlier = sum(point.zone == "out of control" for point in points)
    before = f" Earlier points out of control: {earlier}." if earlier else ""
    return last.zone, f"The last campaign breaks no rule.{before}"
