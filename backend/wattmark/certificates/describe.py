"""Certificates as they leave the service, with their status at an instant."""

from __future__ import annotations

from datetime import UTC, datetime

from wattmark_calibration import Certificate, Status, status
from wattmark_calibration.certificate.status import utc_day

from wattmark.certificates.curve import range_out
from wattmark.certificates.shelf import Accepted, Decision, Shelf
from wattmark.certificates.views import (
    CertificateOut,
    CertificateSummary,
    CertificateVersionOut,
    OverrideOut,
    RangeOut,
    StandardOut,
)


def summary(entry: Accepted, shelf: Shelf, as_of: datetime) -> CertificateSummary:
    """Describe a certificate in one line."""
    one = entry.certificate
    standing = status(one, as_of, shelf.known)
    return CertificateSummary(
        id=one.id,
        version=one.version,
        number=one.number,
        sha256=entry.sha256,
        manufacturer=one.meter.manufacturer,
        model=one.meter.model,
        serial=one.meter.serial,
        laboratory=one.laboratory.name,
        accreditation=one.laboratory.accreditation,
        calibrated_on=one.calibrated_on.isoformat(),
        due_on=one.due_on.isoformat(),
        days_left=days_left(one, as_of),
        status=standing.value,
        status_text=status_text(one, standing, as_of) if entry.intact else changed_text(entry),
        ranges=[part.name for part in one.in_use],
        adjusted=one.adjusted,
        has_as_found=bool(one.as_found),
        approved_by=one.approval.by if one.approval else None,
        supersedes=one.supersedes,
        accepted=iso(entry.accepted_ns),
        overridden=any(decision.certificate_id == one.id for decision in shelf.in_force),
    )


def changed_text(entry: Accepted) -> str:
    """Say that the stored certificate is no longer the one that was accepted."""
    return f"Certificate {entry.name} differs from the one that was accepted."


def certificate_out(
    entry: Accepted, shelf: Shelf, as_of: datetime, *, file_intact: bool | None, used_by: int
) -> CertificateOut:
    """Describe a certificate whole."""
    one, approval, revocation, stated = (
        entry.certificate,
        entry.certificate.approval,
        entry.certificate.revocation,
        entry.certificate.conformity,
    )
    return CertificateOut(
        **summary(entry, shelf, as_of).model_dump(),
        method=one.method,
        firmware=one.meter.firmware,
        chain=[
            StandardOut(
                name=link.name, serial=link.serial, certificate=link.certificate, traceable_to=link.traceable_to
            )
            for link in one.chain
        ],
        conformity_rule=stated.rule if stated else None,
        conformity_verdict=stated.verdict.value if stated else None,
        approval_note=approval.note if approval else None,
        revoked_from=revocation.effective.isoformat() if revocation else None,
        revocation_text=f"{revocation.by}: {revocation.reason}" if revocation else None,
        file_name=one.file.name if one.file else None,
        file_sha256=one.file.sha256 if one.file else None,
        file_intact=file_intact,
        as_ranges=_ranges(one),
        versions=[_version(version) for version in shelf.versions(one.id)],
        overrides=[override_out(each, shelf) for each in shelf.decisions if each.certificate_id == one.id],
        used_by=used_by,
    )


def override_out(decision: Decision, shelf: Shelf) -> OverrideOut:
    """Describe an override."""
    return OverrideOut(
        certificate=decision.certificate_id,
        by=decision.by,
        reason=decision.reason,
        accepts=sorted(decision.accepts),
        run_id=decision.run_id,
        serial=decision.serial,
        decided=iso(decision.decided_ns),
        in_force=decision in shelf.in_force,
    )


def days_left(certificate: Certificate, as_of: datetime) -> int:
    """Count the days until the due day; negative when overdue."""
    return (certificate.due_on - utc_day(as_of)).days


def status_text(certificate: Certificate, standing: Status, as_of: datetime) -> str:
    """Say the status in one sentence."""
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
    return texts[standing]


def iso(t_ns: int) -> str:
    """Write an instant as ISO 8601 in UTC with seconds."""
    return datetime.fromtimestamp(t_ns / 1e9, tz=UTC).isoformat(timespec="seconds")


def _ranges(one: Certificate) -> list[RangeOut]:
    found = [range_out(one, part, left=False) for part in one.as_found]
    return found + [range_out(one, part, left=True) for part in one.as_left]


def _version(entry: Accepted) -> CertificateVersionOut:
    return CertificateVersionOut(
        version=entry.certificate.version,
        sha256=entry.sha256,
        accepted=iso(entry.accepted_ns),
        reason=entry.reason,
        intact=entry.intact,
    )
