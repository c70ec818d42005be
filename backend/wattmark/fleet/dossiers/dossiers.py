"""The description of a run for readers who have only the server that samples are sent to."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

from wattmark.archives.layout import ORIGIN_KIND
from wattmark.fleet.dossiers.dossier import Dossier, make_dossier
from wattmark.results.data_folder import Storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.runs.origin import Origin, lab_of, read_origin

MOST_SOURCES = 1000


class Dossiers:
    """Gather the dossiers of stored runs; safe to call from several threads."""

    def __init__(self, storage: Storage, results: Evaluations, lab: Callable[[], str]) -> None:
        self._storage = storage
        self._results = results
        self._lab = lab
        self._source = lru_cache(MOST_SOURCES)(self._read_source)

    def gather(self, run_id: str) -> Dossier | None:
        """Collect what a result rests on as it was issued last; None where the run is gone."""
        run = self._storage.runs.get(run_id)
        if run is None:
            return None
        versions = self._storage.issued.of(run_id)
        last = versions[-1] if versions else None
        issue = None if last is None else last.issue
        register = self._results.register()
        return make_dossier(
            run,
            self._storage.samples.list_series(run_id),
            last,
            register.at(issue.register_revision) if issue else register,
            self._results.cross_calibration(run, issue),
            self._lab(),
            self._origin(run_id),
        )

    def _origin(self, run_id: str) -> Origin | None:
        document = self._storage.runs.documents(ORIGIN_KIND).get(run_id)
        return None if document is None else read_origin(run_id, document)

    def lab(self, run_id: str) -> str:
        """Name the lab that recorded a run: of the bench file, or the one that it was imported from."""
        return lab_of(self._source(run_id)) or self._lab()

    def _read_source(self, run_id: str) -> str:
        run = self._storage.runs.get(run_id)
        return "" if run is None else run.source
