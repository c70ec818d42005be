"""Why a run need not be made: precise enough, saturated, no time left. Pure functions; None or nothing: it must be."""

from __future__ import annotations

import math
from collections.abc import Sequence

from wattmark.campaigns.planned import PlannedRun, takes_s
from wattmark.inventory.plan_rules import RepeatRule, StopRule
from wattmark.results.groups import build_group
from wattmark.runs.record import RunRecord
from wattmark.runs.result import Result


def precise_enough(results: Sequence[Result], rule: RepeatRule) -> str | None:
    """Say that the 95 % interval of performance per watt of these repeats is narrow enough.

    The interval is that of the comparison: scatter of the repeats and the instrument's own term, which no repeat makes
    smaller. Runs that may not be ranked by work per joule do not count.
    """
    of = build_group(results).view.efficiency if results else None
    if of is None or of.value <= 0:
        return None
    half_pct = 50 * (of.high - of.low) / of.value
    if not math.isfinite(half_pct) or half_pct > rule.efficiency_ci_pct:
        return None
    return (
        f"The 95 % interval of perf/W reaches {half_pct:.2g} % to either side after {len(results)} runs; "
        f"the plan asks for {rule.efficiency_ci_pct:g} %."
    )


def saturated(rates: Sequence[tuple[str, float]], rule: StopRule) -> str | None:
    """Say that throughput no longer grows; ``rates`` are (level, throughput) upwards [one unit].

    It does not when none of the last ``over_levels`` lies more than the gain above the best level before them.
    """
    before, last = rates[: -rule.over_levels], rates[-rule.over_levels :]
    if not before:
        return None
    best = max(rate for _, rate in before)
    if max(rate for _, rate in last) > best * (1 + rule.gain_below_pct / 100):
        return None
    at = next(level for level, rate in before if rate == best)
    return (
        f"Throughput no longer grows: no more than {rule.gain_below_pct:g} % above {best:.4g} at {at} "
        f"over the last {len(last)} levels."
    )


def fitting(left: Sequence[PlannedRun], budget_s: float) -> set[int]:
    """Choose which runs still fit into the time [s], by their order; a first repeat is worth more than a later one.

    Graduated levels fit as a whole curve or not at all: a calibration alone is worth nothing.
    """
    units: dict[object, list[PlannedRun]] = {}
    for run in left:
        curve = (run.places, run.workload, run.repeat)
        units.setdefault(run.step if run.task == "measure" else curve, []).append(run)
    chosen: set[int] = set()
    for unit in sorted(units.values(), key=lambda unit: (unit[0].repeat, unit[0].order)):
        needed_s = takes_s(unit)
        if needed_s <= budget_s:
            budget_s -= needed_s
            chosen.update(run.order for run in unit)
    return chosen


def rate(record: RunRecord) -> float | None:
    """Compute the throughput of a complete run between its own marks [unit/s]; None where it tells none."""
    if record.stated_throughput is not None:
        return record.stated_throughput
    if not record.throughput or record.window_begin_ns is None or record.window_end_ns is None:
        return None
    window_s = (record.window_end_ns - record.window_begin_ns) / 1e9
    return math.fsum(interval.amount for interval in record.throughput) / window_s if window_s > 0 else None
