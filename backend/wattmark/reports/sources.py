"""The data behind tables, figures and reports."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import TYPE_CHECKING, Self

from wattmark.results.data_folder import Storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.runs.annotations.store import AnnotationStore

if TYPE_CHECKING:
    from wattmark.comparison.comparisons import Comparisons
    from wattmark.results.pages.run_pages import RunPages


class Sources:
    """Results of runs, their pages, comparisons and annotations."""

    def __init__(
        self,
        results: Evaluations,
        pages: Callable[[], RunPages],
        comparisons: Callable[[], Comparisons],
        annotations: AnnotationStore,
    ) -> None:
        """``pages`` and ``comparisons`` are asked for when something needs them for the first time."""
        self.results = results
        self._pages = pages
        self._comparisons = comparisons
        self.annotations = annotations

    @cached_property
    def pages(self) -> RunPages:
        """The pages of the runs."""
        return self._pages()

    @cached_property
    def comparisons(self) -> Comparisons:
        """The comparisons of these results with one another and with the published figures."""
        return self._comparisons()

    @classmethod
    def of(cls, storage: Storage) -> Self:
        """Return the sources of a data folder, with the published figures."""
        results = Evaluations(storage)
        return cls(
            results, lambda: _pages(storage, results), lambda: _comparisons(storage, results), storage.annotations
        )


def _pages(storage: Storage, results: Evaluations) -> RunPages:
    from wattmark.results.pages.run_pages import RunPages  # not for the commands that print a table of all runs

    return RunPages(storage, results)


def _comparisons(storage: Storage, results: Evaluations) -> Comparisons:
    from wattmark.comparison.comparisons import Comparisons  # not for the commands that compare nothing
    from wattmark.comparison.published.imported import ImportedResults
    from wattmark.comparison.published.library import load_published

    return Comparisons(results, load_published, imported=ImportedResults(storage.runs))
