"""Tables of calibration: certificates, meters, reviews, versions of a result."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark.core.numbers import format_number, format_uncertain
from wattmark.results.in_house import InHouseOut
from wattmark.results.issued.review_views import AffectedRun, ReviewOut, RunVersionOut, RunVersionsOut
from wattmark.tables.fields import Fields, QuantityFields, Source, columns_of, rows_of
from wattmark.tables.table import Column, Table
from wattmark.traceability.certificates.views import (
    CertificateOut,
    CertificatesOut,
    CertificateSummary,
    MeterCalibrationOut,
    MetersCalibrationOut,
    PointOut,
    RangeOut,
)

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
    (Column("label", "Based on"), lambda m: m.label),
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

_AFFECTED_POWER = QuantityFields[AffectedRun](Column("power_w", "Power", "W"), lambda r: r.power, "power")
_AFFECTED: Fields[AffectedRun] = (
    (Column("run_id", "Run"), lambda r: r.run_id),
    (Column("server", "Server"), lambda r: r.server),
    (Column("configuration", "Configuration"), lambda r: r.configuration),
    (Column("workload", "Workload"), lambda r: r.workload),
    (Column("level", "Level"), lambda r: r.level),
    (Column("measured", "Measured", kind="time"), lambda r: r.measured),
    (Column("range_name", "Range"), lambda r: r.range_name or None),
    _AFFECTED_POWER.value,
    _AFFECTED_POWER.U95,
    (Column("issued_with", "Based on"), lambda r: r.issued_with),
    (Column("recomputed", "Recomputed", kind="flag"), lambda r: r.recomputed),
    (Column("change_pct", "Change", "%", "number"), lambda r: r.change_pct),
)

_VERSION_POWER = QuantityFields[RunVersionOut](Column("power_w", "Power", "W"), lambda v: v.result.power, "power")
_VERSION: Fields[RunVersionOut] = (
    (Column("version", "Version", kind="integer"), lambda v: v.version),
    (Column("issued", "Issued", kind="time"), lambda v: v.issued),
    (Column("by", "By"), lambda v: v.by),
    (Column("reason", "Reason"), lambda v: v.reason),
    (Column("certificates", "Based on"), lambda v: "; ".join(v.certificates)),
    _VERSION_POWER.value,
    _VERSION_POWER.U95,
    (Column("difference", "Difference"), lambda v: v.difference or None),
)


def certificates_table(listing: CertificatesOut) -> Table:
    """Build the table of certificates with their status."""
    notes = tuple(f"{c.id}: {c.status_text}" for c in listing.certificates if c.status != "valid")
    return _build(
        "certificates",
        f"Certificates on {listing.as_of}",
        _CERTIFICATE,
        listing.certificates,
        (*notes, *listing.unreadable),
    )


def meters_table(listing: MetersCalibrationOut) -> Table:
    """Build the table of meters with the basis of their measurements."""
    return _build("calibration", f"Calibration of meters on {listing.as_of}", _METER, listing.meters)


def certificate_table(certificate: CertificateOut) -> Table:
    """Build the table of a certificate's points; everything else about it is in the footnotes."""
    rows = [(part, point) for part in certificate.as_ranges for point in part.points]
    meter = f"{certificate.manufacturer} {certificate.model} {certificate.serial}"
    title = f"Certificate {certificate.id} v{certificate.version}: {meter}"
    return _build("certificate", title, _POINT, rows, tuple(_facts(certificate)))


def in_house_table(made: InHouseOut) -> Table:
    """Build the table of the points of an in-house calibration; its basis is in the footnotes."""
    rows = [] if made.range is None else [(made.range, point) for point in made.range.points]
    title = f"In-house certificate {made.certificate_id}" if made.certificate_id else "No in-house certificate"
    notes = [refusal.text for refusal in made.refusals]
    notes += [f"{made.method} Valid from {made.calibrated_on} to {made.due_on}."]
    notes += [f"Reference: {made.reference}, {made.reference_certificate}."]
    if not made.traceable:
        notes.append("Not traceable: the reference had no certificate in force in every run.")
    if made.range is not None and made.range.model is not None:
        fit = made.range.model
        # the fit carries the fewest degrees of freedom that a point's k implies (`CorrectionModel`)
        k = max(point.k for point in made.range.points)
        offset = format_uncertain(fit.offset_w, k * fit.u_offset_w, "W")
        gain = format_uncertain(fit.gain, k * fit.u_gain)
        notes.append(
            f"Correction: {offset} + ({gain}) x indication, from {made.steps} stretches "
            f"(expanded uncertainty, k = {format_number(k, 3)})."
        )
    return _build("in-house", title, _POINT, rows, tuple(notes))


def review_table(review: ReviewOut) -> Table:
    """Build the table of results in doubt."""
    notes = [review.statement, *(f"Range {r.name}: {r.outcome or 'nothing is known'}." for r in review.ranges)]
    title = f"Review of {review.serial} by certificate {review.certificate} v{review.version}"
    return _build("review", title, _AFFECTED, review.affected, (*notes, *review.problems))


def versions_table(listing: RunVersionsOut) -> Table:
    """Build the table of a result's issued versions."""
    newer = "Recomputing now would use other certificates or overrides." if listing.newer_available else ""
    return _build("versions", f"Versions of {listing.run_id}", _VERSION, listing.versions, (newer,) if newer else ())


def _facts(certificate: CertificateOut) -> list[str]:
    """List the facts of a certificate besides its points, in sentences."""
    out = [
        f"{certificate.status_text} Number {certificate.number}, calibrated on {certificate.calibrated_on} "
        f"by {certificate.laboratory} ({_standing(certificate)}): "
        f"{certificate.method}.",
        f"Canonical hash {certificate.sha256}. The original file is {_INTACT[certificate.file_intact]}. "
        f"Results that use it: {certificate.used_by}.",
    ]
    out += [
        f"Traceable through {link.name}{f' to {link.traceable_to}' if link.traceable_to else ''}."
        for link in certificate.chain
    ]
    out += [
        f"Range {part.name}, {part.state}: {refusal.text}"
        for part in certificate.as_ranges
        for refusal in part.refusals
    ]
    out += (
        [f"Approved by {certificate.approved_by}."]
        if certificate.approved_by
        else ["The owner has not approved it yet."]
    )
    for override in certificate.overrides:
        effect = f"accepts {', '.join(override.accepts)}" if override.accepts else "withdraws the override"
        scope = f" for run {override.run_id}" if override.run_id else ""
        out.append(f"Override of {override.decided}: {override.by} {effect}{scope}: {override.reason}")
    return out


def _standing(certificate: CertificateOut) -> str:
    if certificate.in_house:
        return "in house" if certificate.traceable else "in house, not traceable"
    return certificate.accreditation or "accreditation not stated"


_INTACT = {True: "kept, unchanged", False: "damaged", None: "not kept"}


def _build(
    identity: str, title: str, fields: Fields[Source], sources: Sequence[Source], footnotes: tuple[str, ...] = ()
) -> Table:
    return Table(identity, title, columns_of(fields), rows_of(fields, sources), footnotes)
