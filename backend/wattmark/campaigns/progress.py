"""What a campaign shows of itself while it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from wattmark_drivers.clock import Clock

from wattmark.campaigns.planning.planned import PlannedRun, steps
from wattmark.campaigns.planning.run_table import RunTable
from wattmark.campaigns.status import CampaignOut, CampaignRun, EarlierAttempt, PhaseSpan, PhaseToCome, UnderWay
from wattmark.core.quantity import bare
from wattmark.results.result import Result
from wattmark.results.state import run_state
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import RunRecord

ENDED_STATES = ("complete", "failed", "aborted")


class Progress:
    """The state of a campaign; every change is published. ``earlier`` is its state when it was interrupted."""

    def __init__(
        self,
        campaign_id: str,
        plan: str,
        table: RunTable,
        clock: Clock,
        publish: Callable[[CampaignOut], None],
        earlier: CampaignOut | None = None,
    ) -> None:
        self._planned = table.planned
        self._clock = clock
        self._publish = publish
        self._began_s: dict[int, float] = {}
        self._elapsed_before_s = (earlier.elapsed_s or 0.0) if earlier else 0.0
        self._begin_ns = clock.monotonic_ns()
        self.out = CampaignOut(
            state="running",
            campaign_id=campaign_id,
            plan=plan,
            runs=[_row(run, table) for run in table.planned],
            started_s=(earlier.started_s if earlier else None) or clock.utc_ns() / 1e9,
        )

    @property
    def elapsed_s(self) -> float:
        """Return how long the campaign has been under way [s], without interruptions."""
        return self._elapsed_before_s + (self._clock.monotonic_ns() - self._begin_ns) / 1e9

    def change(self, **changes: Any) -> None:
        """Change the campaign's state and publish it."""
        times: dict[str, float | None] = {**self._times()}
        if changes.get("state") in ENDED_STATES:
            times["ended_s"] = self._clock.utc_ns() / 1e9
        if changes.get("state", self.out.state) != "waiting-for-operator":
            changes["request"] = None
        self.out = self.out.model_copy(update={**changes, **times})
        self._publish(self.out)

    def live(self, figures: Mapping[int, Mapping[str, Any]]) -> CampaignOut:
        """Take live figures by the order of their runs; what they make of the state is returned, not published.

        It need not be stored.
        """
        for order, of_run in figures.items():
            self._update(order, **of_run)
        self.out = self.out.model_copy(update=self._times())
        return self.out

    def phase(self, order: int, name: PhaseName, begin_s: float, end_s: float) -> None:
        """Show a phase of a run with its begin and expected end [Unix seconds]."""
        self._update(order, phase=name, phase_begin_s=begin_s, phase_end_s=end_s)
        now = [_in_phase(row, name, begin_s, end_s) if row.run_index == order else row for row in self.out.under_way]
        self.change(under_way=now)

    def wait(self, order: int, message: str) -> None:
        """Show what the next run waits for."""
        nothing = {**_NOTHING_UNDER_WAY, "live_power_w": None, "under_way": []}
        self.change(state="running", message=message, run_index=order, **nothing)

    def begin_runs(self, runs: Sequence[tuple[PlannedRun, RunRecord]], message: str | None = None) -> None:
        """Show that runs have begun, several where they are made at the same time; ``message`` is about them."""
        for run, record in runs:
            self._began_s[run.order] = record.created_ns / 1e9
            row = self.out.runs[run.order]
            earlier = (
                [*row.earlier, EarlierAttempt(run_id=row.run_id, state=row.state, reason=row.reason)]
                if row.run_id
                else row.earlier
            )
            self._change_row(run.order, run_id=record.run_id, state="running", reason=None, earlier=earlier)
        now = [
            UnderWay(
                run_index=run.order,
                run_id=record.run_id,
                server=run.server,
                configuration=run.variant,
                to_come=[PhaseToCome(name=name, expected_s=seconds) for name, seconds in run.phases],
            )
            for run, record in runs
        ]
        self.change(state="running", message=message, run_index=runs[0][0].order, under_way=now, **_NOTHING_UNDER_WAY)

    def end_run(self, run: PlannedRun, record: RunRecord, result: Result | None, note: str | None) -> None:
        """Show how a run ended and what it gave."""
        figures = {} if result is None else result_figures(result)
        reason = record.reason or note
        self._change_row(run.order, run_id=record.run_id, state=record.status.value, reason=reason, **figures)
        left = [active for active in self.out.under_way if active.run_index != run.order]
        power = {} if left else {"live_power_w": None}
        self.change(under_way=left, **power, **_NOTHING_UNDER_WAY)

    def skip(self, order: int, reason: str) -> None:
        """Show that a run will not be made, and why."""
        self._change_row(order, state="skipped", reason=reason)
        self.change()

    def count(self, state: str) -> int:
        """Count the runs in a state."""
        return sum(row.state == state for row in self.out.runs)

    def _update(self, order: int, **changes: Any) -> None:
        """Change what is shown of a run under way; that of the first is shown for the campaign too."""
        now = [row.model_copy(update=changes) if row.run_index == order else row for row in self.out.under_way]
        own = changes if order == self.out.run_index else {}
        self.out = self.out.model_copy(update={"under_way": now, **own})

    def _change_row(self, index: int, **changes: Any) -> None:
        rows = list(self.out.runs)
        rows[index] = rows[index].model_copy(update=changes)
        self.out = self.out.model_copy(update={"runs": rows})

    def _times(self) -> dict[str, float]:
        now_s = self._clock.utc_ns() / 1e9
        remaining_s = self._remaining_s(now_s)
        return {"remaining_s": remaining_s, "elapsed_s": self.elapsed_s, "estimated_end_s": now_s + remaining_s}

    def _remaining_s(self, now_s: float) -> float:
        """Estimate what is left [s]; of the run under way, what its phases have not used up."""
        return sum(max(self._left_s(run, now_s) for run in step) for step in steps(self._planned))

    def _left_s(self, run: PlannedRun, now_s: float) -> float:
        state = self.out.runs[run.order].state
        if state == "running":
            return max(0.0, run.expected_s - (now_s - self._began_s.get(run.order, now_s)))
        return run.expected_s if state in ("planned", "interrupted", "aborted") and not run.optional else 0.0


_NOTHING_UNDER_WAY: dict[str, Any] = {
    "phase": None,
    "phase_begin_s": None,
    "phase_end_s": None,
    "live_throughput": None,
    "live_throughput_unit": None,
}


def _in_phase(row: UnderWay, name: PhaseName, begin_s: float, end_s: float) -> UnderWay:
    """Begin a phase of a run: the one before ends there, and what was to come before it does not come any more."""
    before = [*row.phases[:-1], row.phases[-1].model_copy(update={"end_s": begin_s})] if row.phases else []
    names = [phase.name for phase in row.to_come]
    left = row.to_come[names.index(name) + 1 :] if name in names else row.to_come
    return row.model_copy(
        update={"phases": [*before, PhaseSpan(name=name, begin_s=begin_s, end_s=end_s)], "to_come": left}
    )


def result_figures(result: Result) -> dict[str, Any]:
    """Choose what a row of the run table shows of a result."""
    figures = {name: bare(getattr(result, name)) for name in ("efficiency", "power", "throughput")}
    return {**figures, "simulated": result.simulated, "judged": run_state(result)}


def _row(run: PlannedRun, table: RunTable) -> CampaignRun:
    row = CampaignRun(
        **dict(run.row),
        run_id=None,
        state="planned",
        expected_s=run.expected_s,
        optional=run.optional,
        hands=run.hands,
    )
    if run.order in table.skipped:
        return row.model_copy(update={"state": "skipped", "reason": table.skipped[run.order]})
    tried = table.attempts[run.order]
    if run.order in table.again:
        return row.model_copy(update={"earlier": [_attempt(record, table) for record in tried]})
    return _tried(row, tried, table) if tried else row


def _tried(row: CampaignRun, tried: list[RunRecord], table: RunTable) -> CampaignRun:
    """Show a row of a resumed campaign as its last attempt left it."""
    *before, last = tried
    result = table.results.get(last.run_id)
    earlier = [_attempt(record, table) for record in before]
    figures = {} if result is None else result_figures(result)
    attempt = {"run_id": last.run_id, "state": last.status.value, "reason": last.reason, "earlier": earlier}
    return row.model_copy(update={**attempt, **figures})


def _attempt(record: RunRecord, table: RunTable) -> EarlierAttempt:
    result = table.results.get(record.run_id)
    reason = record.reason or (None if result is None else run_state(result).reason)
    return EarlierAttempt(run_id=record.run_id, state=record.status.value, reason=reason)
