"""Outcome of every run of a plan: its attempts, its result, or why it was skipped.

Runs that began together count together: when one of them is incomplete, all are.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from wattmark.campaigns.planning.planned import PlannedRun
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord, RunStatus


@dataclass
class RunTable:
    """The rows of a plan in their order, with what is known of each."""

    planned: Sequence[PlannedRun]
    repeat_failed: int = 0
    attempts: dict[int, list[RunRecord]] = field(default_factory=lambda: defaultdict(list))
    results: dict[str, Result] = field(default_factory=dict)
    skipped: dict[int, str] = field(default_factory=dict)
    again: set[int] = field(default_factory=set)
    """Rows to be made once more although they have a complete run, by order."""

    def take(self, records: Iterable[RunRecord]) -> None:
        """Load the stored runs of the campaign."""
        for record in sorted(records, key=lambda record: (record.order, record.attempt, record.created_ns)):
            self.attempts[record.order].append(record)

    def repeat(self, orders: Iterable[int]) -> None:
        """Have rows made once more, with those of their group and, of graduated levels, those of their curve."""
        for run in [self.planned[order] for order in orders]:
            curve = [other for other in self.planned if other.sequence == run.sequence and other.task != "measure"]
            for other in curve if run.task != "measure" else [run]:
                self.again.update(mate.order for mate in self._mates(other))

    def ended(self, record: RunRecord, result: Result | None) -> None:
        """Note how an attempt ended and what it gave."""
        self.again.discard(record.order)
        self.attempts[record.order].append(record)
        if result is not None:
            self.results[record.run_id] = result

    def due(self, run: PlannedRun) -> bool:
        """Return whether a run is still to be made: never, interrupted, stopped, or spoilt and not repeated enough.

        Runs of a group are due together, and not any more when one of them has failed for good.
        """
        mates = self._mates(run)
        return any(map(self._due_alone, mates)) and not any(map(self._given_up, mates))

    def left(self) -> list[PlannedRun]:
        """List the runs that are still to be made."""
        return [run for run in self.planned if self.due(run)]

    def complete(self, run: PlannedRun) -> RunRecord | None:
        """Return the latest complete run of a row; None where there is none."""
        tried = reversed(self.attempts[run.order])
        return next((record for record in tried if record.status is RunStatus.COMPLETE), None)

    def repeats(self, run: PlannedRun) -> list[Result]:
        """Return the results of all complete runs that repeat one another with this one."""
        records = [self.complete(other) for other in self.planned if other.group == run.group]
        return [
            self.results[record.run_id] for record in records if record is not None and record.run_id in self.results
        ]

    def curve(self, run: PlannedRun) -> list[tuple[PlannedRun, RunRecord]]:
        """Return the complete runs of the curve that this run belongs to, in their order."""
        runs = [(other, self.complete(other)) for other in self.planned if other.sequence == run.sequence]
        return [(other, record) for other, record in runs if record is not None]

    def _mates(self, run: PlannedRun) -> Sequence[PlannedRun]:
        """Return the runs that are made at the same time, this one among them."""
        return self.planned[run.step : run.step + len(run.places)]

    def _due_alone(self, run: PlannedRun) -> bool:
        if run.order in self.again:
            return True
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
        return record.status is RunStatus.FAILED and bool(record.disclosure.repeatable)


def group_outcome(records: Iterable[RunRecord]) -> list[RunRecord]:
    """Return the complete records whose group is not complete, with what became of them; the others stay as they are.

    They fail so that they can be repeated, or are interrupted or stopped like the one that broke off.
    """
    groups: dict[str, list[RunRecord]] = defaultdict(list)
    for record in records:
        if group := record.disclosure.together:
            groups[group.barrier].append(record)
    return [changed for members in groups.values() for changed in _share_outcome(members)]


def _share_outcome(group: Sequence[RunRecord]) -> list[RunRecord]:
    broken = next((record for record in group if record.status is not RunStatus.COMPLETE), None)
    if broken is None:
        return []
    cause = f"The run of {broken.server}, which started together with this one, was not completed: {broken.reason}"
    return [
        record.changed(status=broken.status, reason=cause, disclosure=record.disclosure.changed(repeatable=True))
        for record in group
        if record.status is RunStatus.COMPLETE
    ]
