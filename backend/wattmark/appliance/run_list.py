"""The list of runs: one row each, kept beside the results that they sum up."""

from __future__ import annotations

from functools import partial

from wattmark.appliance.evaluations import Evaluations
from wattmark.appliance.kept import KeptAnswers
from wattmark.appliance.recalled import recalled_one
from wattmark.build import build
from wattmark.errors import StoreError
from wattmark.runs.listing import RunQuery, RunRows, listed
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.runs.row import RunRow, run_row
from wattmark.storage.open import Storage
from wattmark.storage.revision import revision
from wattmark.uncollected import uncollected


class RunList:
    """List runs; safe to call from several threads."""

    def __init__(self, storage: Storage, evaluations: Evaluations) -> None:
        self._storage = storage
        self._evaluations = evaluations
        self._answers = KeptAnswers(partial(revision, storage.database))

    def page(self, query: RunQuery) -> RunRows:
        """Give the part of the list that is asked for, with how many runs there are."""
        said = self._storage.annotations.all()
        rows = [
            row.model_copy(update={"tags": said[row.run_id].tags, "note": said[row.run_id].note})
            if row.run_id in said
            else row
            for row in self.rows()
        ]
        return listed(rows, query)

    def rows(self) -> list[RunRow]:
        """Give the rows of all runs, oldest first; without what people said about them."""
        return [self._now(row) for row in self._answers.answer("rows", self._rows)]

    def _now(self, row: RunRow) -> RunRow:
        """Sum up a run again while it is recording: its figures change with every sample."""
        if row.status is not RunStatus.RUNNING:
            return row
        return run_row(self._evaluations.result(self._evaluations.record(row.run_id)))

    def _rows(self) -> list[RunRow]:
        now = revision(self._storage.database)
        rows, lasting = [], []
        with uncollected():
            for run_id, row in self._storage.run_rows.all(build()).items():
                if row is None and (run := self._record(run_id)) is not None:
                    row, lasts = self._made(run)
                    lasting += [row] if lasts else []
                rows += [] if row is None else [row]
        if lasting:
            self._storage.run_rows.keep(lasting, build(), now)
        return rows

    def _record(self, run_id: str) -> RunRecord | None:
        """Read a record; what stands for it where it is damaged, None where the run was deleted meanwhile."""
        try:
            return self._storage.runs.get(run_id)
        except StoreError:
            return next((run for run in self._storage.runs.listed() if run.run_id == run_id), None)

    def _made(self, run: RunRecord) -> tuple[RunRow, bool]:
        """Sum up a run; tells whether its row rests on nothing but its record and what was stated."""
        try:
            stated = self._storage.statements.last(run.run_id)
            result = recalled_one(self._storage.statements, run, stated) if stated else None
            if result is not None:
                return run_row(result), True
            return run_row(self._evaluations.evaluated(run, "complete", stated)), False
        except StoreError as error:
            return run_row(self._evaluations.unreadable(run, error)), False
