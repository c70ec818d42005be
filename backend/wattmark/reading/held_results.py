"""Results in memory, as comparisons ask for them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence

from wattmark.analysis.efficiency.rule_name import RuleName
from wattmark.results.issued.row_store import ComparedRun
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord


class HeldResults:
    """The results of an archive, oldest first, by their own window rule."""

    def __init__(self, results: Sequence[tuple[RunRecord, Result]], tags: Mapping[str, Sequence[str]]) -> None:
        self._results = results
        self._tags = tags

    def ran(self, workload: str | None = None, level: str | None = None) -> list[ComparedRun]:
        """List the runs of a workload and level, or all."""
        return [
            ComparedRun(
                id=None,
                run_id=result.run_id,
                server=result.server,
                configuration=result.configuration,
                workload=result.workload,
                level=result.level,
                dimm_count=result.dimm_count,
                created=result.created,
                installation=result.installation,
                status=result.status.value,
            )
            for result in self.results(workload=workload, level=level)
        ]

    def results(
        self,
        rule: RuleName = "complete",  # noqa: ARG002 - the protocol's; there are no samples to evaluate by another one
        workload: str | None = None,
        level: str | None = None,
    ) -> list[Result]:
        """Return the results of all runs, or of a workload and level."""
        return [
            result
            for _, result in self._results
            if workload in (None, result.workload) and level in (None, result.level)
        ]

    def of_configurations(self, keys: Collection[str]) -> Iterable[tuple[RunRecord, Result]]:
        """Iterate over the runs of some configurations ("<server>/<configuration>") with their results."""
        return [pair for pair in self._results if f"{pair[1].server}/{pair[1].configuration}" in keys]

    def of_runs(self, run_ids: Sequence[str]) -> Iterable[tuple[RunRecord, Result]]:
        """Iterate over some runs with their results."""
        return [pair for pair in self._results if pair[0].run_id in set(run_ids)]

    def records(self, run_ids: Sequence[str]) -> list[RunRecord]:
        """Read the records of some runs."""
        return [run for run, _ in self._results if run.run_id in set(run_ids)]

    def tags(self) -> Mapping[str, Sequence[str]]:
        """Read the tags of the runs."""
        return self._tags
