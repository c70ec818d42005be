"""The list of runs: one row each, kept beside the results that they sum up."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

from wattmark.annotations.record import Annotation
from wattmark.appliance.evaluations import Evaluations
from wattmark.appliance.kept import KeptAnswers
from wattmark.appliance.orders import MadeRows
from wattmark.appliance.recalled import recalled
from wattmark.build import build
from wattmark.runs.listing import RunQuery, RunRows, listed
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.runs.row import RunRow, run_row, with_inclusion
from wattmark.storage.open import Storage
from wattmark.storage.revision import revision
from wattmark.storage.sqlite_run_rows import KeptRow
from wattmark.uncollected import uncollected

PATIENCE_S = 0.05
"""A page of the list waits so long for rows that must be made; the others follow in the background."""
STEP = 25
"""As many are made at a time: 5 ms where their results were stated."""


@dataclass(frozen=True, slots=True)
class _Found:
    rows: list[RunRow]
    total: int
    pending: int


class RunList:
    """List runs; safe to call from several threads. ``hurry`` hears that rows wait to be made."""

    def __init__(self, storage: Storage, evaluations: Evaluations, hurry: Callable[[], None] = lambda: None) -> None:
        self._storage = storage
        self._evaluations = evaluations
        self._hurry = hurry
        self._answers = KeptAnswers(partial(revision, storage.database))
        self._making = threading.Lock()
        self._made_at: int | None = None
        self._made: dict[str, RunRow | None] = {}
        """Rows that were made at this revision, which are not on disk yet or never will be."""
        self._to_hand_over: dict[str, RunRow] = {}
        """Those of them that another process is to keep, because this one only reads."""

    def page(self, query: RunQuery) -> RunRows:
        """Give the part of the list that is asked for, with how many runs there are."""
        found = self._answer(PATIENCE_S)
        if found.pending:
            self._hurry()
        return self._page(found, query)

    def whole_page(self, query: RunQuery) -> RunRows:
        """Give the part of the list that is asked for, however long it takes to make the rows that wait."""
        return self._page(self._whole(), query)

    def _page(self, found: _Found, query: RunQuery) -> RunRows:
        said = self._storage.annotations.all()
        rows = [_with_words(row, said[row.run_id]) if row.run_id in said else row for row in map(self._now, found.rows)]
        return listed(rows, query, total=found.total, pending=found.pending)

    def rows(self) -> list[RunRow]:
        """Give the rows of all runs, oldest first, however long that takes; without what people said about them."""
        return [self._now(row) for row in self._whole().rows]

    def _whole(self) -> _Found:
        while (found := self._answer(PATIENCE_S)).total > len(found.rows):
            pass
        return found

    def make(self) -> Iterator[None]:
        """Make all rows that wait, the newest first and a few at each step."""
        with self._making:
            waiting = self._waiting(self._storage.run_rows.all(build()))
        for first in range(0, len(waiting), STEP):
            with self._making, uncollected():
                self._forget_after_a_change()
                self._make([name for name in waiting[first : first + STEP] if name not in self._made])
            yield

    def hand_over(self) -> MadeRows:
        """Give the rows to be kept that were made since the last time; makes a few where there are none."""
        with self._making, uncollected():
            self._forget_after_a_change()
            waiting = self._waiting(self._storage.run_rows.all(build()))
            if not self._to_hand_over:
                self._make(waiting[:STEP])
            rows = tuple(self._to_hand_over.values())
            self._to_hand_over = {}
            left = [name for name in waiting if name not in self._made]
            return MadeRows(revision=self._made_at or 0, rows=rows, waiting=bool(left))

    def _now(self, row: RunRow) -> RunRow:
        """Sum up a run again while it is recording: its figures change with every sample."""
        if row.status is not RunStatus.RUNNING:
            return row
        return self._sum_up(self._evaluations.record(row.run_id))

    def _answer(self, patience_s: float) -> _Found:
        return self._answers.answer("rows", partial(self._find, patience_s), lambda found: not found.pending)

    def _find(self, patience_s: float) -> _Found:
        """Read the rows, and make what time allows; one of another build stands until this one has made its own."""
        with self._making, uncollected():
            self._forget_after_a_change()
            kept = self._storage.run_rows.all(build())
            waiting = self._waiting(kept)
            pending = self._make_in_time(waiting, patience_s)
            found = {name: self._made.get(name, one and one.row) for name, one in kept.items()}
        gone = sum(name in self._made and row is None for name, row in found.items())
        return _Found([row for row in found.values() if row is not None], len(found) - gone, pending)

    def _waiting(self, kept: dict[str, KeptRow | None]) -> list[str]:
        """List the runs whose rows must be made: those without one before those of another build, newest first."""
        names = [name for name in reversed(kept) if name not in self._made]
        without = [name for name in names if kept[name] is None]
        return without + [name for name in names if (one := kept[name]) is not None and not one.own]

    def _forget_after_a_change(self) -> None:
        now = revision(self._storage.database)
        if now != self._made_at:
            self._made_at, self._made, self._to_hand_over = now, {}, {}

    def _make_in_time(self, run_ids: Sequence[str], patience_s: float) -> int:
        """Make rows until patience ends; tells how many were not made."""
        until = time.monotonic() + patience_s
        for first in range(0, len(run_ids), STEP):
            self._make(run_ids[first : first + STEP])
            if time.monotonic() >= until:
                return max(len(run_ids) - first - STEP, 0)
        return 0

    def _make(self, run_ids: Sequence[str]) -> None:
        """Make rows, and keep those that last; a run that was deleted meanwhile has none."""
        runs = {run.run_id: run for run in self._storage.runs.some(run_ids)}
        statements = self._storage.statements
        results = recalled(statements, runs, statements.in_force(run_ids))
        lasting = {name: run_row(result) for name, result in results.items()}
        others = {name: self._sum_up(run) for name, run in runs.items() if name not in lasting}
        self._made |= dict.fromkeys(run_ids) | lasting | others
        if self._storage.database.read_only:
            self._to_hand_over |= lasting
        elif lasting and self._made_at is not None:
            self._storage.run_rows.keep(lasting.values(), build(), self._made_at)

    def _sum_up(self, run: RunRecord) -> RunRow:
        """Sum up a run that is recording, cannot be read, or whose record says something else than what was stated."""
        return run_row(self._evaluations.listed(run))


def _with_words(row: RunRow, said: Annotation) -> RunRow:
    """Add what people said about a run, and how it stands by their choice."""
    return with_inclusion(row, said.inclusion).model_copy(update={"tags": said.tags, "note": said.note})
