"""A calibrated range for display: points with residuals, the fitted model, the error curve with its 95 % band."""

from __future__ import annotations

import numpy as np
from wattmark_calibration import (
    CalibratedRange,
    Certificate,
    CorrectionModel,
    Outcome,
    Point,
    error_curve,
    fit_model,
    judge,
)
from wattmark_calibration.certificate.status import BEYOND_SPAN, span
from wattmark_calibration.correction.model import regressors
from wattmark_calibration.correction.refusals import model_refusals

from wattmark.core.interval import Interval
from wattmark.traceability.certificates.refusal import RefusalRecord
from wattmark.traceability.certificates.views import CorrectionModelOut, CurvePoint, PointOut, RangeOut

SAMPLES = 61
BAND = 2.0
"""Coverage factor of the drawn band (95 % of a normal distribution, as certificates state it)."""


def range_out(certificate: Certificate, calibrated: CalibratedRange, *, left: bool) -> RangeOut:
    """Describe one calibrated range as found or as left."""
    in_use = left == certificate.adjusted
    try:
        model = fit_model(calibrated)
    except ValueError as error:
        refusals = [RefusalRecord(code="too-few-points", text=f"Range {calibrated.name}: {error}")]
        return _range(calibrated, None, refusals, left=left, in_use=in_use)
    refusals = [RefusalRecord(code=r.code, text=r.text) for r in model_refusals(model, certificate)]
    return _range(calibrated, model, refusals, left=left, in_use=in_use)


def _range(
    calibrated: CalibratedRange,
    model: CorrectionModel | None,
    refusals: list[RefusalRecord],
    *,
    left: bool,
    in_use: bool,
) -> RangeOut:
    return RangeOut(
        name=calibrated.name,
        state="as left" if left else "as found",
        in_use=in_use,
        full_scale_w=calibrated.full_scale_w,
        points=[_point(point, model) for point in calibrated.points],
        model=None if model is None else _model(model),
        refusals=refusals,
        curve=[] if model is None else _curve(calibrated, model),
    )


def _point(point: Point, model: CorrectionModel | None) -> PointOut:
    return PointOut(
        reference_w=point.reference_w,
        indication_w=point.indication_w,
        error_w=point.error_w,
        U_w=point.expanded_u_w,
        k=point.k,
        power_factor=point.power_factor,
        reactive=point.reactive,
        frequency_hz=point.frequency_hz,
        voltage_v=point.voltage_v,
        temperature_c=point.temperature_c,
        limit_w=point.limit_w,
        conformity=_conformity(point),
        residual_w=None if model is None else _residual(point, model),
    )


def _conformity(point: Point) -> Outcome | None:
    return None if point.limit_w is None else judge(point.error_w, point.expanded_u_w, point.limit_w)


def _residual(point: Point, model: CorrectionModel) -> float:
    """Compute the error of a point minus that of the model at its power and reactive power [W]."""
    fitted = -float(regressors(point.indication_w, point.reactive_var) @ model.parameters)
    return point.error_w - fitted


def _model(model: CorrectionModel) -> CorrectionModelOut:
    offset, gain, phase = (float(x) for x in model.parameters)
    u = np.sqrt(np.maximum(np.diag(model.covariance), 0.0))
    return CorrectionModelOut(
        offset_w=offset,
        u_offset_w=float(u[0]),
        gain=gain,
        u_gain=float(u[1]),
        phase_rad=phase if model.phase_fitted else None,
        u_phase_rad=float(u[2]) if model.phase_fitted else None,
        chi_squared=model.chi_squared,
        dof=model.dof,
        p_value=model.p_value,
        points=model.points,
    )


def _curve(calibrated: CalibratedRange, model: CorrectionModel) -> list[CurvePoint]:
    """Compute the error curve at power factor 1 [W], over the span and as far beyond it as corrections reach."""
    low, high = span(calibrated)
    powers = np.linspace(low * (1 - BEYOND_SPAN), high * (1 + BEYOND_SPAN), SAMPLES)
    errors, u = error_curve(model, powers)
    return [
        CurvePoint(
            power_w=float(p),
            error_w=Interval.of(float(e), (float(e - BAND * s), float(e + BAND * s))),
            extrapolated=not low <= p <= high,
        )
        for p, e, s in zip(powers, errors, u, strict=True)
    ]
