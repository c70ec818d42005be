"""Whether a certificate serves a measurement at a given instant."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, date, datetime, timedelta
from enum import StrEnum

from wattmark_calibration.certificate.points import CalibratedRange
from wattmark_calibration.certificate.record import Certificate

DUE_WITHIN = timedelta(days=30)
BEYOND_SPAN = 0.05
"""Part of a limit of the calibrated span by which an indication may lie outside it, with enlarged uncertainty."""


class Status(StrEnum):
    """Status of a certificate at an instant."""

    VALID = "valid"
    DUE = "due"
    """Valid, to be renewed within 30 days."""
    EXPIRED = "expired"
    NOT_YET_VALID = "not yet valid"
    SUPERSEDED = "superseded"
    REVOKED = "revoked"
    OUT_OF_RANGE = "out of range"

    @property
    def serves(self) -> bool:
        """Return whether a measurement may use the certificate."""
        return self in (Status.VALID, Status.DUE)


def status(
    certificate: Certificate,
    as_of: datetime,
    certificates: Iterable[Certificate] = (),
    *,
    range_name: str | None = None,
    power_w: float | None = None,
) -> Status:
    """Return the status at the instant ``as_of`` (aware; days count in UTC, the due day still serves).

    ``certificates`` are the owner's, of which one may supersede this. ``range_name`` and ``power_w`` None: the question
    is about the certificate, not about a reading. Raises `ValueError` for an instant without zone.
    """
    day = utc_day(as_of)
    if certificate.revocation is not None and day >= certificate.revocation.effective:
        return Status.REVOKED
    if day < certificate.calibrated_on:
        return Status.NOT_YET_VALID
    if any(_replaces(other, certificate, day) for other in certificates):
        return Status.SUPERSEDED
    if day > certificate.due_on:
        return Status.EXPIRED
    if range_name is not None and not covers(certificate, range_name, power_w):
        return Status.OUT_OF_RANGE
    return Status.DUE if certificate.due_on - day <= DUE_WITHIN else Status.VALID


def utc_day(as_of: datetime) -> date:
    """Return the calendar day in UTC of an aware instant."""
    if as_of.tzinfo is None:
        raise ValueError(f"{as_of.isoformat()} has no time zone; give a time with its zone.")
    return as_of.astimezone(UTC).date()


def covers(certificate: Certificate, range_name: str, power_w: float | None) -> bool:
    """Return whether the range was calibrated and an indication [W] lies within its span widened by 5 %."""
    for calibrated in certificate.in_use:
        if calibrated.name == range_name:
            return power_w is None or beyond_span(calibrated, power_w) <= BEYOND_SPAN
    return False


def span(calibrated: CalibratedRange) -> tuple[float, float]:
    """Return the lowest and the highest calibrated indication [W]."""
    indications = [point.indication_w for point in calibrated.points]
    return min(indications), max(indications)


def beyond_span(calibrated: CalibratedRange, power_w: float) -> float:
    """Compute how far an indication lies outside the calibrated span, relative to the nearer limit; 0 inside [1]."""
    low, high = span(calibrated)
    if low <= power_w <= high:
        return 0.0
    limit = low if power_w < low else high
    return abs(power_w - limit) / abs(limit) if limit else float("inf")


def _replaces(other: Certificate, certificate: Certificate, day: date) -> bool:
    """Return whether another, unrevoked certificate supersedes this one on that day."""
    unrevoked = other.revocation is None or day < other.revocation.effective
    return other.supersedes == certificate.id and unrevoked and other.calibrated_on <= day
