"""The runs of a cold archive: a folder or a bucket with Parquet files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property

from wattmark.comparison.comparisons import Comparisons
from wattmark.comparison.published.library import load_published
from wattmark.fleet.parquet.target import ParquetTarget
from wattmark.fleet.reading.archived_runs import ArchivedRuns
from wattmark.reading.arrow_table import FEATURE, ArrowTable
from wattmark.reading.held_results import HeldResults
from wattmark.reading.readable import Comparing, Readable
from wattmark.results.pages.row import RunRow
from wattmark.results.result import Result
from wattmark.runs.samples.parquet_rows import sample_table


class ParquetFolder(Readable):
    """Rows and samples are read anew by every call, results once for all comparisons."""

    def __init__(self, target: ParquetTarget) -> None:
        self._runs = ArchivedRuns(target)

    def samples(self, run: str) -> ArrowTable:
        return ArrowTable(sample_table(self._runs.samples(run), FEATURE))

    def result(self, run: str) -> Result:
        return self._runs.result(run)

    def rows(self) -> Sequence[RunRow]:
        return self._runs.rows()

    @contextmanager
    def comparing(self) -> Iterator[Comparing]:
        yield self._comparisons

    @cached_property
    def _comparisons(self) -> Comparisons:
        return Comparisons(HeldResults(self._runs.results(), {}), load_published)
