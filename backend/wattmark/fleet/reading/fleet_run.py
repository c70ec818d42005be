"""One run of a fleet for the pages of a run: as its lab issued it, or evaluated now from its raw samples."""

from __future__ import annotations

from dataclasses import replace

from wattmark.analysis.efficiency.rule_name import RuleName
from wattmark.core.build import build
from wattmark.core.errors import StoreError
from wattmark.fleet.reading.fleet_samples import FleetSamples
from wattmark.fleet.reading.fleet_tables import FleetRow, FleetTables
from wattmark.fleet.reading.lab_names import named_server
from wattmark.fleet.reading.where import Where
from wattmark.results.evaluate import evaluate
from wattmark.results.failed import failed_result
from wattmark.results.issued.failures import Failures
from wattmark.results.issued.issued_result import as_issued, with_build_note, with_version
from wattmark.results.issued.relocated import with_identities
from wattmark.results.pages.run_details import Basis
from wattmark.results.result import Result
from wattmark.runs.annotations.annotation import Annotation
from wattmark.runs.origin import at_lab, lab_of
from wattmark.runs.record import RunRecord
from wattmark.runs.thinned import is_thinned


class FleetRun:
    """A run with its result, its samples and its neighbours of the same lab."""

    def __init__(self, tables: FleetTables, row: FleetRow, *, recomputed: bool = False) -> None:
        """``recomputed``: evaluate it now, with the certificates that its result rests on."""
        self._tables = tables
        self._row = row
        self._recomputed = recomputed
        self.dossier = row.dossier
        self.samples = FleetSamples(tables, row)

    def record(self, run_id: str) -> RunRecord:  # noqa: ARG002 - the protocol's
        """Return the record of the run."""
        return self.dossier.record

    def known(self, run_id: str) -> RunRecord:
        """Return the record of the run."""
        return self.record(run_id)

    def result(self, run: RunRecord) -> Result:
        """Return the result as it was issued, its server with its lab. Raises `StoreError`."""
        return named(self.unnamed(run), self._row.lab)

    def shown(self, run: RunRecord, rule: RuleName = "complete") -> Result:
        """Return the result, also where it cannot be evaluated: as failed."""
        return named(self.unnamed_or_failed(run, rule), self._row.lab)

    def unnamed_or_failed(self, run: RunRecord, rule: RuleName = "complete") -> Result:
        """Return the result as its lab names it, also where it cannot be evaluated: as failed."""
        try:
            return self.unnamed(run, rule)
        except StoreError as error:
            return failed_result(run, error)

    def unnamed(self, run: RunRecord, rule: RuleName = "complete") -> Result:
        """Return the result as its lab names it. Raises `StoreError`."""
        dossier = self.dossier
        issue = dossier.issued_with
        if dossier.result is not None and issue is not None and rule == "complete":
            issued = as_issued(run, dossier.result, issue)
            if issued is not None and (not self._recomputed or is_thinned(run)):
                return issued
        basis = self.basis(run)
        with Failures().of(run.run_id):
            result = evaluate(run, self.samples, rule, basis.register, basis.as_found, basis.cross_calibration)
        return with_version(result, issue and replace(issue, software=build()))

    def neighbours(self, run_id: str) -> tuple[str | None, str | None]:
        """Find the runs of the same lab before and after it in time."""
        created_ns = self.dossier.record.created_ns
        return self._next_to(created_ns, run_id, "<", "DESC"), self._next_to(created_ns, run_id, ">", "ASC")

    def annotation(self, run_id: str) -> Annotation:  # noqa: ARG002 - the protocol's
        """Return none: tags and notes stay where they were written."""
        return Annotation()

    def basis(self, run: RunRecord) -> Basis:  # noqa: ARG002 - the protocol's
        """Return the certificates as they stood when the result was issued."""
        dossier = self.dossier
        as_found = dossier.issued_with.as_found if dossier.issued_with else None
        return Basis(dossier.register, as_found, dossier.cross_calibration)

    def _next_to(self, created_ns: int, run_id: str, sign: str, order: str) -> str | None:
        where = Where()
        where.equal("lab", self._row.lab)
        when, name = where.parameter(created_ns), where.parameter(run_id)
        where.add(f"(created_ns {sign} {when} OR (created_ns = {when} AND run {sign} {name}))")
        rows = self._tables.results("run", where, f"ORDER BY created_ns {order}, run {order} LIMIT 1")
        return rows[0][0] if rows else None


def as_shown(result: Result, lab: str) -> Result:
    """Return an issued result, its server with its lab, and with a note where another build computed it."""
    return named(with_build_note(result), lab)


def named(result: Result, lab: str) -> Result:
    """Name server and meters with their lab; those that were imported there are named with their own already."""
    server = named_server(result.server, lab)
    if server == result.server:
        return result
    renamed = result.model_copy(update={"server": server})
    if lab_of(result.source) is not None:
        return renamed
    return with_identities(renamed, [at_lab(identity, lab) for identity in result.meter_identities])
