"""The calibration status of a meter at an instant, and the limits of error that a review judges it by."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

import numpy as np
from wattmark_calibration import REFERENCE, CalibratedRange, Status, status
from wattmark_calibration.certificate.review import LimitsOf

from wattmark.core.errors import InputError
from wattmark.runs.limits_of_error import specification
from wattmark.runs.record import MeterRecord
from wattmark.traceability.certificates.describe import changed_text, days_left, status_text
from wattmark.traceability.certificates.register import Accepted, CertificateRegister, range_in_use
from wattmark.traceability.certificates.views import Basis, MeterCalibrationOut

LABELS: dict[Basis, str] = {"specification": "specification", "none": "not traceable"}


def calibration_status(
    meter: MeterRecord, register: CertificateRegister, as_of: datetime, *, on_bench: bool
) -> MeterCalibrationOut:
    """Return the calibration status of a meter at an instant: certificate, specification or nothing, and why."""
    entry = register.choose(meter.serial, meter.range_name, as_of) if meter.serial else None
    lost = register.lost_instead(meter.serial, entry) if meter.serial else None
    if lost is not None:
        entry = None
    status_now = None if entry is None else status(entry.certificate, as_of, register.known)
    basis, note = ("none", lost.text) if lost else _basis(meter, entry, status_now, register, as_of)
    certificate = None if entry is None else entry.certificate
    return MeterCalibrationOut(
        meter=meter.name,
        model=meter.model,
        title=meter.title,
        serial=meter.serial,
        on_bench=on_bench,
        role="secondary" if meter.role == "secondary" else "wall",
        basis=basis,
        label=f"certificate {entry.name}" if basis == "certificate" and entry else LABELS[basis],
        certificate_id=certificate.id if certificate else None,
        certificate_version=certificate.version if certificate else None,
        status=status_now.value if status_now else None,
        due_on=certificate.due_on.isoformat() if certificate else None,
        days_left=days_left(certificate, as_of) if certificate else None,
        ranges=[part.name for part in certificate.in_use] if certificate else [],
        note=note,
    )


def _basis(
    meter: MeterRecord,
    entry: Accepted | None,
    status_now: Status | None,
    register: CertificateRegister,
    as_of: datetime,
) -> tuple[Basis, str | None]:
    """Return the basis of an evaluation, as far as known without a reading, and a note."""
    otherwise: Basis = "none" if specification(meter) is None or meter.not_traceable else "specification"
    if entry is None or status_now is None:
        missing = "The serial number of the meter is not known, so no certificate can be assigned to it."
        return otherwise, None if meter.serial else missing
    text = status_text(entry.certificate, status_now, as_of)
    override = register.override(entry.certificate.id, meter.serial or "")
    overridden = override is not None and status_now.value.replace(" ", "-") in override.accepts
    if not entry.intact and not (override is not None and "hash" in override.accepts):
        return "none", changed_text(entry)
    if not status_now.serves and not overridden:
        return ("none" if status_now in (Status.EXPIRED, Status.REVOKED) else otherwise), text
    if meter.range_name is not None and range_in_use(entry.certificate, meter.range_name) is None:
        return otherwise, f"Certificate {entry.name} does not cover range {meter.range_name}, which is in use."
    return "certificate", f"{text} Overridden by {override.by}." if overridden and override else None


def limits_by(meters: Sequence[MeterRecord]) -> LimitsOf:
    """Return the function that gives the limits of error of a range's points [W]: the certificate's, else the maker's.

    ``meters`` are records of the calibrated meter, latest first. The rule raises `InputError` for a range of which
    neither has limits.
    """

    def limits(calibrated: CalibratedRange) -> list[float]:
        stated = [point.limit_w for point in calibrated.points if point.limit_w is not None]
        if len(stated) == len(calibrated.points):
            return stated
        meter = next(
            (m for m in meters if m.range_name in (calibrated.name, None) and specification(m) is not None), None
        )
        stated_specification = None if meter is None else specification(meter)
        if (
            meter is None
            or stated_specification is None
            or stated_specification.unmet(REFERENCE) is not None
            or (stated_specification.needs_range and meter.range_w is None)
        ):
            raise InputError(
                f"No limits of error are known for range {calibrated.name}.",
                "Add a new version of the certificate with limit_w at every point.",
            )
        powers = np.array([point.reference_w for point in calibrated.points])
        factors = np.array([point.power_factor or 1.0 for point in calibrated.points])
        limits_w = [float(limit) for limit in stated_specification.limit(powers, meter.range_w, factors)]
        if min(limits_w) <= 0:
            raise InputError(
                f"The manufacturer states no limit of error at 0 W for range {calibrated.name}.",
                "Add a new version of the certificate with limit_w at every point.",
            )
        return limits_w

    return limits
