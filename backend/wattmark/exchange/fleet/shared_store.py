"""The server that many appliances send to, read from this one: what lies there, and copies of it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from threading import Lock
from typing import IO

from wattmark_drivers.clock import Clock

from wattmark.comparison.published.library import Library
from wattmark.core.errors import InputError, NotFound
from wattmark.exchange.archives.data_folder import Archives
from wattmark.exchange.archives.outcome import Restoration
from wattmark.exchange.archives.preview import found_run
from wattmark.exchange.archives.views import FoundRunOut, SharedOut
from wattmark.exchange.archives.write import write_archive
from wattmark.exchange.fleet.dossier import Dossier
from wattmark.exchange.fleet.fleet import Fleet
from wattmark.exchange.fleet.shared_runs import SharedRun, origin_of
from wattmark.exchange.influx.connection import Connection
from wattmark.exchange.influx.records import InfluxRecords
from wattmark.exchange.influx.samples import InfluxSampleStore
from wattmark.exchange.influx.settings import PREFIX, InfluxSettings
from wattmark.results.data_folder import Storage
from wattmark.runs.record import RunStatus

_DAY_NS = 86_400 * 10**9


class SharedStore:
    """Read the server of the settings, whichever role it has; several threads may, and ask one after the other."""

    def __init__(
        self,
        settings: InfluxSettings | None,
        storage: Storage,
        archives: Archives,
        library: Callable[[], Library],
        clock: Clock,
    ) -> None:
        self._settings = settings
        self._storage = storage
        self._archives = archives
        self._library = library
        self._clock = clock
        self._lock = Lock()

    def out(self, days: int, limit: int, after: str | None = None) -> SharedOut:
        """List ``limit`` finished runs that were made in the last days, newest first, those behind the run ``after``.

        Raises `StoreError`, and `NotFound` where that run is not there any more.
        """
        if self._settings is None:
            return SharedOut(target=None, days=days, total=0, next=None, runs=[])
        since_ns = self._clock.utc_ns() - days * _DAY_NS
        with self._connected() as (records, fleet):
            dossiers = [
                dossier for dossier in reversed(records.all(since_ns)) if dossier.record.status is not RunStatus.RUNNING
            ]
            first = 0 if after is None else _place(dossiers, after) + 1
            runs = [self._shown(dossier, fleet) for dossier in dossiers[first : first + limit]]
        following = runs[-1].run_id if runs and first + limit < len(dossiers) else None
        return SharedOut(target=self._settings.target, days=days, total=len(dossiers), next=following, runs=runs)

    def copy(self, run_id: str, file: IO[bytes], *, decides: bool) -> Restoration:
        """Bring a run here by an archive of it in an empty file.

        Raises `NotFound`, `StoreError`, `OSError` where the file takes no more, and what a restore raises.
        """
        with self._connected() as (records, fleet):
            dossier = _finished(records.get(run_id), run_id)
            run = SharedRun(dossier, fleet.samples, fleet)
            write_archive(file, [dossier.record], run, origin_of(dossier).lab)
        return self._archives.restore(file, f"run {run_id} of the shared store", decides=decides)

    def _shown(self, dossier: Dossier, fleet: Fleet) -> FoundRunOut:
        present = self._storage.runs.get(dossier.record.run_id) is not None
        result = dossier.result or fleet.result(dossier)
        recorded = sum(n for _, n in dossier.keys)
        return found_run(result, origin_of(dossier).lab, "already here" if present else "new", recorded)

    @contextmanager
    def _connected(self) -> Iterator[tuple[InfluxRecords, Fleet]]:
        if self._settings is None:
            raise InputError("No InfluxDB server is configured.", f"Start the service with {PREFIX}URL.")
        with self._lock:
            connection = Connection(self._settings)
            try:
                records = InfluxRecords(connection)
                yield records, Fleet(records, InfluxSampleStore(connection, records), self._library())
            finally:
                connection.close()


def _place(dossiers: Sequence[Dossier], run_id: str) -> int:
    for place, dossier in enumerate(dossiers):
        if dossier.record.run_id == run_id:
            return place
    raise NotFound(f"The shared store no longer lists run {run_id[:80]!r}.", "Reload the list.")


def _finished(dossier: Dossier | None, run_id: str) -> Dossier:
    if dossier is None or dossier.record.status is RunStatus.RUNNING:
        raise NotFound(f"The shared store has no finished run {run_id[:80]!r}.", "Reload the list.")
    return dossier
