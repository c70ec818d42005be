"""Source of results for comparisons: a data folder, or the chosen part of a fleet."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Protocol

from wattmark.analysis.efficiency.rule_name import RuleName
from wattmark.results.issued.row_store import ComparedRun
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord


class ResultSource(Protocol):
    """Give runs with their results, oldest first."""

    def ran(self, workload: str | None = None, level: str | None = None) -> list[ComparedRun]:
        """List the runs of a workload and level, or all, as comparisons select them, without reading results."""
        ...

    def results(
        self, rule: RuleName = "complete", workload: str | None = None, level: str | None = None
    ) -> list[Result]:
        """Return the results of all runs, or of a workload and level."""
        ...

    def of_configurations(self, keys: Collection[str]) -> Iterable[tuple[RunRecord, Result]]:
        """Iterate over the runs of some configurations ("<server>/<configuration>") with their results."""
        ...

    def of_runs(self, run_ids: Sequence[str]) -> Iterable[tuple[RunRecord, Result]]:
        """Iterate over some runs with their results."""
        ...

    def records(self, run_ids: Sequence[str]) -> list[RunRecord]:
        """Read the records of some runs; damaged ones are excluded."""
        ...

    def tags(self) -> Mapping[str, Sequence[str]]:
        """Read the tags of all runs; runs without any are omitted."""
        ...
