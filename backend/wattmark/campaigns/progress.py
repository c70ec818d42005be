"""What a campaign shows of itself while it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wattmark_drivers.clock import Clock

from wattmark.campaigns.plan import PlannedRun
from wattmark.campaigns.status import CampaignOut, CampaignRun
from wattmark.runs.record import PhaseName, Result, RunRecord


class Progress:
    """The state of a campaign; every change is published."""

    def __init__(
        self,
        campaign_id: str,
        plan: str,
        planned: Sequence[PlannedRun],
        clock: Clock,
        publish: Callable[[CampaignOut], None],
    ) -> None:
        self._planned = planned
        self._clock = clock
        self._publish = publish
        self._began_s: dict[int, float] = {}
        self.out = CampaignOut(state="running", campaign_id=campaign_id, plan=plan, runs=[_row(run) for run in planned])

    def change(self, **changes: Any) -> None:
        """Change the campaign's state and publish it."""
        self.out = self.out.model_copy(update={**changes, "remaining_s": self._remaining_s()})
        self._publish(self.out)

    def phase(self, name: PhaseName, begin_s: float, end_s: float) -> None:
        """Show a phase with its begin and expected end [Unix seconds]."""
        self.change(phase=name.value, phase_begin_s=begin_s, phase_end_s=end_s)

    def begin_run(self, index: int, record: RunRecord) -> None:
        """Show that a run has begun."""
        self._began_s[index] = record.created_ns / 1e9
        self._change_row(index, run_id=record.run_id, state="running")
        self.change(state="running", message=None, run_index=index, phase=None, phase_begin_s=None, phase_end_s=None)

    def end_run(self, index: int, record: RunRecord, result: Result | None, note: str | None) -> None:
        """Show how a run ended and what it gave."""
        figures = {}
        if result is not None:
            names = ("efficiency", "efficiency_U95", "efficiency_unit")
            figures = {name: getattr(result, name) for name in names}
        reason = record.reason or note
        self._change_row(index, run_id=record.run_id, state=record.status.value, reason=reason, **figures)
        self.change(phase=None, phase_begin_s=None, phase_end_s=None)

    def count(self, state: str) -> int:
        """Count the runs in a state."""
        return sum(row.state == state for row in self.out.runs)

    def _change_row(self, index: int, **changes: Any) -> None:
        rows = list(self.out.runs)
        rows[index] = rows[index].model_copy(update=changes)
        self.out = self.out.model_copy(update={"runs": rows})

    def _remaining_s(self) -> float:
        """Estimate what is left [s]; of the run under way, what its phases have not used up."""
        now_s = self._clock.utc_ns() / 1e9
        left = 0.0
        for run, row in zip(self._planned, self.out.runs, strict=True):
            if row.state == "planned":
                left += run.expected_s
            elif row.state == "running":
                left += max(0.0, run.expected_s - (now_s - self._began_s.get(run.order, now_s)))
        return left


def _row(run: PlannedRun) -> CampaignRun:
    return CampaignRun(
        order=run.order,
        run_id=None,
        server=run.server,
        configuration=run.configuration,
        workload=run.workload,
        level=run.level,
        repeat=run.repeat,
        state="planned",
    )
