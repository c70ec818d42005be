"""Tables of calibration: certificates, meters, reviews, versions of a result."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

from wattmark.certificates.review_views import AffectedRun, ReviewOut, RunVersionOut, RunVersionsOut
from wattmark.certificates.views import (
    CertificateOut,
    CertificatesOut,
    CertificateSummary,
    MeterCalibrationOut,
    MetersCalibrationOut,
    PointOut,
    RangeOut,
)
from wattmark.reports.table import Cell, Column, Table

Source = TypeVar("Source")
Fields = Sequence[tuple[Column, Callable[[Source], Cell]]]

_CERTIFICATE: Fields[CertificateSummary] = (
    (Column("id", "Certificate"), lambda c: c.id),
    (Column("version", "Version", kind="integer"), lambda c: c.version),
    (Column("serial", "Meter serial"), lambda c: c.serial),
    (Column("model", "Model"), lambda c: c.model),
    (Column("ranges", "Ranges"), lambda c: ", ".join(c.ranges)),
    (Column("calibrated_on", "Calibrated"), lambda c: c.calibrated_on),
    (Column("due_on", "Due"), lambda c: c.due_on),
    (Column("status", "Status"), lambda c: c.status),
    (Column("laboratory", "Laboratory"), lambda c: c.laboratory),
    (Column("accreditation", "Accreditation", for_people=False), lambda c: c.accreditation),
    (Column("overridden", "Overridden", kind="flag", for_people=False), lambda c: c.overridden),
    (Column("sha256", "Canonical hash", for_people=False), lambda c: c.sha256),
)

_METER: Fields[MeterCalibrationOut] = (
    (Column("meter", "Meter"), lambda m: m.meter),
    (Column("serial", "Serial"), lambda m: m.serial),
    (Column("title", "Model"), lambda m: m.title),
    (Column("label", "Rests on"), lambda m: m.label),
    (Column("status", "Status"), lambda m: m.status),
    (Column("due_on", "Due"), lambda m: m.due_on),
    (Column("days_left", "Days left", kind="integer"), lambda m: m.days_left),
    (Column("note", "Note"), lambda m: m.note),
)

_POINT: Fields[tuple[RangeOut, PointOut]] = (
    (Column("range", "Range"), lambda p: p[0].name),
    (Column("state", "State"), lambda p: p[0].state),
    (Column("reference_w", "Reference", "W", "number"), lambda p: p[1].reference_w),
    (Column("indication_w", "Indication", "W", "number"), lambda p: p[1].indication_w),
    (Column("error_w", "Error", "W", "number", expanded_u="U_w"), lambda p: p[1].error_w),
    (Column("U_w", "U", "W", "number", for_people=False), lambda p: p[1].U_w),
    (Column("k", "k", kind="number"), lambda p: p[1].k),
    (Column("power_factor", "Power factor", kind="number"), lambda p: p[1].power_factor),
    (Column("residual_w", "From the curve", "W", "number"), lambda p: p[1].residual_w),
    (Column("conformity", "Conformity"), lambda p: p[1].conformity),
)

_AFFECTED: Fields[AffectedRun] = (
    (Column("run_id", "Run"), lambda r: r.run_id),
    (Column("server", "Server"), lambda r: r.server),
    (Column("configuration", "Configuration"), lambda r: r.configuration),
    (Column("workload", "Workload"), lambda r: r.workload),
    (Column("level", "Level"), lambda r: r.level),
    (Column("measured", "Measured", kind="time"), lambda r: r.measured),
    (Column("range_name", "Range"), lambda r: r.range_name or None),
    (Column("power_w", "Power", "W", "number", expanded_u="power_U95_w"), lambda r: r.power_w),
    (Column("power_U95_w", "U95(power)", "W", "number", for_people=False), lambda r: r.power_U95_w),
    (Column("stated_with", "Rests on"), lambda r: r.stated_with),
    (Column("recomputed", "Recomputed", kind="flag"), lambda r: r.recomputed),
    (Column("change_pct", "Change", "%", "number"), lambda r: r.change_pct),
)

_VERSION: Fields[RunVersionOut] = (
    (Column("version", "Version", kind="integer"), lambda v: v.version),
    (Column("stated", "Stated", kind="time"), lambda v: v.stated),
    (Column("by", "By"), lambda v: v.by),
    (Column("reason", "Reason"), lambda v: v.reason),
    (Column("certificates", "Rests on"), lambda v: "; ".join(v.certificates)),
    (Column("power_w", "Power", "W", "number", expanded_u="power_U95_w"), lambda v: v.result.power_w),
    (Column("power_U95_w", "U95(power)", "W", "number", for_people=False), lambda v: v.result.power_U95_w),
    (Column("difference", "Difference"), lambda v: v.difference or None),
)


def certificates_table(found: CertificatesOut) -> Table:
    """Build the list of certificates with their status."""
    notes = tuple(f"{c.id}: {c.status_text}" for c in found.certificates if c.status != "valid")
    return _build(
        "certificates", f"Certificates on {found.as_of}", _CERTIFICATE, found.certificates, (*notes, *found.unreadable)
    )


def meters_table(found: MetersCalibrationOut) -> Table:
    """Build the list of meters with what their measurements rest on."""
    return _build("calibration", f"Calibration of meters on {found.as_of}", _METER, found.meters)


def certificate_table(one: CertificateOut) -> Table:
    """Build the points of one certificate; everything else about it stands in the footnotes."""
    rows = [(part, point) for part in one.as_ranges for point in part.points]
    title = f"Certificate {one.id} v{one.version}: {one.manufacturer} {one.model} {one.serial}"
    return _build("certificate", title, _POINT, rows, tuple(_facts(one)))


def review_table(found: ReviewOut) -> Table:
    """Build the list of results in doubt."""
    notes = [found.statement, *(f"Range {r.name}: {r.outcome or 'nothing is known'}." for r in found.ranges)]
    title = f"Review of {found.serial} by certificate {found.certificate} v{found.version}"
    return _build("review", title, _AFFECTED, found.affected, (*notes, *found.problems))


def versions_table(found: RunVersionsOut) -> Table:
    """Build the list of a result's stated versions."""
    newer = "A recompute now would rest on other certificates or overrides." if found.newer_available else ""
    return _build("versions", f"Versions of {found.run_id}", _VERSION, found.versions, (newer,) if newer else ())


def _facts(one: CertificateOut) -> list[str]:
    """Say in words what stands on a certificate beside its points."""
    out = [
        f"{one.status_text} Number {one.number}, calibrated on {one.calibrated_on} by {one.laboratory}"
        f"{f' ({one.accreditation})' if one.accreditation else ' (no accreditation stated)'}: {one.method}.",
        f"Canonical hash {one.sha256}. The original file is {_INTACT[one.file_intact]}. Results that rest on it: "
        f"{one.used_by}.",
    ]
    out += [
        f"Traceable through {link.name}{f' to {link.traceable_to}' if link.traceable_to else ''}." for link in one.chain
    ]
    out += [f"Range {part.name}, {part.state}: {refusal.text}" for part in one.as_ranges for refusal in part.refusals]
    out += [f"Approved by {one.approved_by}."] if one.approved_by else ["Nobody approved it yet."]
    for override in one.overrides:
        what = f"accepts {', '.join(override.accepts)}" if override.accepts else "withdraws the override"
        scope = f" for run {override.run_id}" if override.run_id else ""
        out.append(f"Override of {override.decided}: {override.by} {what}{scope}: {override.reason}")
    return out


_INTACT = {True: "kept, unchanged", False: "damaged", None: "not kept"}


def _build(
    identity: str, title: str, fields: Fields[Source], sources: Sequence[Source], footnotes: tuple[str, ...] = ()
) -> Table:
    rows = tuple(tuple(take(source) for _, take in fields) for source in sources)
    return Table(identity, title, tuple(column for column, _ in fields), rows, footnotes)
