"""What to do with the next run: make it, at which level, or skip it: precise enough, saturated, no time left."""

from __future__ import annotations

import math
from collections.abc import Sequence

from wattmark.bench.bench import Bench
from wattmark.bench.plan import Plan
from wattmark.bench.plan_rules import RepeatRule, StopRule
from wattmark.campaigns.planning.planned import PlannedRun, Step
from wattmark.campaigns.planning.run_table import RunTable
from wattmark.campaigns.planning.time_budget import fitting
from wattmark.comparison.compare.groups import build_group
from wattmark.core.numbers import format_number
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord
from wattmark.workloads.declaration import Declaration

COUNTED = 2
"""Number of last calibration intervals whose mean is the maximum (SPECpower_ssj2008: the last two of three)."""


class Decisions:
    """Decides from the plan and from what is stored, so that a resumed campaign decides alike."""

    def __init__(self, plan: Plan, bench: Bench, table: RunTable) -> None:
        self._plan = plan
        self._bench = bench
        self._table = table

    def reasons_to_skip(self, step: Step, elapsed_s: float) -> dict[int, str]:
        """Return for each run of a step, by its order, why it is needless or impossible; empty: it is to be made.

        Runs of a group are needed as long as one of them is, and cannot be made when one of them cannot.
        """
        needless = {run.order: reason for run in step if (reason := self._precise(run) or self._saturated(run))}
        if len(needless) == len(step):
            return needless
        reasons = (self._uncalibrated(run) or self._no_time(run, elapsed_s) for run in step)
        hindrance = next((reason for reason in reasons if reason), None)
        return {run.order: hindrance for run in step} if hindrance else {}

    def level(self, run: PlannedRun) -> int | None:
        """Return at which level a run is made; a share of the maximum follows from the calibration."""
        maximum = calibrated_maximum(self._table.curve(run)) if run.percent is not None else None
        if run.percent is None or maximum is None:
            return run.level_value
        return level_for(run.percent, maximum, self._bench.workload(run.workload))

    def _precise(self, run: PlannedRun) -> str | None:
        rule = self._plan.repeat_until
        if rule is None or run.task in ("calibrate", "idle"):
            return None
        results = self._table.repeats(run)
        return precise_enough(results, rule) if len(results) >= self._plan.repeats else None

    def _saturated(self, run: PlannedRun) -> str | None:
        if self._plan.stop is None or run.task != "measure":
            return None
        curve = [(other.level, rate(record)) for other, record in self._table.curve(run)]
        return saturated([(level, rate) for level, rate in curve if rate is not None], self._plan.stop)

    def _uncalibrated(self, run: PlannedRun) -> str | None:
        """Calibrations come before their shares, so that one which is still missing cannot follow later."""
        if run.percent is None or calibrated_maximum(self._table.curve(run)) is not None:
            return None
        due = [
            planned
            for planned in self._table.left()
            if planned.sequence == run.sequence and planned.task == "calibrate"
        ]
        return None if due else "No calibration interval of this load curve is complete."

    def _no_time(self, run: PlannedRun, elapsed_s: float) -> str | None:
        budget_s = self._plan.time_budget_s
        if budget_s is None:
            return None
        left_s = budget_s - elapsed_s
        if run.order in fitting(self._table.left(), left_s):
            return None
        return (
            f"The run takes {format_number(run.expected_s, 4)} s, more than the "
            f"{format_number(max(0.0, left_s), 4)} s left in the time budget."
        )


def precise_enough(results: Sequence[Result], rule: RepeatRule) -> str | None:
    """Report that the 95 % interval of performance per watt of these repeats is narrow enough.

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
        f"The 95 % interval of perf/W reaches {format_number(half_pct, 2)} % to either side after {len(results)} runs; "
        f"the plan asks for {rule.efficiency_ci_pct:g} %."
    )


def saturated(rates: Sequence[tuple[str, float]], rule: StopRule) -> str | None:
    """Report that throughput no longer grows; ``rates`` are (level, throughput) upwards [one unit].

    It does not when none of the last ``over_levels`` lies more than the gain above the best level before them.
    """
    before, last = rates[: -rule.over_levels], rates[-rule.over_levels :]
    if not before:
        return None
    best = max(rate for _, rate in before)
    if max(rate for _, rate in last) > best * (1 + rule.gain_below_pct / 100):
        return None
    best_level = next(level for level, rate in before if rate == best)
    levels = "level" if len(last) == 1 else f"{len(last)} levels"
    return (
        f"Throughput no longer grows: over the last {levels} it rose by at most "
        f"{rule.gain_below_pct:g} % above {format_number(best, 4)} at {best_level}."
    )


def rate(record: RunRecord) -> float | None:
    """Compute the throughput of a complete run between its own marks [unit/s]; None where it reports none."""
    if record.stated_throughput is not None:
        return record.stated_throughput
    if not record.throughput or record.window_begin_ns is None or record.window_end_ns is None:
        return None
    window_s = (record.window_end_ns - record.window_begin_ns) / 1e9
    return math.fsum(interval.amount for interval in record.throughput) / window_s if window_s > 0 else None


def calibrated_maximum(curve: Sequence[tuple[PlannedRun, RunRecord]]) -> float | None:
    """Compute the maximum throughput [unit/s]; None where no calibration interval gave any."""
    rates = [rate(record) for run, record in curve if run.task == "calibrate"]
    measured = [rate for rate in rates if rate]
    return sum(measured[-COUNTED:]) / len(measured[-COUNTED:]) if measured else None


def level_for(percent: float, maximum: float, declaration: Declaration) -> int:
    """Compute the level, a rate, at which a workload asks for a share of its maximum."""
    asks_per_s = (declaration.level.asks_per_s if declaration.level else None) or 1.0
    return max(1, round(percent / 100 * maximum / asks_per_s))
