"""The trash: deleted runs stay with their samples for a while, hidden from everything else."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

from wattmark_drivers.clock import Clock

from wattmark.core.errors import Conflict, NotFound, StoreError
from wattmark.core.instants import iso
from wattmark.runs.annotations.views import TrashedRun, TrashOut
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.runs.store import RunStore

KEEP_DAYS = 30
_DAY_NS = 86_400 * 10**9


@dataclass(frozen=True, slots=True)
class Trash:
    """The trash of one data folder. ``destroy`` deletes a run with its samples and all that is kept about it."""

    runs: RunStore
    destroy: Callable[[str], None]
    clock: Clock

    def list(self) -> TrashOut:
        """List what lies in the trash, latest first."""
        runs = [_out(run, trashed_ns) for run, trashed_ns in self.runs.trashed()]
        return TrashOut(keep_days=KEEP_DAYS, runs=runs)

    def move(self, run_ids: Sequence[str]) -> TrashOut:
        """Move runs into the trash, all or none. Raises `NotFound`, and `Conflict` for one that is recording."""
        for run_id in run_ids:
            with suppress(StoreError):  # one whose record is damaged may go
                self._require_ended(run_id)
        self.purge()
        self.runs.trash(run_ids, self.clock.utc_ns())
        return self.list()

    def restore(self, run_ids: Sequence[str]) -> TrashOut:
        """Take runs out of the trash, all or none. Raises `NotFound`."""
        self._require_trashed(run_ids)
        self.runs.restore(run_ids)
        return self.list()

    def delete(self, run_id: str) -> None:
        """Delete a run of the trash for good. Raises `NotFound`."""
        self._require_trashed([run_id])
        self.destroy(run_id)

    def purge(self) -> None:
        """Delete for good what has lain here longer than it is kept."""
        oldest_ns = self.clock.utc_ns() - KEEP_DAYS * _DAY_NS
        for run, trashed_ns in self.runs.trashed():
            if trashed_ns < oldest_ns:
                self.destroy(run.run_id)

    def _require_ended(self, run_id: str) -> None:
        run = self.runs.get(run_id)
        if run is None:
            raise NotFound(f"There is no run {run_id[:80]!r}.", "Reload the list of runs.")
        if run.status is RunStatus.RUNNING:
            raise Conflict(f"Run {run_id} is recording.", "Stop the campaign first.")

    def _require_trashed(self, run_ids: Sequence[str]) -> None:
        trashed = {run.run_id for run, _ in self.runs.trashed()}
        for run_id in run_ids:
            if run_id not in trashed:
                raise NotFound(f"Run {run_id[:80]!r} is not in the trash.", "Reload the trash.")


def _out(run: RunRecord, trashed_ns: int) -> TrashedRun:
    return TrashedRun(
        run_id=run.run_id,
        title=run.configuration_snapshot.title or run.configuration,
        server=run.server,
        workload=run.workload,
        level=run.level,
        repeat=run.repeat,
        created=iso(run.created_ns),
        trashed=iso(trashed_ns),
        kept_until=iso(trashed_ns + KEEP_DAYS * _DAY_NS),
    )
