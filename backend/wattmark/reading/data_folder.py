"""The runs of a data folder, which other processes may be writing meanwhile."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from wattmark.reading.arrow_table import FEATURE, ArrowTable
from wattmark.reading.readable import Comparing, Readable, all_rows
from wattmark.reports.sources import Sources
from wattmark.results.data_folder import open_storage
from wattmark.results.pages.listing import MOST_ROWS, RunQuery
from wattmark.results.pages.row import RunRow
from wattmark.results.result import Result
from wattmark.runs.samples.parquet_rows import sample_table

DATABASE = "wattmark.db"


class DataFolder(Readable):
    """Opened anew to read by every call, so that each sees what is stored by then."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def samples(self, run: str) -> ArrowTable:
        with self._sources() as sources:
            return ArrowTable(sample_table(sources.pages.samples(run, None, None), FEATURE))

    def result(self, run: str) -> Result:
        with self._sources() as sources:
            return sources.results.shown(sources.results.record(run))

    def rows(self) -> Sequence[RunRow]:
        with self._sources() as sources:
            pages = sources.pages
            return all_rows(lambda offset: pages.rows(RunQuery(sort="created", offset=offset, limit=MOST_ROWS)))

    @contextmanager
    def comparing(self) -> Iterator[Comparing]:
        with self._sources() as sources:
            yield sources.comparisons

    @contextmanager
    def _sources(self) -> Iterator[Sources]:
        storage = open_storage(self._folder, read_only=True)
        try:
            yield Sources.of(storage)
        finally:
            storage.close()
