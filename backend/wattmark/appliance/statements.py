"""Stated results: what was said, with which certificates, and how versions differ."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from wattmark_drivers.clock import Clock

from wattmark.appliance.evaluations import Evaluations
from wattmark.appliance.recalled import with_statement
from wattmark.build import build
from wattmark.certificates.describe import iso
from wattmark.certificates.review_views import RunVersionOut, RunVersionsOut
from wattmark.certificates.signature import require_signature
from wattmark.certificates.store import Stated, Statement
from wattmark.errors import Conflict, StoreError
from wattmark.results.series import result_meters
from wattmark.results.versions import difference, labels, same_figures
from wattmark.retention.mark import is_thinned
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.runs.result import Result
from wattmark.storage.open import Storage

FIRST = "measured"
ARRIVED = "Evaluated here when the run came: other figures than those that it was stated with."


class Statements:
    """State results and keep every version. A version is changed by nothing; a recompute makes the next one."""

    def __init__(self, storage: Storage, queries: Evaluations, clock: Clock) -> None:
        self._storage = storage
        self._queries = queries
        self._clock = clock

    def inside(self, storage: Storage) -> Statements:
        """Give statements on the stores of a transaction: they see what it wrote, and are undone with it."""
        return Statements(storage, Evaluations(storage), self._clock)

    def first(self, run: RunRecord) -> Result:
        """State a finished run for the first time; one that was stated is given as it stands.

        Raises `StoreError` for one that cannot be read or evaluated; nothing is stated of it then.
        """
        if run.status is RunStatus.RUNNING or self._storage.statements.last(run.run_id) is not None:
            return self._queries.result(run)
        try:
            return self._state(run, None, FIRST)
        except Conflict:
            # someone else stated it at the same time, with the same figures
            return self._queries.result(run)

    def arrived(self, run: RunRecord) -> Result:
        """Evaluate a run that came from elsewhere, and give what comes out.

        What it was stated with stands where this build comes to the same figures; else, and where it was never stated,
        what comes out is stated. One whose samples were thinned cannot be held against them, and is given as stated.
        """
        last = self._storage.statements.last(run.run_id)
        if last is None or is_thinned(run):
            return self.first(run)
        here = self._queries.recomputed(run, last)
        if not same_figures(self._queries.result(run), here):
            again = replace(last, version=last.version + 1, stated_ns=self._clock.utc_ns(), by=None, reason=ARRIVED)
            again = replace(again, software=build())
            self._storage.statements.add(again, with_statement(here, again))
        return here

    def keep(self, serials: Collection[str], reason: str) -> int:
        """State every finished run of some meters that was not stated yet, before the shelf changes; count all such.

        What these runs say then stays, whatever certificate comes. One that cannot be read or evaluated says nothing.
        """
        stated = self._storage.statements.in_force()
        mine = [run for run in self._storage.runs.all() if run.status is not RunStatus.RUNNING and _uses(run, serials)]
        for run in mine:
            if run.run_id not in stated and self._readable(run):
                self._state(run, None, reason)
        return len(mine)

    def _readable(self, run: RunRecord) -> bool:
        try:
            self._queries.result(run)
        except StoreError:
            return False
        return True

    def recompute(self, run_id: str, by: str, reason: str) -> RunVersionOut:
        """State a result anew with the certificates and overrides of now; the versions before stay."""
        run = self._finished(run_id)
        require_signature(by, reason)
        self.first(run)
        self._state(run, by, reason)
        return self.versions(run_id).versions[-1]

    def recompute_meter(self, serial: str, by: str, reason: str) -> list[RunVersionOut]:
        """State every result of a meter anew that the certificates and overrides of now change; oldest first.

        Results that a review stated with as-found points, or that cannot be read or evaluated, are left as they are.
        """
        require_signature(by, reason)
        require_signature(serial, reason)
        stated, made = self._storage.statements.in_force(), []
        for run in self._storage.runs.all():
            last = stated.get(run.run_id)
            reviewed = last is not None and last.as_found is not None
            if run.status is RunStatus.RUNNING or reviewed or not _uses(run, {serial}) or not self._readable(run):
                continue
            if difference(self._queries.result(run), self._queries.evaluated(run, "complete", None)):
                made.append(self.recompute(run.run_id, by, reason))
        return made

    def restate_as_found(self, run: RunRecord, certificate_id: str, by: str, reason: str) -> str | None:
        """State a result anew with as-found points. Where they give no correction, nothing is stated: says why not."""
        self.first(run)
        tried = self._queries.evaluated(run, "complete", self._next(run, by, reason, certificate_id)).calibrations
        if any(one.as_found and one.basis == "certificate" for one in tried):
            self._state(run, by, reason, certificate_id)
            return None
        refused = [refusal.text for one in tried if one.as_found for refusal in one.refusals]
        return " ".join(refused) or "The run has no mean power to correct."

    def versions(self, run_id: str) -> RunVersionsOut:
        """List the stated versions of a result and how they differ, oldest first."""
        run = self._queries.record(run_id)
        kept = self._storage.statements.of(run_id)
        now = self._queries.evaluated(run, "complete", None)
        told = kept[-1].result if kept else now
        return RunVersionsOut(
            run_id=run_id,
            versions=[_out(one, kept[at - 1].result if at else None) for at, one in enumerate(kept)],
            newer_available=bool(difference(told, now)),
        )

    def _state(self, run: RunRecord, by: str | None, reason: str, as_found: str | None = None) -> Result:
        stated = self._next(run, by, reason, as_found)
        result = self._queries.evaluated(run, "complete", stated)
        self._storage.statements.add(stated, result)
        return result

    def _next(self, run: RunRecord, by: str | None, reason: str, as_found: str | None) -> Stated:
        """Make the next version of a result, with the shelf as it stands."""
        last = self._storage.statements.last(run.run_id)
        return Stated(
            version=last.version + 1 if last else 1,
            stated_ns=self._clock.utc_ns(),
            shelf_revision=self._queries.shelf().revision,
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


def _out(one: Statement, before: Result | None) -> RunVersionOut:
    stated = one.stated
    return RunVersionOut(
        version=stated.version,
        stated=iso(stated.stated_ns),
        by=stated.by,
        reason=stated.reason,
        software=stated.software,
        certificates=labels(one.result),
        difference="" if before is None else difference(before, one.result) or "The figures are the same.",
        result=one.result,
    )
