"""Issue results, and list their versions with the certificates that each uses."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from wattmark_drivers.clock import Clock

from wattmark.core.build import build
from wattmark.core.errors import Conflict, StoreError
from wattmark.core.instants import iso
from wattmark.results.data_folder import Storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issued_result import Issue, IssuedResult, with_version
from wattmark.results.issued.review_views import RunVersionOut, RunVersionsOut
from wattmark.results.issued.versions import difference, labels, same_figures
from wattmark.results.meters import result_meters
from wattmark.results.result import Result
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.runs.thinned import is_thinned
from wattmark.traceability.certificates.signature import require_signature

FIRST = "measured"
ROWS_AT_ONCE = 100
"""In one transaction: others write between them."""
ARRIVED = "Evaluated at import: the figures differ from those of the issued version."


class Issuer:
    """Issue results and keep every version. A version never changes; a recompute issues the next one."""

    def __init__(self, storage: Storage, queries: Evaluations, clock: Clock) -> None:
        self._storage = storage
        self._queries = queries
        self._clock = clock

    def inside(self, storage: Storage) -> Issuer:
        """Return an issuer on the stores of a transaction: it sees what that wrote and is undone with it."""
        return Issuer(storage, Evaluations(storage), self._clock)

    def complete_rows(self) -> None:
        """Write the rows that issued results lack, as after a migration that dropped them."""
        missing = self._storage.results.without_row()
        for first in range(0, len(missing), ROWS_AT_ONCE):
            self._storage.issued.refresh(missing[first : first + ROWS_AT_ONCE])

    def first(self, run: RunRecord) -> Result:
        """Issue the first version of a finished run's result; return the latest version where there is one.

        Raises `StoreError` for one that cannot be read or evaluated; then nothing is issued.
        """
        if run.status is RunStatus.RUNNING or self._storage.issued.last(run.run_id) is not None:
            return self._queries.result(run)
        try:
            return self._issue(run, None, FIRST)
        except Conflict:
            # someone else issued it at the same time, with the same figures
            return self._queries.result(run)

    def arrived(self, run: RunRecord) -> Result:
        """Evaluate an imported run, and issue its result where it differs from the version it came with.

        An issued version stays valid where this build computes the same figures; else, and where none was issued,
        the new result is issued. A run with thinned samples cannot be compared, and keeps its issued version.
        """
        last = self._storage.issued.last(run.run_id)
        if last is None or is_thinned(run):
            return self.first(run)
        result = self._queries.recomputed(run, last)
        if not same_figures(self._queries.result(run), result):
            issue = replace(last, version=last.version + 1, issued_ns=self._clock.utc_ns(), by=None, reason=ARRIVED)
            issue = replace(issue, software=build())
            self._storage.issued.add(issue, with_version(result, issue))
        return result

    def keep(self, serials: Collection[str], reason: str) -> int:
        """Issue all finished runs of some meters before the register changes; return the number of these runs.

        Later certificates then change none of them. Runs that cannot be read or evaluated are skipped.
        """
        issues = self._storage.issued.in_force()
        runs = [run for run in self._storage.runs.all() if run.status is not RunStatus.RUNNING and _uses(run, serials)]
        for run in runs:
            if run.run_id not in issues and self._readable(run):
                self._issue(run, None, reason)
        return len(runs)

    def _readable(self, run: RunRecord) -> bool:
        try:
            self._queries.result(run)
        except StoreError:
            return False
        return True

    def recompute(self, run_id: str, by: str, reason: str) -> RunVersionOut:
        """Issue a new version of a result with the current certificates and overrides; earlier versions are kept."""
        run = self._finished(run_id)
        require_signature(by, reason)
        self.first(run)
        self._issue(run, by, reason)
        return self.versions(run_id).versions[-1]

    def recompute_meter(self, serial: str, by: str, reason: str) -> list[RunVersionOut]:
        """Issue new versions of a meter's results that the current certificates and overrides change; oldest first.

        Results that a review issued with as-found points, or that cannot be read or evaluated, are left unchanged.
        """
        require_signature(by, reason)
        require_signature(serial, reason)
        issues, versions = self._storage.issued.in_force(), []
        for run in self._storage.runs.all():
            last = issues.get(run.run_id)
            reviewed = last is not None and last.as_found is not None
            if run.status is RunStatus.RUNNING or reviewed or not _uses(run, {serial}) or not self._readable(run):
                continue
            if difference(self._queries.result(run), self._queries.evaluated(run, "complete", None)):
                versions.append(self.recompute(run.run_id, by, reason))
        return versions

    def reissue_as_found(self, run: RunRecord, certificate_id: str, by: str, reason: str) -> str | None:
        """Issue a version with as-found points. Where these give no correction, return why and issue nothing."""
        self.first(run)
        calibrations = self._queries.evaluated(
            run, "complete", self._next(run, by, reason, certificate_id)
        ).calibrations
        if any(calibration.as_found and calibration.basis == "certificate" for calibration in calibrations):
            self._issue(run, by, reason, certificate_id)
            return None
        refused = [
            refusal.text for calibration in calibrations if calibration.as_found for refusal in calibration.refusals
        ]
        return " ".join(refused) or "The run has no mean power to correct."

    def versions(self, run_id: str) -> RunVersionsOut:
        """List the issued versions of a result and how they differ, oldest first."""
        run = self._queries.record(run_id)
        versions = self._storage.issued.of(run_id)
        try:
            now = self._queries.evaluated(run, "complete", None)
        except StoreError:
            if not versions:
                raise
            now = versions[-1].result  # what was issued stands, also where what it rests on cannot be read any more
        return RunVersionsOut(
            run_id=run_id,
            versions=[
                _out(version, versions[position - 1].result if position else None)
                for position, version in enumerate(versions)
            ],
            newer_available=bool(difference(versions[-1].result if versions else now, now)),
        )

    def _issue(self, run: RunRecord, by: str | None, reason: str, as_found: str | None = None) -> Result:
        issue = self._next(run, by, reason, as_found)
        result = self._queries.evaluated(run, "complete", issue)
        self._storage.issued.add(issue, result)
        return result

    def _next(self, run: RunRecord, by: str | None, reason: str, as_found: str | None) -> Issue:
        """Return the basis of the next version of a result: the present register."""
        last = self._storage.issued.last(run.run_id)
        return Issue(
            version=last.version + 1 if last else 1,
            issued_ns=self._clock.utc_ns(),
            register_revision=self._queries.register().revision,
            as_found=as_found,
            by=by,
            reason=reason,
            software=build(),
        )

    def _finished(self, run_id: str) -> RunRecord:
        run = self._queries.record(run_id)
        if run.status is RunStatus.RUNNING:
            raise Conflict("This run is recording.", "Wait until it has ended.")
        return run


def _uses(run: RunRecord, serials: Collection[str]) -> bool:
    return any(meter.serial in serials for meter in result_meters(run))


def _out(issued: IssuedResult, before: Result | None) -> RunVersionOut:
    issue = issued.issue
    return RunVersionOut(
        version=issue.version,
        issued=iso(issue.issued_ns),
        by=issue.by,
        reason=issue.reason,
        software=issue.software,
        certificates=labels(issued.result),
        difference="" if before is None else difference(before, issued.result) or "The figures are the same.",
        result=issued.result,
    )
