"""Review of older results by an as-found calibration, and their recomputation on request."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from wattmark_calibration import Outcome, Review, Used, review

from wattmark.analysis.refusal import Refused
from wattmark.analysis.window import RULES, Window, choose_window
from wattmark.appliance.queries import Queries
from wattmark.appliance.statements import Statements
from wattmark.certificates.review_views import AffectedRun, ReviewedRange, ReviewOut
from wattmark.certificates.shelf import Accepted, range_in_use
from wattmark.certificates.signature import require_signature
from wattmark.errors import EvaluationFailed, InputError, NotFound
from wattmark.results.calibration import ranges_used
from wattmark.results.evaluate import iso, run_marks
from wattmark.results.series import result_meters
from wattmark.results.tolerance import limits_by
from wattmark.results.versions import labels
from wattmark.runs.record import MeterRecord, RunRecord, RunStatus
from wattmark.storage.open import Storage


class Reviews:
    """Find the results that an as-found calibration puts in doubt."""

    def __init__(self, storage: Storage, queries: Queries, statements: Statements) -> None:
        self._storage = storage
        self._queries = queries
        self._statements = statements

    def review(self, certificate_id: str) -> ReviewOut:
        """Tell which results since the last good calibration are in doubt. Raises `InputError` where nothing tells."""
        entry = self._entry(certificate_id)
        found = self._judge(entry)
        return self._out(entry, found, self._affected(entry, found), [])

    def recompute(self, certificate_id: str, by: str, reason: str) -> ReviewOut:
        """State every result in doubt anew with the as-found points; the versions before stay."""
        require_signature(by, reason)
        entry = self._entry(certificate_id)
        found = self._judge(entry)
        affected = self._affected(entry, found)
        problems = []
        for run, used in affected:
            try:
                why_not = self._statements.restate_as_found(run, certificate_id, by, reason)
            except EvaluationFailed as error:
                why_not = str(error)
            if why_not is not None:
                problems.append(f"{run.run_id} (range {used.range_name}) was not recomputed: {why_not}")
        return self._out(entry, found, affected, problems)

    def _entry(self, certificate_id: str) -> Accepted:
        entry = self._queries.shelf().get(certificate_id)
        if entry is None:
            raise NotFound(f"There is no certificate {certificate_id[:80]!r}.", "List them: wattmark certificate list.")
        if not entry.certificate.as_found:
            raise InputError(
                f"Certificate {entry.name} has no as-found points; only those judge older results.",
                "Ask the laboratory for them.",
            )
        return entry

    def _judge(self, entry: Accepted) -> Review:
        serial = entry.certificate.meter.serial
        return review(entry.certificate, self._queries.shelf().known, limits_by(self._records(serial)))

    def _records(self, serial: str) -> list[MeterRecord]:
        """List what runs know about a meter, latest first."""
        return [meter for run in reversed(self._storage.runs.all()) for meter in run.meters if meter.serial == serial]

    def _affected(self, entry: Accepted, found: Review) -> list[tuple[RunRecord, Used]]:
        """List the results in doubt, oldest first, each once with the first of its ranges that is in doubt."""
        if not found.needed:
            return []
        doubted: dict[str, tuple[RunRecord, Used]] = {}
        for run, used in self._uses(entry):
            if found.affects(used):
                doubted.setdefault(run.run_id, (run, used))
        return list(doubted.values())

    def _uses(self, entry: Accepted) -> Iterator[tuple[RunRecord, Used]]:
        """Give every finished run that rests on the meter, once for each range that it used."""
        serial = entry.certificate.meter.serial
        for run in self._storage.runs.all():
            meter = next((m for m in result_meters(run) if m.serial == serial and m.role == "wall"), None)
            window = _window(run)
            if meter is None or window is None or run.status is RunStatus.RUNNING:
                continue
            series = self._storage.samples.list_series(run.run_id)
            for name in ranges_used(meter, series, self._storage.samples, window):
                certified = range_in_use(entry.certificate, name, as_found=True) or name or meter.range_name or ""
                measured = datetime.fromtimestamp(window.end_ns / 1e9, tz=UTC)
                yield run, Used(run.run_id, serial, certified, measured)

    def _out(
        self, entry: Accepted, found: Review, affected: list[tuple[RunRecord, Used]], problems: list[str]
    ) -> ReviewOut:
        return ReviewOut(
            certificate=entry.certificate.id,
            version=entry.certificate.version,
            serial=found.serial,
            needed=found.needed,
            since=found.since.isoformat() if found.since else None,
            until=found.until.isoformat(),
            ranges=[_range(name, outcome, found) for name, outcome in found.outcomes.items()]
            + [ReviewedRange(name=name, outcome=None, in_doubt=True) for name in found.unexamined],
            affected=[self._affected_run(run, used, entry.certificate.id) for run, used in affected],
            statement=_statement(found, len(affected)),
            problems=problems,
        )

    def _affected_run(self, run: RunRecord, used: Used, certificate_id: str) -> AffectedRun:
        result = self._queries.listed(run)
        kept = self._storage.statements.of(run.run_id)
        recomputed = bool(kept) and kept[-1].stated.as_found == certificate_id
        before = kept[-2].result.power_w if recomputed and len(kept) > 1 else None
        now = result.power_w
        return AffectedRun(
            run_id=run.run_id,
            server=run.server,
            configuration=run.configuration,
            workload=run.workload,
            level=run.level,
            repeat=run.repeat,
            measured=iso(round(used.measured_at.timestamp() * 1e9)),
            range_name=used.range_name,
            power_w=now,
            power_U95_w=result.power_U95_w,
            stated_with="; ".join(labels(result)),
            recomputed=recomputed,
            change_pct=100 * (now / before - 1) if now is not None and before else None,
        )


def _window(run: RunRecord) -> Window | None:
    try:
        return choose_window(RULES["complete"], run_marks(run))
    except Refused:
        return None


def _range(name: str, outcome: Outcome, found: Review) -> ReviewedRange:
    return ReviewedRange(name=name, outcome=outcome.value, in_doubt=name in found.ranges)


def _statement(found: Review, count: int) -> str:
    """Say the outcome in one sentence."""
    if not found.needed:
        return f"Meter {found.serial} was found within its limits of error; no result is in doubt."
    since = f"since its last good calibration on {found.since}" if found.since else "ever measured with it"
    results, are = ("1 result", "is") if count == 1 else (f"{count} results", "are")
    out = ", ".join(found.ranges) or "none"
    silent = f" Nothing is known about range {', '.join(found.unexamined)}." if found.unexamined else ""
    return f"Meter {found.serial} was found out of tolerance (range {out}): {results} {since} {are} in doubt.{silent}"
