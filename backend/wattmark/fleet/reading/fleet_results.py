"""The chosen part of a fleet as comparisons ask for it: results as they were issued, bit for bit."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from wattmark.analysis.efficiency.rule_name import RuleName
from wattmark.core.errors import InputError
from wattmark.fleet.reading.fleet_run import FleetRun, as_shown
from wattmark.fleet.reading.fleet_tables import FleetTables
from wattmark.fleet.reading.lab_names import Build, Machine
from wattmark.fleet.reading.where import Where
from wattmark.results.issued.row_store import ComparedRun
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord

MOST_RESULTS = 10_000
"""Results that are read for one answer: 4 s, and 650 MB of memory."""


class FleetResults:
    """Give the results of some machines of a fleet, or of some of their configurations; servers with their labs."""

    def __init__(self, tables: FleetTables, machines: Sequence[Machine], builds: Sequence[Build] | None = None) -> None:
        """``builds``: only these configurations of the machines; None: all."""
        self._tables = tables
        self._machines = machines
        self._builds = builds

    @classmethod
    def of_builds(cls, tables: FleetTables, builds: Sequence[Build]) -> FleetResults:
        """Choose configurations."""
        return cls(tables, [*dict.fromkeys((lab, server) for lab, server, _ in builds)], builds)

    def ran(self, workload: str | None = None, level: str | None = None) -> list[ComparedRun]:
        """List all runs of the machines: those of other configurations show when a server was fitted again."""
        where = self._where(workload, level)
        where.among("(lab, server)", self._machines)
        return self._tables.ran(where) if self._machines else []

    def results(
        self, rule: RuleName = "complete", workload: str | None = None, level: str | None = None
    ) -> list[Result]:
        """Return the chosen results of a workload and level, oldest first. Raises `InputError` for too many."""
        run_ids = self._run_ids(workload, level)
        if rule != "complete":
            return [result for _, result in self._evaluated(run_ids, rule)]
        return [as_shown(result, lab) for lab, result in self._tables.documents(run_ids)]

    def of_configurations(self, keys: Collection[str]) -> Iterator[tuple[RunRecord, Result]]:  # noqa: ARG002 - chosen
        """Iterate over the chosen runs with their results, oldest first."""
        return self.of_runs(self._run_ids(None, None))

    def of_runs(self, run_ids: Sequence[str]) -> Iterator[tuple[RunRecord, Result]]:
        """Iterate over some runs with their results, oldest first."""
        rows = self._tables.records(run_ids)
        for lab, document in self._tables.documents(run_ids):
            if (row := rows.get(document.run_id)) is not None:
                result = as_shown(document, lab)
                yield row.dossier.record.model_copy(update={"server": result.server}), result

    def records(self, run_ids: Sequence[str]) -> list[RunRecord]:
        """Read the records of some runs."""
        return [row.dossier.record for row in self._tables.records(run_ids).values()]

    def tags(self) -> Mapping[str, Sequence[str]]:
        """Return none: tags stay where they were written."""
        return {}

    def _evaluated(self, run_ids: Sequence[str], rule: RuleName) -> Iterator[tuple[RunRecord, Result]]:
        rows = self._tables.records(run_ids)
        for row in (rows[run_id] for run_id in run_ids if run_id in rows):
            record = row.dossier.record
            yield record, FleetRun(self._tables, row).shown(record, rule)

    def _where(self, workload: str | None, level: str | None) -> Where:
        where = Where()
        where.equal("workload", workload)
        where.equal("level", level)
        return where

    def _run_ids(self, workload: str | None, level: str | None) -> list[str]:
        where = self._where(workload, level)
        if self._builds is None:
            where.among("(lab, server)", self._machines)
        else:
            where.among("(lab, server, configuration)", self._builds)
        if not self._machines:
            return []
        return limited_run_ids(self._tables, where)


def limited_run_ids(tables: FleetTables, where: Where) -> list[str]:
    """List the runs whose results are read for one answer, oldest first. Raises `InputError` for too many."""
    run_ids = [run_id for (run_id,) in tables.results("run", where, "ORDER BY created_ns, run")]
    if len(run_ids) > MOST_RESULTS:
        raise InputError(
            f"This asks for {len(run_ids)} results; at most {MOST_RESULTS} are read for one answer.",
            "Choose labs or configurations.",
        )
    return run_ids
