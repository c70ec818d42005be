"""What can be read of runs, wherever they are."""

from __future__ import annotations

import gc
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from types import TracebackType
from typing import Protocol, Self

from wattmark.comparison.compare.compare_table import compare_table
from wattmark.comparison.compare.defaults import choose_comparison
from wattmark.comparison.compare.views import CompareChoice, CompareOut
from wattmark.comparison.compare.yardstick import EFFICIENCY, ComparedBy, Yardstick, yardstick
from wattmark.reading.arrow_table import ArrowTable
from wattmark.results.pages.listing import RunRows
from wattmark.results.pages.row import RunRow
from wattmark.results.result import Result
from wattmark.results.tables.run_rows import run_results_table, runs_table
from wattmark.tables.table import Table


class Comparing(Protocol):
    """What compares configurations: the comparisons of stored results, or a service."""

    def choices(self) -> list[CompareChoice]:
        """List the workloads and levels at which configurations can be compared."""
        ...

    def compare(self, workload: str, level: str, baseline: str | None, by: Yardstick) -> CompareOut:
        """Compare configurations under one workload and level."""
        ...


class Readable(ABC):
    """The runs of one place. Raises `WattmarkError` with cause and remedy where they cannot be read."""

    def runs(self) -> ArrowTable:
        """Read what ran on what, when, and how it went: a row each, oldest first."""
        return self._table(runs_table)

    def results(self) -> ArrowTable:
        """Read work per joule, power and throughput of each run with u and U95, and why one has none."""
        return self._table(run_results_table)

    def compare(
        self,
        workload: str | None = None,
        level: str | None = None,
        *,
        baseline: str | None = None,
        figure: ComparedBy = "efficiency",
        smallest_pct: float | None = None,
    ) -> ArrowTable:
        """Compare configurations: ratios to the baseline with their verdicts, ranks with ties, as `wattmark compare`.

        Without workload or level, those with most configurations; the title names them. ``smallest_pct`` is the
        smallest relevant difference [%]. The statement is the first footnote.
        """
        return ArrowTable.of(compare_table(self.comparison(workload, level, baseline, yardstick(figure, smallest_pct))))

    def comparison(
        self, workload: str | None, level: str | None, baseline: str | None = None, by: Yardstick = EFFICIENCY
    ) -> CompareOut:
        """Compare configurations, as the page Compare shows them; without workload or level, those with most."""
        with self.comparing() as comparing:
            chosen = choose_comparison(comparing.choices(), workload, level)
            return comparing.compare(chosen.workload, chosen.level, baseline, by)

    def _table(self, build: Callable[[Iterable[RunRow]], Table]) -> ArrowTable:
        with _without_garbage_collection():
            return ArrowTable.of(build(self.rows()))

    def close(self) -> None:  # noqa: B027 - the other places have nothing open
        """Close what is open; needed for an archive only."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    @abstractmethod
    def samples(self, run: str) -> ArrowTable:
        """Read every recorded sample of a run as it was indicated, excluded ones too. Raises `NotFound`."""

    @abstractmethod
    def result(self, run: str) -> Result:
        """Read the whole result of a run: budgets, verdicts, notes. Raises `NotFound`."""

    @abstractmethod
    def rows(self) -> Sequence[RunRow]:
        """Read the rows of all runs, oldest first."""

    @abstractmethod
    def comparing(self) -> AbstractContextManager[Comparing]:
        """Open what compares the runs."""


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """Pause the search for cycles: rows have none, and it goes through ten thousand of them again and again."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


def all_rows(page: Callable[[int], RunRows]) -> list[RunRow]:
    """Read the rows of all pages; ``page`` gives the one that begins at an offset."""
    rows: list[RunRow] = []
    offset: int | None = 0
    while offset is not None:
        read = page(offset)
        rows += read.rows
        offset = read.next_offset
    return rows
