"""How one meter stands with its calibration at an instant."""

from __future__ import annotations

from datetime import datetime

from wattmark_calibration import Status, status

from wattmark.certificates.describe import changed_text, days_left, status_text
from wattmark.certificates.shelf import Accepted, Shelf, range_in_use
from wattmark.certificates.views import Basis, MeterCalibrationOut
from wattmark.results.series import specification
from wattmark.runs.record import MeterRecord

LABELS: dict[Basis, str] = {"specification": "specification", "none": "not traceable"}


def standing_of(meter: MeterRecord, shelf: Shelf, as_of: datetime, *, on_bench: bool) -> MeterCalibrationOut:
    """Say what a measurement with this meter would rest on at that instant."""
    entry = shelf.choose(meter.serial, meter.range_name, as_of) if meter.serial else None
    lost = shelf.lost_instead(meter.serial, entry) if meter.serial else None
    if lost is not None:
        entry = None
    standing = None if entry is None else status(entry.certificate, as_of, shelf.known)
    basis, note = ("none", lost.text) if lost else _basis(meter, entry, standing, shelf, as_of)
    one = None if entry is None else entry.certificate
    return MeterCalibrationOut(
        meter=meter.name,
        model=meter.model,
        title=meter.title,
        serial=meter.serial,
        on_bench=on_bench,
        role="witness" if meter.role == "witness" else "wall",
        basis=basis,
        label=f"certificate {entry.name}" if basis == "certificate" and entry else LABELS[basis],
        certificate_id=one.id if one else None,
        certificate_version=one.version if one else None,
        status=standing.value if standing else None,
        due_on=one.due_on.isoformat() if one else None,
        days_left=days_left(one, as_of) if one else None,
        ranges=[part.name for part in one.in_use] if one else [],
        note=note,
    )


def _basis(
    meter: MeterRecord, entry: Accepted | None, standing: Status | None, shelf: Shelf, as_of: datetime
) -> tuple[Basis, str | None]:
    """Decide as an evaluation would, as far as that can be told without a reading."""
    otherwise: Basis = "none" if specification(meter) is None or meter.untraceable else "specification"
    if entry is None or standing is None:
        missing = "Its serial number is not known, so no certificate can be its own."
        return otherwise, None if meter.serial else missing
    text = status_text(entry.certificate, standing, as_of)
    override = shelf.override(entry.certificate.id, meter.serial or "")
    overridden = override is not None and standing.value.replace(" ", "-") in override.accepts
    if not entry.intact and not (override is not None and "hash" in override.accepts):
        return "none", changed_text(entry)
    if not standing.serves and not overridden:
        return ("none" if standing in (Status.EXPIRED, Status.REVOKED) else otherwise), text
    if meter.range_name is not None and range_in_use(entry.certificate, meter.range_name) is None:
        return otherwise, f"Certificate {entry.name} does not cover range {meter.range_name}, which is in use."
    return "certificate", f"{text} Overridden by {override.by}." if overridden and override else None
