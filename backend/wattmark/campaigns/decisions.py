"""What to do with the next run: make it, at which level, or skip it, and why."""

from __future__ import annotations

from wattmark.campaigns.graduated import calibrated_maximum, level_for
from wattmark.campaigns.planned import PlannedRun, Step
from wattmark.campaigns.run_table import RunTable
from wattmark.campaigns.skipping import fitting, precise_enough, rate, saturated
from wattmark.inventory.bench import Bench
from wattmark.inventory.plan import Plan


class Decisions:
    """Decides from the plan and from what is stored, so that a resumed campaign decides alike."""

    def __init__(self, plan: Plan, bench: Bench, table: RunTable) -> None:
        self._plan = plan
        self._bench = bench
        self._table = table

    def reasons_to_skip(self, step: Step, elapsed_s: float) -> dict[int, str]:
        """Say for each run of a step, by its order, why they need not or cannot be made; empty: they are to be made.

        Runs of a group are needed as long as one of them is, and cannot be made when one of them cannot.
        """
        needless = {run.order: reason for run in step if (reason := self._precise(run) or self._saturated(run))}
        if len(needless) == len(step):
            return needless
        reasons = (self._uncalibrated(run) or self._no_time(run, elapsed_s) for run in step)
        hindrance = next((reason for reason in reasons if reason), None)
        return {run.order: hindrance for run in step} if hindrance else {}

    def level(self, run: PlannedRun) -> int | None:
        """Tell at which level a run is made; a share of the maximum follows from the calibration."""
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
        return saturated([(level, found) for level, found in curve if found is not None], self._plan.stop)

    def _uncalibrated(self, run: PlannedRun) -> str | None:
        """Calibrations come before their shares, so that one which is missing now will not come any more."""
        if run.percent is None or calibrated_maximum(self._table.curve(run)) is not None:
            return None
        due = [one for one in self._table.left() if one.sequence == run.sequence and one.task == "calibrate"]
        return None if due else "No calibration interval of this curve is complete."

    def _no_time(self, run: PlannedRun, elapsed_s: float) -> str | None:
        budget_s = self._plan.time_budget_s
        if budget_s is None:
            return None
        left_s = budget_s - elapsed_s
        if run.order in fitting(self._table.left(), left_s):
            return None
        return f"It takes {run.expected_s:.4g} s and does not fit into the {max(0.0, left_s):.4g} s that are left."
