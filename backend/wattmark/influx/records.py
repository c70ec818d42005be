"""The records of runs in InfluxDB: written as lines, read back as dossiers."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from wattmark.errors import StoreError
from wattmark.influx import schema
from wattmark.influx.csv_answer import read_csv
from wattmark.influx.dossier import Dossier, read_dossier
from wattmark.influx.lines import head
from wattmark.influx.questions import records
from wattmark.influx.samples import Asked
from wattmark.influx.words import from_words, to_words
from wattmark.storage.sample_store import SeriesKey

_log = logging.getLogger(__name__)


def record_lines(dossier: Dossier) -> list[str]:
    """Write a dossier as lines: one number each nanosecond from the creation of the run on."""
    record = dossier.record
    begin = head(schema.RECORDS, record.run_id, record.server, schema.RECORD_SOURCE, schema.RECORD_CHANNEL)
    words = to_words(dossier.model_dump_json().encode())
    return [f"{begin}{schema.WORD}={word!r} {record.created_ns + at}" for at, word in enumerate(words)]


class InfluxRecords:
    """Read the dossiers of all appliances that send here. One that is being replaced just now is not given."""

    def __init__(self, server: Asked) -> None:
        self._server = server
        self._known: dict[str, Dossier] = {}

    def all(self, since_ns: int | None = None) -> list[Dossier]:
        """Read all, or those made since an instant [UTC ns], oldest run first. Raises `StoreError`.

        A record that cannot be read is left out, with its cause in the log: another appliance sent it.
        """
        found = list(self._readable(self._ask(None, since_ns)))
        self._known = {one.record.run_id: one for one in found}
        return sorted(found, key=lambda one: (one.record.created_ns, one.record.run_id))

    def get(self, run_id: str) -> Dossier | None:
        """Read one; None where there is none. Raises `StoreError`."""
        dossiers = (read_dossier(document, run) for run, document in self._ask(run_id).items())
        found = next((one for one in dossiers if one.record.run_id == run_id), None)
        if found is not None:
            self._known[run_id] = found
        return found

    def series(self, run_id: str) -> Sequence[tuple[SeriesKey, int]]:
        """List the series of a run as its dossier names them. Raises `StoreError` where there is none."""
        dossier = self._known.get(run_id) or self.get(run_id)
        if dossier is None:
            raise StoreError(f"InfluxDB has no record of run {run_id}.", "List the runs: wattmark store runs.")
        return dossier.keys

    def _ask(self, run_id: str | None, since_ns: int | None = None) -> dict[str, bytes]:
        """Read the documents of runs; those that are being replaced just now are left out."""
        rows = read_csv(self._server.query(records(run_id, since_ns)), ("time", schema.WORD, "run"))
        words: defaultdict[str, list[float]] = defaultdict(list)
        for run, word in zip(rows.columns["run"], rows.columns[schema.WORD], strict=True):
            words[run].append(float(word))
        documents = {run: from_words(numbers) for run, numbers in words.items()}
        return {run: document for run, document in documents.items() if document}

    def _readable(self, documents: Mapping[str, bytes]) -> Iterator[Dossier]:
        for run, document in documents.items():
            try:
                yield read_dossier(document, run)
            except StoreError as error:
                _log.error("%s", error)
