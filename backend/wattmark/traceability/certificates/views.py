"""Certificates, reviews and versions of results, ready for the API and the pages."""

from __future__ import annotations

from typing import Literal

from wattmark_calibration.certificate.record import ReferenceStandard

from wattmark.core.inputs import Input, Text
from wattmark.core.interval import Interval
from wattmark.core.schema import Schema
from wattmark.traceability.certificates.refusal import RefusalRecord
from wattmark.traceability.cross_calibration.views import CrossCalibrationOut

StatusName = Literal["valid", "due", "expired", "not yet valid", "superseded", "revoked", "out of range"]
Basis = Literal["certificate", "specification", "none"]


class OverrideOut(Schema):
    """A person's decision to accept refusals of a certificate; printed with every result that uses it."""

    certificate: str
    by: str
    reason: str
    accepts: list[str]
    """Codes of the accepted refusals: "expired", "outside-span", ...; empty: withdraws the override before."""
    run_id: str | None
    """Only for this run; None: for every run."""
    serial: str | None
    """The meter it is for, where the certificate states another serial number; None: the certificate's own meter."""
    decided: str
    in_force: bool


class CertificateSummary(Schema):
    """One certificate in its latest version, with its status at the requested time."""

    id: str
    version: int
    number: str
    sha256: str
    """Canonical hash noted at acceptance."""
    manufacturer: str
    model: str
    serial: str
    laboratory: str
    accreditation: str | None
    in_house: bool = False
    """It comes from an own comparison with another meter."""
    traceable: bool = True
    """False: an in-house certificate whose reference had no certificate."""
    calibrated_on: str
    due_on: str
    days_left: int
    """Days until the due day; negative: overdue."""
    status: StatusName
    status_text: str
    """The status in one sentence."""
    ranges: list[str]
    adjusted: bool
    has_as_found: bool
    approved_by: str | None
    supersedes: str | None
    accepted: str
    overridden: bool


class PointOut(Schema):
    """One calibration point, with the error of the meter and the residual of the fitted curve [W]."""

    reference_w: float
    indication_w: float
    error_w: float
    U_w: float
    k: float
    power_factor: float | None
    reactive: Literal["lagging", "leading"]
    frequency_hz: float | None
    voltage_v: float | None
    temperature_c: float | None
    limit_w: float | None
    conformity: Literal["pass", "conditional pass", "conditional fail", "fail"] | None
    """Against ``limit_w`` with guard band U (ILAC-G8); None: the certificate states no limit."""
    residual_w: float | None
    """Point minus fitted curve; None: there is no curve."""


class CurvePoint(Schema):
    """The fitted error curve at power factor 1 with its 95 % band, for drawing [W]."""

    power_w: float
    error_w: Interval
    extrapolated: bool


class CorrectionModelOut(Schema):
    """Fitted correction of one range: P_ref - P_ind = offset + gain P_ind + phase Q."""

    offset_w: float
    u_offset_w: float
    gain: float
    u_gain: float
    phase_rad: float | None
    """None: the points do not tell the phase error."""
    u_phase_rad: float | None
    chi_squared: float
    dof: int
    p_value: float | None
    points: int


class RangeOut(Schema):
    """One calibrated range: points, model, curve and refusals."""

    name: str
    state: Literal["as found", "as left"]
    in_use: bool
    """These points serve new results."""
    full_scale_w: float | None
    points: list[PointOut]
    model: CorrectionModelOut | None
    refusals: list[RefusalRecord]
    curve: list[CurvePoint]


class CertificateVersionOut(Schema):
    """One accepted version of a certificate; nothing is ever overwritten."""

    version: int
    sha256: str
    accepted: str
    reason: str
    """Why this version was added."""
    intact: bool
    """The stored certificate still has the hash noted at acceptance."""


class CertificateOut(CertificateSummary):
    """A certificate in full."""

    method: str
    firmware: str | None
    chain: list[ReferenceStandard]
    conformity_rule: str | None
    conformity_verdict: str | None
    """What the laboratory itself states."""
    approval_note: str | None
    revoked_from: str | None
    revocation_text: str | None
    file_name: str | None
    file_sha256: str | None
    file_intact: bool | None
    """The stored original still has its hash; None: no original is kept."""
    as_ranges: list[RangeOut]
    versions: list[CertificateVersionOut]
    overrides: list[OverrideOut]
    used_by: int
    """Number of results that use this certificate."""


class CertificateAdded(Schema):
    """An accepted certificate, with remarks for its owner."""

    certificate: CertificateSummary
    warnings: list[str]
    unchanged_results: int
    """Results that were issued before and keep their figures until someone asks for a recompute."""


class CertificatesOut(Schema):
    """All certificates with their status at one time."""

    as_of: str
    certificates: list[CertificateSummary]
    unreadable: list[str] = []
    """Certificates that were accepted and can no longer be read, a sentence each."""


class MeterCalibrationOut(Schema):
    """Calibration status of one meter of the bench or of stored results."""

    meter: str
    model: str
    title: str
    serial: str | None
    on_bench: bool
    role: Literal["wall", "secondary"]
    basis: Basis
    """Calibration behind a measurement at this time; "none": not traceable."""
    label: str
    """"certificate CAL-1 v1", "specification", "not traceable"."""
    certificate_id: str | None
    certificate_version: int | None
    status: StatusName | None
    due_on: str | None
    days_left: int | None
    ranges: list[str]
    note: str | None
    """Why no certificate serves, where there is one or the serial number is not known."""


class MetersCalibrationOut(Schema):
    """All meters with their calibration at one instant."""

    as_of: str
    meters: list[MeterCalibrationOut]
    cross_calibrations: list[CrossCalibrationOut] = []
    """Of BMCs, the newest first."""
    unreadable: list[str] = []
    """Cross-calibrations that can no longer be read, a sentence each."""


class Signed(Input):
    """Who decides, and why."""

    by: Text
    reason: Text


class OverrideIn(Signed):
    """Request to override refusals of a certificate."""

    accepts: list[Text]
    run_id: Text | None = None
    serial: Text | None = None


class RevokeIn(Signed):
    """Request to revoke a certificate from a date on."""

    effective: Text
    """YYYY-MM-DD"""
