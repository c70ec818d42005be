"""A data folder opened for reading, with the rooms that answer about what is stored in it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from wattmark_drivers.clock import SystemClock

from wattmark.comparison.comparisons import Comparisons
from wattmark.comparison.published.imported import ImportedResults
from wattmark.comparison.published.library import load_published
from wattmark.reports.sources import Sources
from wattmark.results.data_folder import open_storage
from wattmark.results.issued.calibration import Calibration
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.pages.run_pages import RunPages
from wattmark.service.reader.bench import bench_now
from wattmark.service.wings import Wings

MANY_RUNS = 300
"""The first comparison of fewer runs is there within a second."""


@dataclass(frozen=True, slots=True)
class _Settings:
    data_dir: Path


class StoredRuns:
    """Everything that answers about the stored runs of one data folder, opened to read only."""

    def __init__(self, data_dir: Path, planted: Mapping[str, dict[str, float]]) -> None:
        self.settings = _Settings(data_dir)
        storage, clock = open_storage(data_dir, read_only=True), SystemClock()
        self.results = Evaluations(storage)
        self.comparisons = Comparisons(self.results, load_published, planted.get, ImportedResults(storage.runs))
        self.pages = RunPages(storage, self.results)
        self.sources = Sources(self.results, lambda: self.pages, lambda: self.comparisons, storage.annotations)
        self.calibration = Calibration(storage, self.results, clock, lambda: bench_now().meters)
        self.wings = Wings(data_dir, storage, self.results, self.calibration.issuer, lambda: bench_now().lab, clock)

    def read_ahead(self) -> None:
        """Compute the comparison that the Compare page opens with, where reading its results takes seconds."""
        if len(self.results.ids()) < MANY_RUNS:
            return
        choices = [choice for choice in self.comparisons.choices() if choice.measured]
        if choices:
            first = max(choices, key=lambda choice: (choice.measured, choice.published))
            self.comparisons.compare(first.workload, first.level)

    def provided(self) -> dict[type[object], object]:
        """Map each class that routes of stored runs need to its one instance here; wings come with their sections."""
        parts: list[object] = [self.pages, self.comparisons, self.sources, self.calibration]
        return {type(part): part for part in parts}
