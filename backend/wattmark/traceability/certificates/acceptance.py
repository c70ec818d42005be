"""Checks of a certificate before it joins the register: duplicates, contradictions, versions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from wattmark_calibration import Certificate, CertificateError, canonical_sha256
from wattmark_calibration.certificate.record import Approval, Revocation

from wattmark.core.errors import Conflict, InputError
from wattmark.traceability.certificates.register import Accepted, CertificateRegister

REVISE = "To add the change as a new version, use --revise (API: revise=true)."


def acceptable(register: CertificateRegister, certificate: Certificate, *, revise: bool = False) -> Certificate:
    """Check a certificate and return it with the version under which it joins. Raises `Conflict`, `InputError`.

    Refused are: a duplicate, another certificate under a known id or number, two calibrations of one range
    on one day of which neither supersedes the other, and superseding another meter's certificate.
    """
    before = register.get(certificate.id)
    if before is not None:
        return _revised(before, certificate, revise=revise)
    for other in register.known:
        _require_other(certificate, other)
    _require_predecessor(register, certificate)
    if certificate.version != 1:
        raise InputError(
            f"Certificate {certificate.id} is version {certificate.version}, but version 1 is missing.",
            "Add version 1 first.",
        )
    return certificate


def approved(certificate: Certificate, by: str, on: date, note: str | None, accepts: Iterable[str] = ()) -> Certificate:
    """Add the owner's approval. Raises `InputError` where it contradicts the certificate."""
    kinds = tuple(accepts)
    if any(kind != "chi-squared" for kind in kinds):
        raise InputError("An approval can accept only chi-squared.", "Use an override for other refusals.")
    try:
        approval = Approval(by=by, on=on, note=note, accepts=("chi-squared",) if kinds else ())
        return replace(certificate, approval=approval)
    except CertificateError as error:
        raise InputError(f"The approval is not valid: {error}", "Correct the approval.") from None


def revoked(entry: Accepted, by: str, reason: str, effective: date) -> Certificate:
    """Return the version that revokes a certificate. Raises `Conflict` if already revoked, `InputError`."""
    certificate = entry.certificate
    _require_in_force(certificate)
    try:
        revocation = Revocation(effective=effective, by=by, reason=reason)
        return replace(certificate, revocation=revocation, version=certificate.version + 1)
    except CertificateError as error:
        raise InputError(f"The revocation is not valid: {error}", "Correct the revocation.") from None


def _revised(before: Accepted, certificate: Certificate, *, revise: bool) -> Certificate:
    """Return the next version of a known certificate."""
    registered = before.certificate
    if certificate.approval is None:
        certificate = replace(certificate, approval=registered.approval)
    if _content(registered) == _content(certificate):
        raise Conflict(
            f"Certificate {registered.name} is already in the register with the same content.", "Nothing was changed."
        )
    if certificate.revocation is None:
        _require_in_force(registered)
    if not revise:
        raise Conflict(
            f"Certificate {registered.id} is in the register as version {registered.version} with different content.",
            REVISE,
        )
    for field in ("number", "meter"):
        if _identity(registered, field) != _identity(certificate, field):
            raise Conflict(
                f"Certificate {registered.id} is for {field} {_identity(registered, field)}, "
                f"not {_identity(certificate, field)}.",
                "Give this certificate an id of its own.",
            )
    return replace(certificate, version=registered.version + 1)


def _require_in_force(certificate: Certificate) -> None:
    """Refuse to change a revoked certificate: a file from before the revocation must not undo it."""
    if certificate.revocation is not None:
        raise Conflict(
            f"Certificate {certificate.id} is revoked with effect from {certificate.revocation.effective}.",
            "Nothing was changed. Add a new calibration under its own id and number.",
        )


def _content(certificate: Certificate) -> str:
    """Hash the content of a certificate, whatever its version and file."""
    return canonical_sha256(replace(certificate, version=1, file=None))


def _identity(certificate: Certificate, field: str) -> str:
    return certificate.number if field == "number" else certificate.meter.serial


def _require_other(certificate: Certificate, other: Certificate) -> None:
    """Refuse the same certificate under another id, and two calibrations that contradict each other."""
    same_meter = certificate.meter.serial == other.meter.serial
    if same_meter and certificate.number == other.number and certificate.laboratory.name == other.laboratory.name:
        raise Conflict(
            f"Certificate number {certificate.number} of {other.laboratory.name} is in the register as {other.id}.",
            f"If the certificate was changed, give it the id {other.id} and add it as a new version.",
        )
    linked = certificate.supersedes == other.id or other.supersedes == certificate.id
    ranges = {calibrated.name for calibrated in certificate.in_use} & {calibrated.name for calibrated in other.in_use}
    same_day = same_meter and certificate.calibrated_on == other.calibrated_on
    if same_day and ranges and not linked and other.revocation is None:
        raise Conflict(
            f"{certificate.id} and {other.id} both calibrate range {min(ranges)} of {certificate.meter.serial} on "
            f"{certificate.calibrated_on}, and neither supersedes the other.",
            f'State which one counts: "supersedes": "{other.id}".',
        )


def _require_predecessor(register: CertificateRegister, certificate: Certificate) -> None:
    """Refuse superseding another meter's certificate, or a later one."""
    before = register.get(certificate.supersedes) if certificate.supersedes else None
    if before is None:
        return
    if before.certificate.meter.serial != certificate.meter.serial:
        raise InputError(
            f"{certificate.id} supersedes {before.certificate.id}, which is for another meter "
            f"({before.certificate.meter.serial}).",
            "Correct the file.",
        )
    if before.certificate.calibrated_on > certificate.calibrated_on:
        raise InputError(
            f"{certificate.id} supersedes {before.certificate.id}, which is the later calibration.", "Correct the file."
        )
