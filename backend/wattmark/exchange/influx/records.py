"""The records of runs in InfluxDB: written as lines, read back as dossiers."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from wattmark.core.errors import StoreError
from wattmark.exchange.fleet.dossier import Dossier, read_dossier
from wattmark.exchange.influx import schema
from wattmark.exchange.influx.csv_answer import read_csv
from wattmark.exchange.influx.lines import head
from wattmark.exchange.influx.questions import records
from wattmark.exchange.influx.samples import Asked
from wattmark.exchange.influx.words import from_words, to_words
from wattmark.store.sample_store import SeriesKey

_log = logging.getLogger(__name__)


def record_lines(dossier: Dossier) -> list[str]:
    """Write a dossier as lines: one number each nanosecond from the creation of the run on."""
    record = dossier.record
    begin = head(schema.RECORDS, record.run_id, record.server, schema.RECORD_SOURCE, schema.RECORD_CHANNEL)
    words = to_words(dossier.model_dump_json().encode())
    return [f"{begin}{schema.WORD}={word!r} {record.created_ns + offset_ns}" for offset_ns, word in enumerate(words)]


class InfluxRecords:
    """Read the dossiers of all appliances that send here. One that is being replaced just now is not given."""

    def __init__(self, server: Asked) -> None:
        self._server = server
        self._dossiers: dict[str, Dossier] = {}

    def all(self, since_ns: int | None = None) -> list[Dossier]:
        """Read all, or those made since an instant [UTC ns], oldest run first. Raises `StoreError`.

        A record that cannot be read is excluded, with its cause in the log: another appliance sent it.
        """
        dossiers = list(self._readable(self._ask(None, since_ns)))
        self._dossiers = {dossier.record.run_id: dossier for dossier in dossiers}
        return sorted(dossiers, key=lambda dossier: (dossier.record.created_ns, dossier.record.run_id))

    def get(self, run_id: str) -> Dossier | None:
        """Read one; None where there is none. Raises `StoreError`."""
        dossiers = (read_dossier(document, run) for run, document in self._ask(run_id).items())
        match = next((dossier for dossier in dossiers if dossier.record.run_id == run_id), None)
        if match is not None:
            self._dossiers[run_id] = match
        return match

    def series(self, run_id: str) -> Sequence[tuple[SeriesKey, int]]:
        """List the series of a run as its dossier names them. Raises `StoreError` where there is none."""
        dossier = self._dossiers.get(run_id) or self.get(run_id)
        if dossier is None:
            raise StoreError(f"InfluxDB has no record of run {run_id}.", "List the runs: wattmark store runs.")
        return dossier.keys

    def _ask(self, run_id: str | None, since_ns: int | None = None) -> dict[str, bytes]:
        """Read the documents of runs; those that are being replaced just now are excluded."""
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
