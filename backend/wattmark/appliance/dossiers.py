"""What is told of a run to those who have only the server that samples are sent to."""

from __future__ import annotations

from collections.abc import Callable

from wattmark.appliance.queries import Queries
from wattmark.archives.layout import ORIGIN_KIND
from wattmark.influx.dossier import Dossier, make_dossier
from wattmark.influx.records import record_lines
from wattmark.runs.origin import Origin, read_origin
from wattmark.storage.open import Storage


class Dossiers:
    """Gather the dossiers of stored runs; safe to call from several threads."""

    def __init__(self, storage: Storage, queries: Queries, lab: Callable[[], str]) -> None:
        self._storage = storage
        self._queries = queries
        self._lab = lab

    def gather(self, run_id: str) -> Dossier | None:
        """Gather what a result rests on as it was stated last; None where the run is gone."""
        run = self._storage.runs.get(run_id)
        if run is None:
            return None
        statements = self._storage.statements.of(run_id)
        last = statements[-1] if statements else None
        stated = None if last is None else last.stated
        shelf = self._queries.shelf()
        return make_dossier(
            run,
            self._storage.samples.list_series(run_id),
            last,
            shelf.at(stated.shelf_revision) if stated else shelf,
            self._queries.reconciliation(run, stated),
            self._lab(),
            self._origin(run_id),
        )

    def _origin(self, run_id: str) -> Origin | None:
        document = self._storage.runs.documents(ORIGIN_KIND).get(run_id)
        return None if document is None else read_origin(run_id, document)

    def lines(self, run_id: str) -> list[str]:
        """Write a dossier as line protocol; nothing where the run is gone."""
        dossier = self.gather(run_id)
        return [] if dossier is None else record_lines(dossier)
