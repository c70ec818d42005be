"""Add, list, show, override and revoke certificates, and list the calibration status of every meter."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime

from wattmark_calibration import CalibratedRange, Certificate, fit_model
from wattmark_calibration.correction.refusals import model_refusals
from wattmark_calibration.dcc.reader import SAME_NAMES
from wattmark_drivers.clock import Clock

from wattmark.core.errors import InputError, NotFound, StoreError
from wattmark.results.calibration_status import calibration_status
from wattmark.results.data_folder import Storage
from wattmark.results.in_house import InHouseOrder, InHouseOut, calibrate_in_house
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.runs.record import MeterRecord, RunStatus
from wattmark.traceability.certificates.acceptance import acceptable, approved, revoked
from wattmark.traceability.certificates.describe import certificate_out, override_out, summary
from wattmark.traceability.certificates.reading import read_certificate
from wattmark.traceability.certificates.register import Accepted
from wattmark.traceability.certificates.signature import require_signature
from wattmark.traceability.certificates.views import (
    CertificateAdded,
    CertificateOut,
    CertificatesOut,
    CertificateSummary,
    MetersCalibrationOut,
    OverrideIn,
    OverrideOut,
    RevokeIn,
)
from wattmark.traceability.cross_calibration.register import CrossCalibrations
from wattmark.traceability.cross_calibration.views import cross_calibration_out
from wattmark.traceability.range_hints import range_hints

ACCEPTABLE = frozenset(
    {
        *("expired", "not-yet-valid", "revoked", "serial", "hash", "not-as-found"),
        *("too-few-points", "chi-squared", "outside-span", "power-factor"),
    }
)
"""Refusals that a person may override. A superseded certificate serves again when its successor is revoked."""
_LONGEST_YEARS = 10
"""A meter whose next calibration is further away has a wrong digit in a date."""
_ABOUT_ONE_U, _ABOUT_TWO_U = 0.7, 1.9
"""One standard deviation covers 68.3 %, and two 95.4 %."""


class Certificates:
    """Change the register and describe it. Before every change, the results that it could affect are issued."""

    def __init__(
        self,
        storage: Storage,
        queries: Evaluations,
        issuer: Issuer,
        clock: Clock,
        bench_meters: Callable[[], Sequence[MeterRecord]] = tuple,
    ) -> None:
        self._storage = storage
        self._queries = queries
        self._issuer = issuer
        self._clock = clock
        self._bench_meters = bench_meters

    def list(self, as_of: datetime | None = None) -> CertificatesOut:
        """List all certificates by serial number of the meter, newest first."""
        instant, register = self._at(as_of), self._queries.register()
        summaries = [summary(entry, register, instant) for entry in register.latest]
        summaries.sort(key=lambda certificate: (certificate.calibrated_on, certificate.id), reverse=True)
        summaries.sort(key=lambda certificate: certificate.serial)
        lost = [entry.text for entry in register.lost]
        return CertificatesOut(as_of=instant.isoformat(timespec="seconds"), certificates=summaries, unreadable=lost)

    def show(self, certificate_id: str, as_of: datetime | None = None) -> CertificateOut:
        """Return one certificate in full. Raises `NotFound`."""
        entry, register = self._entry(certificate_id), self._queries.register()
        calibrations = [calibration for _, result in self._queries.each() for calibration in result.calibrations]
        used_by = sum(
            calibration.basis == "certificate" and calibration.certificate_id == certificate_id
            for calibration in calibrations
        )
        intact = self._file_intact(entry.certificate)
        return certificate_out(entry, register, self._at(as_of), file_intact=intact, used_by=used_by)

    def original(self, certificate_id: str) -> bytes:
        """Return the file of the latest version, byte for byte. Raises `NotFound`, and `StoreError` if it changed."""
        entry = self._entry(certificate_id)
        content = self._storage.certificates.content(certificate_id, entry.certificate.version)
        if content is None:
            raise NotFound(
                f"No original file is stored for certificate {entry.name}.", "Add the original file as a new version."
            )
        return content

    def add(
        self,
        content: bytes,
        file_name: str,
        *,
        due_on: date | None = None,
        approved_by: str | None = None,
        approval_note: str | None = None,
        approves: Iterable[str] = (),
        revise: bool = False,
        reason: str | None = None,
        range_names: Mapping[str, str] = SAME_NAMES,
    ) -> CertificateAdded:
        """Add a certificate from a file. Raises `WattmarkError` with the reason; then nothing has changed.

        Results that were not issued yet are issued first, so that a later certificate changes none of them.
        """
        register = self._queries.register()
        taken = {known.id: known.number for known in register.known}
        read = read_certificate(content, file_name, due_on=due_on, range_names=range_names, taken=taken)
        if approved_by is not None:
            read = approved(read, approved_by, self._at(None).date(), approval_note, approves)
        elif tuple(approves) or approval_note is not None:
            raise InputError("An approval must be signed.", "Add the name of the person who approves.")
        accepted = acceptable(register, read, revise=revise)
        why = reason or ("revised" if accepted.version > 1 else "added")
        require_signature(approved_by or "owner", why)
        unchanged = self._issuer.keep({accepted.meter.serial}, f"issued before {accepted.name} was added")
        self._storage.certificates.add(accepted, content, self._clock.utc_ns(), why)
        return CertificateAdded(
            certificate=self._summary(accepted.id),
            warnings=[*_warnings(accepted, register.known), *range_hints(accepted, self._meters())],
            unchanged_results=unchanged,
        )

    def in_house(self, order: InHouseOrder) -> InHouseOut:
        """Compare two meters over runs; nothing is changed. Raises `InputError`, `NotFound`."""
        if order.campaign_id is not None and order.run_ids:
            raise InputError("Both a campaign and runs are named.", "Name one of them.")
        names = order.run_ids or (self._queries.runs_of(order.campaign_id) if order.campaign_id is not None else ())
        runs = [run for name in names if (run := self._queries.record(name)).status is RunStatus.COMPLETE]
        return calibrate_in_house(runs, self._storage.samples, self._queries.register(), order)

    def issue_in_house(self, order: InHouseOrder) -> CertificateAdded:
        """Issue an in-house certificate and add it to the register. Raises `Conflict`, `InputError`, `NotFound`."""
        made = self.in_house(order)
        if made.document is None:
            reasons = " ".join(refusal.text for refusal in made.refusals)
            raise InputError(f"The comparison gives no certificate. {reasons}", "Nothing was changed.")
        return self.add(made.document.encode(), f"{made.certificate_id}.json", reason=f"in house by {order.by}")

    def revoke(self, certificate_id: str, order: RevokeIn) -> CertificateSummary:
        """Add a version that revokes a certificate from a date on. Raises `NotFound`, `Conflict`, `InputError`."""
        require_signature(order.by, order.reason)
        entry = self._entry(certificate_id)
        changed = revoked(entry, order.by, order.reason, _day(order.effective))
        content = self._storage.certificates.content(certificate_id, entry.certificate.version) or b""
        self._issuer.keep({changed.meter.serial}, f"issued before {entry.name} was revoked")
        self._storage.certificates.add(changed, content, self._clock.utc_ns(), f"revoked by {order.by}: {order.reason}")
        return self._summary(certificate_id)

    def override(self, certificate_id: str, order: OverrideIn) -> OverrideOut:
        """Record an override of refusals, signed and explained; an empty list withdraws the previous override."""
        require_signature(order.by, order.reason)
        certificate = self._entry(certificate_id).certificate
        unknown = sorted(set(order.accepts) - ACCEPTABLE)
        if unknown:
            raise InputError(
                f"{unknown[0][:80]!r} is not a refusal code that can be overridden.",
                f"Known: {', '.join(sorted(ACCEPTABLE))}.",
            )
        if order.run_id is not None:
            self._queries.record(order.run_id)
        if order.serial is not None:
            require_signature(order.serial, order.reason)
        self._issuer.keep(
            {certificate.meter.serial, order.serial or certificate.meter.serial},
            f"issued before an override of {certificate.id} was signed",
        )
        self._storage.certificates.add_decision(
            certificate_id,
            order.by,
            order.reason,
            frozenset(order.accepts),
            self._clock.utc_ns(),
            run_id=order.run_id,
            serial=order.serial,
        )
        register = self._queries.register()
        return override_out(register.decisions[-1], register)

    def meters(self, as_of: datetime | None = None) -> MetersCalibrationOut:
        """List the calibration of the meters of the bench, then of those that only runs name, and of BMCs."""
        instant, register = self._at(as_of), self._queries.register()
        bench = {meter.name for meter in self._bench_meters()}
        meters = [
            calibration_status(meter, register, instant, on_bench=meter.name in bench) for meter in self._meters()
        ]
        records, unreadable = CrossCalibrations(self._storage.runs).readable()
        at_ns = int(instant.timestamp()) * 10**9
        return MetersCalibrationOut(
            as_of=instant.isoformat(timespec="seconds"),
            meters=meters,
            cross_calibrations=[cross_calibration_out(record, at_ns) for record in records],
            unreadable=unreadable,
        )

    def _meters(self) -> Sequence[MeterRecord]:
        """List the meters of the bench, then those that only runs name, as the last run recorded them."""
        bench = {meter.name: meter for meter in self._bench_meters() if meter.role != "bmc"}
        past: dict[str, MeterRecord] = {}
        for run in self._storage.runs.all():
            past.update((meter.name, meter) for meter in run.meters if meter.role != "bmc" and meter.name not in bench)
        return [*bench.values(), *past.values()]

    def _entry(self, certificate_id: str) -> Accepted:
        entry = self._queries.register().get(certificate_id)
        if entry is None:
            raise NotFound(f"There is no certificate {certificate_id[:80]!r}.", "List them: wattmark certificate list.")
        return entry

    def _summary(self, certificate_id: str) -> CertificateSummary:
        return summary(self._entry(certificate_id), self._queries.register(), self._at(None))

    def _at(self, as_of: datetime | None) -> datetime:
        return as_of or datetime.fromtimestamp(self._clock.utc_ns() / 1e9, tz=UTC)

    def _file_intact(self, certificate: Certificate) -> bool | None:
        try:
            content = self._storage.certificates.content(certificate.id, certificate.version)
        except StoreError:
            return False
        return None if content is None else True


def _day(text: str) -> date:
    try:
        return date.fromisoformat(text)
    except ValueError:
        raise InputError(f"{text[:40]!r} is not a date.", "Write YYYY-MM-DD.") from None


def _contradicting_coverage(calibrated: CalibratedRange) -> list[str]:
    """Say where a factor covers much more than the probability beside it: U/k would be too small by half."""
    doubtful = [p for p in calibrated.points if p.coverage_probability <= _ABOUT_ONE_U and p.k >= _ABOUT_TWO_U]
    if not doubtful:
        return []
    point = doubtful[0]
    return [
        f"Range {calibrated.name}: the expanded uncertainty has k = {point.k:g}, and covers "
        f"{100 * point.coverage_probability:g} %, which is k = 1; ask the laboratory which of them holds."
    ]


def _warnings(certificate: Certificate, registered: Iterable[Certificate]) -> list[str]:
    """List what the owner should check about a new certificate."""
    out = []
    years = certificate.due_on.year - certificate.calibrated_on.year
    if years > _LONGEST_YEARS:
        out.append(f"It is due {years} years after its calibration on {certificate.calibrated_on}; check both dates.")
    for calibrated in certificate.in_use:
        out += _contradicting_coverage(calibrated)
        try:
            out += [refusal.text for refusal in model_refusals(fit_model(calibrated), certificate)]
        except ValueError as error:
            out.append(f"Range {calibrated.name}: {error}")
    if certificate.supersedes and certificate.supersedes not in {other.id for other in registered}:
        out.append(f"It supersedes {certificate.supersedes}, which is not in the register.")
    if not certificate.traceable:
        out.append("Results with it are not traceable: the reference of this in-house certificate had none.")
    if certificate.approval is None:
        out.append("The owner has not approved it yet.")
    return out
