"""Whether a certificate may join the shelf: duplicates, clashes, versions."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import date

from wattmark_calibration import Certificate, CertificateError, canonical_sha256
from wattmark_calibration.certificate.record import Approval, Revocation

from wattmark.certificates.shelf import Accepted, Shelf
from wattmark.errors import Conflict, InputError

REVISE = "To add the change as a new version, say --revise (API: revise=true)."


def acceptable(shelf: Shelf, certificate: Certificate, *, revise: bool = False) -> Certificate:
    """Give the certificate with the version under which it may join. Raises `Conflict` or `InputError`.

    Refused are: what is there already, another certificate under a known id or number, two calibrations of one range
    on one day of which neither supersedes the other, and superseding another meter's certificate.
    """
    before = shelf.get(certificate.id)
    if before is not None:
        return _revised(before, certificate, revise=revise)
    for other in shelf.known:
        _require_other(certificate, other)
    _require_predecessor(shelf, certificate)
    if certificate.version != 1:
        raise InputError(
            f"Certificate {certificate.id} comes as version {certificate.version}, but version 1 is not here.",
            "Add version 1 first.",
        )
    return certificate


def approved(certificate: Certificate, by: str, on: date, note: str | None, accepts: Iterable[str] = ()) -> Certificate:
    """Add the owner's approval. Raises `InputError` where it contradicts the certificate."""
    kinds = tuple(accepts)
    if any(kind != "chi-squared" for kind in kinds):
        raise InputError("An approval accepts chi-squared only.", "Use an override for other refusals.")
    try:
        approval = Approval(by=by, on=on, note=note, accepts=("chi-squared",) if kinds else ())
        return replace(certificate, approval=approval)
    except CertificateError as error:
        raise InputError(f"The approval is not accepted: {error}", "Correct it.") from None


def revoked(entry: Accepted, by: str, reason: str, effective: date) -> Certificate:
    """Make the version that withdraws a certificate. Raises `Conflict` where it is withdrawn, `InputError` if wrong."""
    certificate = entry.certificate
    _require_in_force(certificate)
    try:
        revocation = Revocation(effective=effective, by=by, reason=reason)
        return replace(certificate, revocation=revocation, version=certificate.version + 1)
    except CertificateError as error:
        raise InputError(f"The revocation is not accepted: {error}", "Correct it.") from None


def _revised(before: Accepted, certificate: Certificate, *, revise: bool) -> Certificate:
    """Give the next version of a known certificate."""
    known = before.certificate
    if certificate.approval is None:
        certificate = replace(certificate, approval=known.approval)
    if _content(known) == _content(certificate):
        raise Conflict(f"Certificate {known.name} is on the shelf already, word by word.", "Nothing was changed.")
    if certificate.revocation is None:
        _require_in_force(known)
    if not revise:
        raise Conflict(f"Certificate {known.id} is on the shelf as version {known.version} with other content.", REVISE)
    for what in ("number", "meter"):
        if _identity(known, what) != _identity(certificate, what):
            raise Conflict(
                f"Certificate {known.id} is for {what} {_identity(known, what)}, not {_identity(certificate, what)}.",
                "Give the other certificate an id of its own.",
            )
    return replace(certificate, version=known.version + 1)


def _require_in_force(certificate: Certificate) -> None:
    """Refuse to change what was withdrawn: a file that does not know of the withdrawal must not undo it."""
    if certificate.revocation is not None:
        raise Conflict(
            f"Certificate {certificate.id} is revoked from {certificate.revocation.effective} on.",
            "Nothing was changed; a new calibration comes with an id and a number of its own.",
        )


def _content(certificate: Certificate) -> str:
    """Hash what a certificate says, whatever its version and the file it came in."""
    return canonical_sha256(replace(certificate, version=1, file=None))


def _identity(certificate: Certificate, what: str) -> str:
    return certificate.number if what == "number" else certificate.meter.serial


def _require_other(certificate: Certificate, other: Certificate) -> None:
    """Refuse the same certificate under another id, and two calibrations that contradict each other."""
    same_meter = certificate.meter.serial == other.meter.serial
    if same_meter and certificate.number == other.number and certificate.laboratory.name == other.laboratory.name:
        raise Conflict(
            f"Certificate number {certificate.number} of {other.laboratory.name} is on the shelf as {other.id}.",
            f"Give it the id {other.id} and add it as a new version, if it changed.",
        )
    linked = certificate.supersedes == other.id or other.supersedes == certificate.id
    ranges = {one.name for one in certificate.in_use} & {one.name for one in other.in_use}
    same_day = same_meter and certificate.calibrated_on == other.calibrated_on
    if same_day and ranges and not linked and other.revocation is None:
        raise Conflict(
            f"{certificate.id} and {other.id} both calibrate range {min(ranges)} of {certificate.meter.serial} on "
            f"{certificate.calibrated_on}, and neither supersedes the other.",
            f'State which one counts: "supersedes": "{other.id}".',
        )


def _require_predecessor(shelf: Shelf, certificate: Certificate) -> None:
    """Refuse superseding another meter's certificate, or a later one."""
    before = shelf.get(certificate.supersedes) if certificate.supersedes else None
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
