"""The data behind tables, figures and reports."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from wattmark.comparison.comparisons import Comparisons
from wattmark.comparison.published.imported import ImportedResults
from wattmark.comparison.published.library import load_published
from wattmark.results.data_folder import Storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.pages.run_pages import RunPages
from wattmark.runs.annotations.store import AnnotationStore


@dataclass(frozen=True, slots=True)
class Sources:
    """Results of runs, their pages, comparisons and annotations."""

    results: Evaluations
    pages: RunPages
    comparisons: Comparisons
    annotations: AnnotationStore

    @classmethod
    def of(cls, storage: Storage) -> Self:
        """Return the sources of a data folder, with the published figures."""
        results = Evaluations(storage)
        comparisons = Comparisons(results, load_published, imported=ImportedResults(storage.runs))
        return cls(results, RunPages(storage, results), comparisons, storage.annotations)
