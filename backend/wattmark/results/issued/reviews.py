"""Review of older results by an as-found calibration, and their recomputation on request."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime

from wattmark_calibration import Outcome, Review, Used, review

from wattmark.analysis.efficiency.window import RULES, Window, choose_window
from wattmark.analysis.refusal import Refused
from wattmark.core.errors import EvaluationFailed, InputError, NotFound
from wattmark.core.instants import iso
from wattmark.core.quantity import bare, value_of
from wattmark.results.calibration_status import limits_by
from wattmark.results.data_folder import Storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.results.issued.review_views import AffectedRun, ReviewedRange, ReviewOut
from wattmark.results.issued.versions import labels
from wattmark.results.loaded import run_marks
from wattmark.results.meters import result_meters
from wattmark.results.series import power_series, ranges_used, read
from wattmark.runs.record import MeterRecord, RunRecord, RunStatus
from wattmark.traceability.certificates.register import Accepted, range_in_use
from wattmark.traceability.certificates.signature import require_signature


class Reviews:
    """Find the results that an as-found calibration puts in doubt."""

    def __init__(self, storage: Storage, queries: Evaluations, issuer: Issuer) -> None:
        self._storage = storage
        self._queries = queries
        self._issuer = issuer

    def review(self, certificate_id: str) -> ReviewOut:
        """Evaluate which results since the last good calibration are in doubt. Raises `NotFound`, `InputError`."""
        entry = self._entry(certificate_id)
        reviewed = self._judge(entry)
        return self._out(entry, reviewed, self._affected(entry, reviewed), [])

    def recompute(self, certificate_id: str, by: str, reason: str) -> ReviewOut:
        """Issue a new version of every result in doubt with the as-found points; earlier versions are kept."""
        require_signature(by, reason)
        entry = self._entry(certificate_id)
        reviewed = self._judge(entry)
        affected = self._affected(entry, reviewed)
        problems = []
        for run, used in affected:
            try:
                why_not = self._issuer.reissue_as_found(run, certificate_id, by, reason)
            except EvaluationFailed as error:
                why_not = str(error)
            if why_not is not None:
                problems.append(f"{run.run_id} (range {used.range_name}) was not recomputed: {why_not}")
        return self._out(entry, reviewed, affected, problems)

    def _entry(self, certificate_id: str) -> Accepted:
        entry = self._queries.register().get(certificate_id)
        if entry is None:
            raise NotFound(f"There is no certificate {certificate_id[:80]!r}.", "List them: wattmark certificate list.")
        if not entry.certificate.as_found:
            raise InputError(
                f"Certificate {entry.name} has no as-found points, which are needed to review older results.",
                "Ask the laboratory for them.",
            )
        return entry

    def _judge(self, entry: Accepted) -> Review:
        serial = entry.certificate.meter.serial
        return review(entry.certificate, self._queries.register().known, limits_by(self._records(serial)))

    def _records(self, serial: str) -> list[MeterRecord]:
        """List the records of a meter in all runs, latest first."""
        return [meter for run in reversed(self._storage.runs.all()) for meter in run.meters if meter.serial == serial]

    def _affected(self, entry: Accepted, reviewed: Review) -> list[tuple[RunRecord, Used]]:
        """List the results in doubt, oldest first, each once with the first of its ranges that is in doubt."""
        if not reviewed.needed:
            return []
        doubted: dict[str, tuple[RunRecord, Used]] = {}
        for run, used in self._uses(entry):
            if reviewed.affects(used):
                doubted.setdefault(run.run_id, (run, used))
        return list(doubted.values())

    def _uses(self, entry: Accepted) -> Iterator[tuple[RunRecord, Used]]:
        """Yield every finished run that uses the meter, once for each range that it used."""
        serial = entry.certificate.meter.serial
        for run in self._storage.runs.all():
            meter = next((m for m in result_meters(run) if m.serial == serial and m.role == "wall"), None)
            window = _window(run)
            if meter is None or window is None or run.status is RunStatus.RUNNING:
                continue
            series = power_series(meter, self._storage.samples.list_series(run.run_id))
            recorded = read(series, self._storage.samples, window.begin_ns, window.end_ns)
            for name in ranges_used(meter, recorded, window):
                certified = range_in_use(entry.certificate, name, as_found=True) or name or meter.range_name or ""
                measured = datetime.fromtimestamp(window.end_ns / 1e9, tz=UTC)
                yield run, Used(run.run_id, serial, certified, measured)

    def _out(
        self, entry: Accepted, reviewed: Review, affected: list[tuple[RunRecord, Used]], problems: list[str]
    ) -> ReviewOut:
        return ReviewOut(
            certificate=entry.certificate.id,
            version=entry.certificate.version,
            serial=reviewed.serial,
            needed=reviewed.needed,
            since=reviewed.since.isoformat() if reviewed.since else None,
            until=reviewed.until.isoformat(),
            ranges=[_range(name, outcome, reviewed) for name, outcome in reviewed.outcomes.items()]
            + [ReviewedRange(name=name, outcome=None, in_doubt=True) for name in reviewed.unexamined],
            affected=[self._affected_run(run, used, entry.certificate.id) for run, used in affected],
            statement=_statement(reviewed, len(affected)),
            problems=problems,
        )

    def _affected_run(self, run: RunRecord, used: Used, certificate_id: str) -> AffectedRun:
        result = self._queries.listed(run)
        versions = self._storage.issued.of(run.run_id)
        recomputed = bool(versions) and versions[-1].issue.as_found == certificate_id
        before = value_of(versions[-2].result.power) if recomputed and len(versions) > 1 else None
        now = value_of(result.power)
        return AffectedRun(
            run_id=run.run_id,
            server=run.server,
            configuration=run.configuration,
            workload=run.workload,
            level=run.level,
            repeat=run.repeat,
            measured=iso(round(used.measured_at.timestamp() * 1e9), "microseconds"),
            range_name=used.range_name,
            simulated=result.simulated,
            power=bare(result.power),
            issued_with="; ".join(labels(result)),
            recomputed=recomputed,
            change_pct=100 * (now / before - 1) if now is not None and before else None,
        )


def _window(run: RunRecord) -> Window | None:
    """Choose the window of a run, which no clock moves; None where its marks give none."""
    try:
        return choose_window(RULES["complete"], run_marks(run, None))
    except Refused:
        return None


def _range(name: str, outcome: Outcome, reviewed: Review) -> ReviewedRange:
    return ReviewedRange(name=name, outcome=outcome.value, in_doubt=name in reviewed.ranges)


def _statement(reviewed: Review, count: int) -> str:
    """Return the outcome in one sentence."""
    if not reviewed.needed:
        return f"Meter {reviewed.serial} was found within its limits of error; no result is in doubt."
    since = f"since its last good calibration on {reviewed.since}" if reviewed.since else "ever measured with it"
    results, are = ("1 result", "is") if count == 1 else (f"{count} results", "are")
    out = ", ".join(reviewed.ranges) or "none"
    silent = f" Range {', '.join(reviewed.unexamined)} was not checked." if reviewed.unexamined else ""
    return (
        f"Meter {reviewed.serial} was found out of tolerance (range {out}): {results} {since} {are} in doubt.{silent}"
    )
