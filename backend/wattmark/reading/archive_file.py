"""The runs of an archive, as it was written and signed; it is verified whole before anything is read from it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path

from wattmark.archives.container import ContainerLimits, Refusal
from wattmark.archives.layout import RunFile
from wattmark.archives.read import Archive
from wattmark.archives.signer import signer_of
from wattmark.comparison.comparisons import Comparisons
from wattmark.comparison.published.library import load_published
from wattmark.core.errors import NotFound
from wattmark.reading.arrow_table import FEATURE, ArrowTable
from wattmark.reading.held_results import HeldResults
from wattmark.reading.readable import Comparing, Readable
from wattmark.results.pages.row import RunRow, run_row
from wattmark.results.result import Result
from wattmark.runs.annotations.annotation import Annotation
from wattmark.runs.record import RunRecord
from wattmark.runs.samples.blocks import Block
from wattmark.runs.samples.parquet_rows import sample_table
from wattmark.store.sample_store import Series, SeriesKey

_REFUSAL = Refusal("was not read", "Ask for a new copy, written by `wattmark archive`.")


class ArchiveFile(Readable):
    """An archive stays open until it is closed. Raises `InputError` for one that is damaged or wrongly signed."""

    def __init__(self, path: Path) -> None:
        self._name = path.name
        self._file = path.open("rb")
        try:
            self._archive = Archive(self._file, path.name, ContainerLimits(), _REFUSAL)
            signer_of(self._archive, None, {})
        except BaseException:
            self._file.close()
            raise

    def samples(self, run: str) -> ArrowTable:
        return ArrowTable(sample_table(self._blocks(run), FEATURE))

    def result(self, run: str) -> Result:
        return self._run(run).result

    def rows(self) -> Sequence[RunRow]:
        rows = []
        for run, result, annotation in self._runs():
            row = run_row(result)
            if annotation is not None:
                row = row.model_copy(update={"tags": annotation.tags, "note": annotation.note})
            rows.append((run.created_ns, row))
        return [row for _, row in sorted(rows, key=lambda pair: (pair[0], pair[1].run_id))]

    @contextmanager
    def comparing(self) -> Iterator[Comparing]:
        yield self._comparisons

    def close(self) -> None:
        self._file.close()

    @cached_property
    def _comparisons(self) -> Comparisons:
        runs = sorted(self._runs(), key=lambda run: (run[0].created_ns, run[0].run_id))
        tags = {run.run_id: said.tags for run, _, said in runs if said is not None and said.tags}
        results = [(run.model_copy(update={"server": result.server}), result) for run, result, _ in runs]
        return Comparisons(HeldResults(results, tags), load_published)

    def _runs(self) -> Iterator[tuple[RunRecord, Result, Annotation | None]]:
        return ((run.record, run.result, run.annotation) for run in self._archive.runs())

    def _blocks(self, run_id: str) -> Iterator[Block]:
        """Read the samples of a run in the order of its series. Raises `NotFound`."""
        run = self._run(run_id)
        for number, series in enumerate(run.series):
            stored = Series(number, SeriesKey(run_id, **series.key.model_dump()), series.n)
            for samples in self._archive.samples(series.file, series.n):
                yield Block(stored, samples)

    def _run(self, run_id: str) -> RunFile:
        if run_id not in self._archive.run_ids:
            raise NotFound(f"There is no run {run_id[:80]!r} in {self._name}.", "List its runs: runs().")
        return self._archive.run(run_id)
