"""The store of a fleet, read from an appliance: what lies there, and copies of it."""

from __future__ import annotations

from typing import IO

from wattmark_drivers.clock import Clock

from wattmark.archives.data_folder import Archives
from wattmark.archives.outcome import Restoration
from wattmark.archives.preview import found_run
from wattmark.archives.views import FoundRunOut, SharedOut
from wattmark.archives.write import write_archive
from wattmark.core.alone import Alone
from wattmark.core.errors import NotFound
from wattmark.fleet.reading.fleet_run import FleetRun
from wattmark.fleet.reading.fleet_store import FleetStore
from wattmark.fleet.reading.fleet_tables import FleetTables
from wattmark.fleet.reading.where import Where
from wattmark.fleet.shared.shared_runs import SharedRun
from wattmark.results.data_folder import Storage
from wattmark.runs.record import RunStatus

_DAY_NS = 86_400 * 10**9


class SharedStore:
    """List and copy runs of other labs; several threads may."""

    def __init__(self, fleet: FleetStore, storage: Storage, archives: Archives, clock: Clock) -> None:
        self._fleet = fleet
        self._storage = storage
        self._archives = archives
        self._clock = clock

    def out(self, days: int, limit: int, after: str | None = None) -> SharedOut:
        """List ``limit`` finished runs that were made in the last days, newest first, those behind the run ``after``.

        Raises `StoreError`, and `NotFound` where that run is not there any more.
        """
        if self._fleet.target is None:
            return SharedOut(target=None, days=days, total=0, next=None, runs=[])
        tables, where = self._fleet.tables, Where()
        where.add(f"status != {where.parameter(RunStatus.RUNNING.value)}")
        where.add(f"created_ns >= {where.parameter(self._clock.utc_ns() - days * _DAY_NS)}")
        ((total,),) = tables.runs("count() AS n", where)
        if after is not None:
            _continue(where, _created_ns(tables, where, after), after)
        rows = tables.runs("run", where, f"ORDER BY created_ns DESC, run DESC LIMIT {int(limit) + 1}")
        run_ids = [run_id for (run_id,) in rows]
        shown = self._shown(tables, run_ids[:limit])
        following = run_ids[limit - 1] if len(run_ids) > limit else None
        return SharedOut(target=self._fleet.target, days=days, total=total, next=following, runs=shown)

    def copy(self, run_id: str, file: IO[bytes], *, decides: bool, alone: Alone) -> Restoration:
        """Bring a run here by an archive of it in an empty file; ``alone`` is open while it is stored.

        Raises `NotFound`, `StoreError`, `OSError` where the file takes no more, and what a restore raises.
        """
        tables = self._fleet.tables
        row = tables.run(run_id)
        if row.dossier.record.status is RunStatus.RUNNING:
            raise NotFound(f"The run {run_id[:80]!r} is still recording.", "Reload the list when it has ended.")
        run = SharedRun(FleetRun(tables, row))
        write_archive(file, [row.dossier.record], run, run.origin.lab)
        return self._archives.restore(file, f"run {run_id} of the shared store", decides=decides, alone=alone)

    def _shown(self, tables: FleetTables, run_ids: list[str]) -> list[FoundRunOut]:
        rows = tables.records(run_ids)
        results = {result.run_id: result for _, result in tables.documents(run_ids)}
        shown = []
        for row in (rows[run_id] for run_id in run_ids if run_id in rows):
            record = row.dossier.record
            present = self._storage.runs.get(record.run_id) is not None
            run = FleetRun(tables, row)
            result = results.get(record.run_id) or run.unnamed_or_failed(record)
            recorded = sum(n for _, n in row.dossier.keys)
            lab = SharedRun(run).origin.lab
            shown.append(found_run(result, lab, "already here" if present else "new", recorded))
        return shown


def _created_ns(tables: FleetTables, listed: Where, run_id: str) -> int:
    where = listed.copy()
    where.equal("run", run_id)
    rows = tables.runs("created_ns", where)
    if not rows:
        raise NotFound(f"The shared store no longer lists run {run_id[:80]!r}.", "Reload the list.")
    return int(rows[0][0])


def _continue(where: Where, created_ns: int, run_id: str) -> None:
    when, name = where.parameter(created_ns), where.parameter(run_id)
    where.add(f"(created_ns < {when} OR (created_ns = {when} AND run < {name}))")
