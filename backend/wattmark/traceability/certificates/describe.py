"""Certificates as the service shows them, with their status at an instant."""

from __future__ import annotations

from datetime import datetime

from wattmark_calibration import Certificate, Status, status
from wattmark_calibration.certificate.status import utc_day

from wattmark.core.instants import iso
from wattmark.traceability.certificates.curve import range_out
from wattmark.traceability.certificates.register import Accepted, CertificateRegister, Decision
from wattmark.traceability.certificates.views import (
    CertificateOut,
    CertificateSummary,
    CertificateVersionOut,
    OverrideOut,
    RangeOut,
)


def summary(entry: Accepted, register: CertificateRegister, as_of: datetime) -> CertificateSummary:
    """Return the summary of a certificate with its status at an instant."""
    certificate = entry.certificate
    status_now = status(certificate, as_of, register.known)
    return CertificateSummary(
        id=certificate.id,
        version=certificate.version,
        number=certificate.number,
        sha256=entry.sha256,
        manufacturer=certificate.meter.manufacturer,
        model=certificate.meter.model,
        serial=certificate.meter.serial,
        laboratory=certificate.laboratory.name,
        accreditation=certificate.laboratory.accreditation,
        in_house=bool(certificate.in_house),
        traceable=certificate.traceable,
        calibrated_on=certificate.calibrated_on.isoformat(),
        due_on=certificate.due_on.isoformat(),
        days_left=days_left(certificate, as_of),
        status=status_now.value,
        status_text=status_text(certificate, status_now, as_of) if entry.intact else changed_text(entry),
        ranges=[part.name for part in certificate.in_use],
        adjusted=certificate.adjusted,
        has_as_found=bool(certificate.as_found),
        approved_by=certificate.approval.by if certificate.approval else None,
        supersedes=certificate.supersedes,
        accepted=iso(entry.accepted_ns),
        overridden=any(decision.certificate_id == certificate.id for decision in register.in_force),
    )


def changed_text(entry: Accepted) -> str:
    """Return the message that the stored certificate is no longer the accepted one."""
    return f"Certificate {entry.name} differs from the one that was accepted."


def certificate_out(
    entry: Accepted, register: CertificateRegister, as_of: datetime, *, file_intact: bool | None, used_by: int
) -> CertificateOut:
    """Return a certificate in full with its status at an instant."""
    certificate, approval, revocation, conformity = (
        entry.certificate,
        entry.certificate.approval,
        entry.certificate.revocation,
        entry.certificate.conformity,
    )
    return CertificateOut(
        **summary(entry, register, as_of).model_dump(),
        method=certificate.method,
        firmware=certificate.meter.firmware,
        chain=list(certificate.chain),
        conformity_rule=conformity.rule if conformity else None,
        conformity_verdict=conformity.verdict.value if conformity else None,
        approval_note=approval.note if approval else None,
        revoked_from=revocation.effective.isoformat() if revocation else None,
        revocation_text=f"{revocation.by}: {revocation.reason}" if revocation else None,
        file_name=certificate.file.name if certificate.file else None,
        file_sha256=certificate.file.sha256 if certificate.file else None,
        file_intact=file_intact,
        as_ranges=_ranges(certificate),
        versions=[_version(version) for version in register.versions(certificate.id)],
        overrides=[
            override_out(decision, register)
            for decision in register.decisions
            if decision.certificate_id == certificate.id
        ],
        used_by=used_by,
    )


def override_out(decision: Decision, register: CertificateRegister) -> OverrideOut:
    """Return an override for display."""
    return OverrideOut(
        certificate=decision.certificate_id,
        by=decision.by,
        reason=decision.reason,
        accepts=sorted(decision.accepts),
        run_id=decision.run_id,
        serial=decision.serial,
        decided=iso(decision.decided_ns),
        in_force=decision in register.in_force,
    )


def days_left(certificate: Certificate, as_of: datetime) -> int:
    """Count the days until the due day; negative when overdue."""
    return (certificate.due_on - utc_day(as_of)).days


def status_text(certificate: Certificate, status_now: Status, as_of: datetime) -> str:
    """Return the status in one sentence."""
    left, revocation = days_left(certificate, as_of), certificate.revocation
    texts = {
        Status.VALID: f"Valid until {certificate.due_on}, {left} days.",
        Status.DUE: f"Due on {certificate.due_on}, in {left} days: order the calibration.",
        Status.EXPIRED: f"Expired: it was due on {certificate.due_on}, {-left} days ago.",
        Status.NOT_YET_VALID: f"Starts on {certificate.calibrated_on}.",
        Status.SUPERSEDED: "Superseded by a newer certificate.",
        Status.REVOKED: f"Revoked by {revocation.by}: {revocation.reason}" if revocation else "Revoked.",
        Status.OUT_OF_RANGE: "Does not cover the range.",
    }
    return texts[status_now]


def _ranges(certificate: Certificate) -> list[RangeOut]:
    ranges = [range_out(certificate, part, left=False) for part in certificate.as_found]
    return ranges + [range_out(certificate, part, left=True) for part in certificate.as_left]


def _version(entry: Accepted) -> CertificateVersionOut:
    return CertificateVersionOut(
        version=entry.certificate.version,
        sha256=entry.sha256,
        accepted=iso(entry.accepted_ns),
        reason=entry.reason,
        intact=entry.intact,
    )
