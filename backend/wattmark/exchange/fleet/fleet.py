"""Results of many appliances, computed from the server alone that all of them send to."""

from __future__ import annotations

from wattmark.analysis.efficiency.rule_name import RuleName
from wattmark.comparison.compare.compare import choices, compare
from wattmark.comparison.compare.views import CompareChoice, CompareOut
from wattmark.comparison.compare.yardstick import EFFICIENCY, Yardstick
from wattmark.comparison.published.groups import published_groups
from wattmark.comparison.published.library import Library
from wattmark.core.errors import EvaluationFailed
from wattmark.exchange.fleet.dossier import Dossier
from wattmark.exchange.influx.records import InfluxRecords
from wattmark.results.evaluate import evaluate
from wattmark.results.failed import failed_result
from wattmark.results.issued.failures import Failures
from wattmark.results.issued.relocated import with_identities
from wattmark.results.result import Result
from wattmark.runs.origin import at_lab, lab_of
from wattmark.runs.thinned import is_thinned
from wattmark.store.sample_store import SampleStore
from wattmark.traceability.certificates.describe import iso


class Fleet:
    """Evaluate the runs that a server holds, each with the certificates that it was issued with."""

    def __init__(self, records: InfluxRecords, samples: SampleStore, library: Library) -> None:
        self._records = records
        self.samples = samples
        self._library = library
        self._failures = Failures()

    def runs(self) -> list[Dossier]:
        """List the runs of all appliances, oldest first."""
        return self._records.all()

    def results(self, rule: RuleName = "complete") -> list[Result]:
        """Evaluate all runs from their raw samples, oldest first; each server is named with its lab."""
        return [_named(self._listed(dossier, rule), dossier.lab) for dossier in self.runs()]

    def _listed(self, dossier: Dossier, rule: RuleName) -> Result:
        try:
            return self.result(dossier, rule)
        except EvaluationFailed as error:
            return failed_result(dossier.record, error)

    def result(self, dossier: Dossier, rule: RuleName = "complete") -> Result:
        """Evaluate a run as the appliance that recorded it does; one that was thinned there as it was issued.

        Raises `EvaluationFailed`.
        """
        issue, cross_calibration = dossier.issued_with, dossier.cross_calibration
        if dossier.result is not None and rule == "complete" and is_thinned(dossier.record):
            result = dossier.result
        else:
            as_found = issue.as_found if issue else None
            with self._failures.of(dossier.record.run_id):
                result = evaluate(dossier.record, self.samples, rule, dossier.register, as_found, cross_calibration)
        if issue is None:
            return result
        return result.model_copy(update={"result_version": issue.version, "issued": iso(issue.issued_ns)})

    def choices(self) -> list[CompareChoice]:
        return choices(self.results(), published_groups(self._library))

    def compare(self, workload: str, level: str, baseline: str | None = None, by: Yardstick = EFFICIENCY) -> CompareOut:
        """Compare configurations of all labs under one workload and level."""
        published = published_groups(self._library, workload)
        return compare(self.results(), workload, level, baseline, published, by)


def _named(result: Result, lab: str) -> Result:
    """Name server and meters with their lab; those that were imported there are named with their own already."""
    if not lab or lab_of(result.source) is not None:
        return result
    named = result.model_copy(update={"server": at_lab(result.server, lab)})
    return with_identities(named, [at_lab(identity, lab) for identity in result.meter_identities])
