"""How far a campaign has come: its run table, what follows from it for the next run, what it shows of itself."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field

from wattmark.campaigns.decisions import Decisions
from wattmark.campaigns.known_latencies import KnownLatencies
from wattmark.campaigns.planned import PlannedRun, Step
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

    def due(self, step: Step) -> bool:
        """Tell whether the runs of a step are still to be made."""
        return self.table.due(step[0])

    def wanted(self, step: Step) -> bool:
        """Tell whether the runs of a step are to be made now: due, and nothing makes them needless or impossible."""
        return self.due(step) and not self._reasons(step)

    def skip_if_due(self, step: Step) -> None:
        """Skip the runs of a step that need not or cannot be made."""
        if self.due(step):
            for order, reason in self._reasons(step).items():
                self.table.skipped[order] = reason
                self.progress.skip(order, reason)

    def _reasons(self, step: Step) -> dict[int, str]:
        return self.decisions.reasons_to_skip(step, self.progress.elapsed_s)

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
