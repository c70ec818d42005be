"""How far a campaign has come: its run table, what follows from it for the next run, what it shows of itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from wattmark.campaigns.decisions import Decisions
from wattmark.campaigns.known_latencies import KnownLatencies
from wattmark.campaigns.planned import PlannedRun
from wattmark.campaigns.progress import Progress
from wattmark.campaigns.run_table import RunTable
from wattmark.errors import WattmarkError
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.runs.result import Result


@dataclass(frozen=True, slots=True)
class Course:
    """The course of one campaign."""

    table: RunTable
    progress: Progress
    decisions: Decisions
    evaluate: Callable[[str], Result]
    latencies: KnownLatencies = field(default_factory=KnownLatencies)

    def reason_to_skip(self, run: PlannedRun) -> str | None:
        """Say why a run need not or cannot be made now; None: it is to be made."""
        return self.decisions.reason_to_skip(run, self.progress.elapsed_s)

    def worth_beginning(self, runs: Sequence[PlannedRun]) -> bool:
        """Tell whether any of these runs is to be made."""
        return any(self.reason_to_skip(run) is None for run in runs if self.table.due(run))

    def skip_due(self, runs: Sequence[PlannedRun]) -> None:
        """Skip those of these runs that need not or cannot be made."""
        for run in runs:
            if self.table.due(run) and (reason := self.reason_to_skip(run)):
                self.table.skipped[run.order] = reason
                self.progress.skip(run, reason)

    async def end(self, run: PlannedRun, record: RunRecord) -> None:
        """Take how an attempt ended, with its result where it gave one."""
        result, note = None, None
        if record.status is RunStatus.COMPLETE:
            try:
                result = await asyncio.to_thread(self.evaluate, record.run_id)
            except WattmarkError as error:
                note = str(error)
        if result is not None:
            self.latencies.take(result)
        self.table.ended(record, result)
        self.progress.end_run(run, record, result, note)
