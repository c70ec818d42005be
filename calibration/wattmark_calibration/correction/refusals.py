"""Reasons to withhold a correction (method 6.3), and how a person overrides them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from wattmark_calibration.certificate.checks import require, require_text
from wattmark_calibration.certificate.points import CalibratedRange
from wattmark_calibration.certificate.record import Certificate
from wattmark_calibration.certificate.status import BEYOND_SPAN, Status, beyond_span, span, status, utc_day
from wattmark_calibration.correction.model import CorrectionModel
from wattmark_calibration.errors import Refusal, Refused

WORST_P = 0.01
POWER_FACTOR_MARGIN = 0.05


@dataclass(frozen=True, slots=True)
class MeterInUse:
    """The meter that gave the indication, as the bench knows it.

    ``certificate_sha256`` is the canonical hash that the store noted when the certificate was accepted; None skips
    the check. ``pf0_pct`` is the maker's influence of the power factor [% of apparent power at power factor 0].
    ``frequency_hz`` and ``voltage_v`` are those of use; None: not known.
    """

    serial: str
    firmware: str | None = None
    certificate_sha256: str | None = None
    pf0_pct: float | None = None
    frequency_hz: float | None = None
    voltage_v: float | None = None


@dataclass(frozen=True, slots=True)
class Override:
    """A person's decision to use a correction in spite of the refusals named in ``accepts``; printed everywhere."""

    by: str
    reason: str
    accepts: frozenset[str]

    def __post_init__(self) -> None:
        """Refuse an override without a name or a reason."""
        require_text("Override (by, reason)", self.by, self.reason)
        require(bool(self.accepts), "An override must name the refusals that it accepts.")


def certificate_refusals(
    certificate: Certificate, sha256: str, meter: MeterInUse, as_of: datetime, certificates: Iterable[Certificate]
) -> list[Refusal]:
    """List the refusals of the certificate at that instant: by status, serial number, hash."""
    out = []
    status_now = status(certificate, as_of, certificates)
    if not status_now.serves:
        out.append(Refusal(status_now.value.replace(" ", "-"), _status_text(certificate, status_now, as_of)))
    return out + identity_refusals(certificate, sha256, meter)


def identity_refusals(certificate: Certificate, sha256: str, meter: MeterInUse) -> list[Refusal]:
    """List the refusals of the pair of certificate and meter: by serial number, hash."""
    out = []
    if certificate.meter.serial != meter.serial:
        text = f"Certificate {certificate.name} is for serial {certificate.meter.serial}, the meter is {meter.serial}."
        out.append(Refusal("serial", text))
    if meter.certificate_sha256 is not None and meter.certificate_sha256 != sha256:
        text = f"Certificate {certificate.name} differs from the one that was accepted (hash mismatch); add it again."
        out.append(Refusal("hash", text))
    return out


def as_found_refusals(certificate: Certificate, as_of: datetime) -> list[Refusal]:
    """List the refusals to judge a measurement by as-found points: an adjustment in between, a revocation."""
    revocation = certificate.revocation
    if revocation is not None and revocation.effective <= certificate.calibrated_on:
        text = f"Certificate {certificate.name} was revoked by {revocation.by}: {revocation.reason}."
        return [Refusal("revoked", text)]
    if utc_day(as_of) > certificate.calibrated_on:
        text = (
            f"The as-found points of {certificate.name} apply to measurements up to {certificate.calibrated_on}, not "
            "after."
        )
        return [Refusal("not-as-found", text)]
    return []


def model_refusals(model: CorrectionModel, certificate: Certificate) -> list[Refusal]:
    """List the refusals of the fit: too few points, chi-squared."""
    name, out = model.range.name, []
    if model.points <= model.parameter_count:
        text = f"Range {name} has {model.points} points for {model.parameter_count} parameters; calibrate at least 3."
        out.append(Refusal("too-few-points", text))
    accepted = certificate.approval is not None and "chi-squared" in certificate.approval.accepts
    if model.p_value is not None and model.p_value < WORST_P and not accepted:
        text = (
            f"The points of range {name} scatter more than their uncertainties allow (chi-squared "
            f"{model.chi_squared:.1f} on {model.dof}, p = {model.p_value:.2g}); ask the laboratory, or record an "
            "approval."
        )
        out.append(Refusal("chi-squared", text))
    return out


def span_refusals(calibrated: CalibratedRange, power_w: float) -> list[Refusal]:
    """Refuse an indication more than 5 % outside the calibrated span."""
    if beyond_span(calibrated, power_w) <= BEYOND_SPAN:
        return []
    low, high = span(calibrated)
    text = f"{power_w:.6g} W lies outside the calibrated span {low:.6g} to {high:.6g} W of range {calibrated.name}."
    return [Refusal("outside-span", text)]


def power_factor_refusals(model: CorrectionModel, power_factor: float | None, bound: float | None) -> list[Refusal]:
    """Refuse a power factor that the calibration does not cover."""
    name, lowest = model.range.name, model.lowest_power_factor
    informed = model.phase_fitted or bound is not None
    if not informed and (power_factor is None or power_factor < 1):
        shown = "unknown" if power_factor is None else f"{power_factor:.3g}"
        text = (
            f"Range {name} was calibrated only at power factor 1, and the power factor is {shown}. Declare the "
            "manufacturer's influence of the power factor, or have it calibrated at a low power factor."
        )
        return [Refusal("power-factor", text)]
    by_points = model.phase_fitted or model.phase_bound is not None
    if by_points and power_factor is not None and power_factor < lowest - POWER_FACTOR_MARGIN:
        text = (
            f"Power factor {power_factor:.3g} is below the lowest calibrated power factor of range {name}, "
            f"{lowest:.3g}."
        )
        return [Refusal("power-factor", text)]
    return []


def decide(refusals: Sequence[Refusal], override: Override | None) -> tuple[Refusal, ...]:
    """Return the overridden refusals; raise `Refused` unless the override accepts every one.

    An override that accepts only some of them changes nothing: every refusal is reported, the accepted ones too.
    """
    accepted = override.accepts if override else frozenset()
    if any(refusal.final or refusal.code not in accepted for refusal in refusals):
        raise Refused(refusals)
    return tuple(refusals)


def _status_text(certificate: Certificate, status_now: Status, as_of: datetime) -> str:
    """Explain why a status does not serve."""
    day, revocation = utc_day(as_of), certificate.revocation
    if status_now is Status.REVOKED and revocation is not None:
        return f"Certificate {certificate.name} was revoked by {revocation.by}: {revocation.reason}."
    reasons = {
        Status.EXPIRED: f"was due on {certificate.due_on}",
        Status.NOT_YET_VALID: f"starts on {certificate.calibrated_on}",
        Status.SUPERSEDED: "is superseded by a newer one",
    }
    return f"Certificate {certificate.name} {reasons[status_now]} and cannot be used for a measurement of {day}."
