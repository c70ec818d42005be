"""What has become of every run of a plan: its attempts, its result, or why it was skipped."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from wattmark.campaigns.planned import PlannedRun
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.runs.result import Result

REPEATABLE = "repeatable"
"""Key of a failed run's disclosure: something outside the load spoilt it."""


@dataclass
class RunTable:
    """The rows of a plan in their order, with what is known of each."""

    planned: Sequence[PlannedRun]
    repeat_failed: int = 0
    attempts: dict[int, list[RunRecord]] = field(default_factory=lambda: defaultdict(list))
    results: dict[str, Result] = field(default_factory=dict)
    skipped: dict[int, str] = field(default_factory=dict)

    def take(self, records: Iterable[RunRecord]) -> None:
        """Take what the store knows of the campaign's runs."""
        for record in sorted(records, key=lambda record: (record.order, record.attempt, record.created_ns)):
            self.attempts[record.order].append(record)

    def ended(self, record: RunRecord, result: Result | None) -> None:
        """Note how an attempt ended and what it gave."""
        self.attempts[record.order].append(record)
        if result is not None:
            self.results[record.run_id] = result

    def due(self, run: PlannedRun) -> bool:
        """Tell whether a run is still to be made: never, interrupted, stopped, or spoilt and not repeated enough.

        Runs of a group are due together, and not any more when one of them has failed for good.
        """
        mates = self._mates(run)
        return any(map(self._due_alone, mates)) and not any(map(self._given_up, mates))

    def left(self) -> list[PlannedRun]:
        """List the runs that are still to be made."""
        return [run for run in self.planned if self.due(run)]

    def complete(self, run: PlannedRun) -> RunRecord | None:
        """Give the complete run of a row; None where there is none."""
        return next((one for one in self.attempts[run.order] if one.status is RunStatus.COMPLETE), None)

    def repeats(self, run: PlannedRun) -> list[Result]:
        """Give the results of all complete runs that repeat one another with this one."""
        records = [self.complete(other) for other in self.planned if other.group == run.group]
        return [self.results[one.run_id] for one in records if one is not None and one.run_id in self.results]

    def curve(self, run: PlannedRun) -> list[tuple[PlannedRun, RunRecord]]:
        """Give the complete runs of the curve that this run belongs to, in their order."""
        mine = [(other, self.complete(other)) for other in self.planned if other.sequence == run.sequence]
        return [(other, record) for other, record in mine if record is not None]

    def _mates(self, run: PlannedRun) -> Sequence[PlannedRun]:
        """Give the runs that are made at the same time, this one among them."""
        return self.planned[run.step : run.step + len(run.places)]

    def _due_alone(self, run: PlannedRun) -> bool:
        if run.order in self.skipped:
            return False
        tried = self.attempts[run.order]
        if not tried or tried[-1].status in (RunStatus.INTERRUPTED, RunStatus.ABORTED):
            return True
        return self._spoilt(tried[-1]) and sum(map(self._spoilt, tried)) <= self.repeat_failed

    def _given_up(self, run: PlannedRun) -> bool:
        tried = self.attempts[run.order]
        failed = bool(tried) and tried[-1].status is RunStatus.FAILED
        return run.order in self.skipped or (failed and not self._due_alone(run))

    def _spoilt(self, record: RunRecord) -> bool:
        return record.status is RunStatus.FAILED and bool(record.disclosure.get(REPEATABLE))
