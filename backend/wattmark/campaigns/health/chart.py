"""The control chart of one figure of a reference workload."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark_calibration.check_standard.chart import SMALLEST_BASELINE, baseline, control_chart

from wattmark.campaigns.health.views import Figure, HealthBand, HealthChart, HealthLimits, HealthPoint, HealthState

NOTHING = "No ranked result yet. The first {count} campaigns form the baseline."
LEARNING = "{done} of {count} campaigns for the baseline; no verdict yet."
EQUAL = (
    "The first {count} campaigns gave exactly the same value, which leaves no scatter for limits. Measure longer or "
    "with a finer meter, and set a new day since when results count."
)
COMPLETE = "The baseline is complete; verdicts start with the next campaign."
OUT = "{rules}. Check meter, cooling, firmware and other programs before you compare servers."
WARNING = "The last campaign lies {rules}: queue the plan again."


def health_chart(figure: Figure, unit: str, points: Sequence[HealthPoint], uncharted: int = 0) -> HealthChart:
    """Judge the points of a figure, oldest first, by limits from the first ten.

    The first ten are not judged. Each later point is judged by the 2 s and 3 s limits and the Western Electric rules,
    as a check standard is (`wattmark_calibration.check_standard`).
    """
    first = [point.model_copy(update={"in_baseline": True}) for point in points[:SMALLEST_BASELINE]]
    chart = HealthChart(
        figure=figure,
        unit=unit,
        state="baseline" if first else "no results",
        statement=(LEARNING if first else NOTHING).format(done=len(first), count=SMALLEST_BASELINE),
        limits=None,
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
    return chart.model_copy(update={"state": state, "statement": statement, "limits": limits, "points": shown})


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
