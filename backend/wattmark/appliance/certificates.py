"""The shelf as people use it: add, list, show, override, revoke; and how every meter stands."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, date, datetime

from wattmark_calibration import Certificate, fit_model
from wattmark_calibration.correction.refusals import model_refusals
from wattmark_calibration.dcc.reader import SAME_NAMES
from wattmark_drivers.clock import Clock

from wattmark.appliance.queries import Queries
from wattmark.appliance.range_hints import range_hints
from wattmark.appliance.statements import Statements
from wattmark.certificates.acceptance import acceptable, approved, revoked
from wattmark.certificates.describe import certificate_out, override_out, summary
from wattmark.certificates.reading import read_certificate
from wattmark.certificates.shelf import Accepted
from wattmark.certificates.signature import require_signature
from wattmark.certificates.views import (
    CertificateAdded,
    CertificateOut,
    CertificatesOut,
    CertificateSummary,
    MetersCalibrationOut,
    OverrideIn,
    OverrideOut,
    RevokeIn,
)
from wattmark.errors import InputError, NotFound, StoreError
from wattmark.results.standing import standing_of
from wattmark.runs.record import MeterRecord
from wattmark.storage.open import Storage

ACCEPTABLE = frozenset(
    {
        *("expired", "not-yet-valid", "revoked", "serial", "hash", "not-as-found"),
        *("too-few-points", "chi-squared", "outside-span", "power-factor"),
    }
)
"""Refusals that a person may accept. A superseded certificate serves again when the next one is revoked."""


class Certificates:
    """Change the shelf and describe it. Whatever changes it first states the results that it could touch."""

    def __init__(
        self,
        storage: Storage,
        queries: Queries,
        statements: Statements,
        clock: Clock,
        bench_meters: Callable[[], Sequence[MeterRecord]] = tuple,
    ) -> None:
        self._storage = storage
        self._queries = queries
        self._statements = statements
        self._clock = clock
        self._bench_meters = bench_meters

    def list(self, as_of: datetime | None = None) -> CertificatesOut:
        """List all certificates by serial number of the meter, newest first."""
        at, shelf = self._at(as_of), self._queries.shelf()
        found = [summary(entry, shelf, at) for entry in shelf.latest]
        found.sort(key=lambda one: (one.calibrated_on, one.id), reverse=True)
        found.sort(key=lambda one: one.serial)
        lost = [one.text for one in shelf.lost]
        return CertificatesOut(as_of=at.isoformat(timespec="seconds"), certificates=found, unreadable=lost)

    def show(self, certificate_id: str, as_of: datetime | None = None) -> CertificateOut:
        """Give one certificate whole. Raises `NotFound`."""
        entry, shelf = self._entry(certificate_id), self._queries.shelf()
        resting = [one for result in self._queries.results() for one in result.calibrations]
        used_by = sum(one.basis == "certificate" and one.certificate_id == certificate_id for one in resting)
        intact = self._file_intact(entry.certificate)
        return certificate_out(entry, shelf, self._at(as_of), file_intact=intact, used_by=used_by)

    def original(self, certificate_id: str) -> bytes:
        """Give the file that the latest version was read from, byte by byte. Raises `StoreError` if it changed."""
        entry = self._entry(certificate_id)
        content = self._storage.certificates.content(certificate_id, entry.certificate.version)
        if content is None:
            raise NotFound(f"No file is kept for certificate {entry.name}.", "Add the original as a new version.")
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
        """Accept a certificate from a file. Raises `WattmarkError` with the one reason why not; then nothing changed.

        Results that were not stated yet are stated first, so that a later certificate changes none of them.
        """
        read = read_certificate(content, file_name, due_on=due_on, range_names=range_names)
        if approved_by is not None:
            read = approved(read, approved_by, self._at(None).date(), approval_note, approves)
        elif tuple(approves) or approval_note is not None:
            raise InputError("An approval needs a name.", "Say who approves.")
        shelf = self._queries.shelf()
        accepted = acceptable(shelf, read, revise=revise)
        why = reason or ("revised" if accepted.version > 1 else "added")
        require_signature(approved_by or "owner", why)
        kept = self._statements.keep({accepted.meter.serial}, f"stated before {accepted.name} was added")
        self._storage.certificates.add(accepted, content, self._clock.utc_ns(), why)
        return CertificateAdded(
            certificate=self._summary(accepted.id),
            warnings=[*_warnings(accepted, shelf.known), *range_hints(accepted, self._meters())],
            kept_results=kept,
        )

    def revoke(self, certificate_id: str, order: RevokeIn) -> CertificateSummary:
        """Withdraw a certificate from a day on, as a new version."""
        require_signature(order.by, order.reason)
        entry = self._entry(certificate_id)
        changed = revoked(entry, order.by, order.reason, _day(order.effective))
        content = self._storage.certificates.content(certificate_id, entry.certificate.version) or b""
        self._statements.keep({changed.meter.serial}, f"stated before {entry.name} was revoked")
        self._storage.certificates.add(changed, content, self._clock.utc_ns(), f"revoked by {order.by}: {order.reason}")
        return self._summary(certificate_id)

    def override(self, certificate_id: str, order: OverrideIn) -> OverrideOut:
        """Accept refusals of a certificate, signed and explained; an empty list withdraws the override before."""
        require_signature(order.by, order.reason)
        certificate = self._entry(certificate_id).certificate
        unknown = sorted(set(order.accepts) - ACCEPTABLE)
        if unknown:
            raise InputError(
                f"{unknown[0][:80]!r} is no refusal that can be accepted.", f"Known: {', '.join(sorted(ACCEPTABLE))}."
            )
        if order.run_id is not None:
            self._queries.record(order.run_id)
        if order.serial is not None:
            require_signature(order.serial, order.reason)
        self._statements.keep(
            {certificate.meter.serial, order.serial or certificate.meter.serial},
            f"stated before an override of {certificate.id} was signed",
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
        shelf = self._queries.shelf()
        return override_out(shelf.decisions[-1], shelf)

    def meters(self, as_of: datetime | None = None) -> MetersCalibrationOut:
        """Tell for each meter of the bench, then for those that only runs name, what its measurements rest on."""
        at, shelf = self._at(as_of), self._queries.shelf()
        bench = {meter.name for meter in self._bench_meters()}
        found = [standing_of(meter, shelf, at, on_bench=meter.name in bench) for meter in self._meters()]
        return MetersCalibrationOut(as_of=at.isoformat(timespec="seconds"), meters=found)

    def _meters(self) -> Sequence[MeterRecord]:
        """List the meters of the bench, then those that only runs name, as the last run recorded them."""
        bench = {meter.name: meter for meter in self._bench_meters() if meter.role != "bmc"}
        past: dict[str, MeterRecord] = {}
        for run in self._storage.runs.all():
            past.update((meter.name, meter) for meter in run.meters if meter.role != "bmc" and meter.name not in bench)
        return [*bench.values(), *past.values()]

    def _entry(self, certificate_id: str) -> Accepted:
        entry = self._queries.shelf().get(certificate_id)
        if entry is None:
            raise NotFound(f"There is no certificate {certificate_id[:80]!r}.", "List them: wattmark certificate list.")
        return entry

    def _summary(self, certificate_id: str) -> CertificateSummary:
        return summary(self._entry(certificate_id), self._queries.shelf(), self._at(None))

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
        raise InputError(f"{text[:40]!r} is not a day.", "Write YYYY-MM-DD.") from None


def _warnings(certificate: Certificate, known: Iterable[Certificate]) -> list[str]:
    """Say what a careful owner should look at."""
    out = []
    for one in certificate.in_use:
        try:
            out += [refusal.text for refusal in model_refusals(fit_model(one), certificate)]
        except ValueError as error:
            out.append(f"Range {one.name}: {error}")
    if certificate.supersedes and certificate.supersedes not in {other.id for other in known}:
        out.append(f"It supersedes {certificate.supersedes}, which is not on the shelf.")
    if certificate.approval is None:
        out.append("Nobody approved it yet.")
    return out
