"""Correction model of one range: offset, gain and, where the points allow it, phase error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

import numpy as np
import scipy
from numpy.typing import NDArray

from wattmark_calibration.budget import INFINITE
from wattmark_calibration.certificate.points import CalibratedRange, Point
from wattmark_calibration.correction.least_squares import LinearFit, least_squares

Array = NDArray[np.float64]
LOW_POWER_FACTOR = 0.9
"""Power factor up to which a point determines the phase error; above it, it counts as unity for offset and gain."""
POINTS_FOR_PHASE = 5


@dataclass(frozen=True, slots=True)
class ErrorSource:
    """One independent error of the calibration: what one unit of it does to the parameters, and its uncertainty.

    All corrections made with this range and certificate share it: their covariance is the sum over the sources of the
    products of sensitivities times u^2.
    """

    name: str
    direction: Array
    u: float
    evaluation: Literal["A", "B"] = "B"
    dof: float = INFINITE


@dataclass(frozen=True, slots=True)
class CorrectionModel:
    """P_ref - P_ind = o + g P_ind + d Q, with its error sources.

    ``parameters`` are offset [W], gain [1] and phase error d [rad] (0 where not fitted). ``phase_bound`` is a bound of
    |d| where d could not be fitted but low-power-factor points exist, else None. ``lowest_power_factor`` is the lowest
    calibrated one. ``points`` entered the fit of ``parameter_count`` parameters.
    """

    range: CalibratedRange
    parameters: Array
    sources: tuple[ErrorSource, ...]
    phase_fitted: bool
    phase_bound: float | None
    lowest_power_factor: float
    chi_squared: float
    dof: int
    p_value: float | None
    points: int

    @property
    def parameter_count(self) -> int:
        return 3 if self.phase_fitted else 2

    @property
    def covariance(self) -> Array:
        """Compute the covariance of the parameters."""
        weighted = np.array([source.direction * source.u for source in self.sources])
        return np.asarray(weighted.T @ weighted, dtype=np.float64)

    @property
    def u_phase(self) -> float:
        """Compute the standard uncertainty of d [rad]; 0 where not fitted."""
        return float(np.sqrt(self.covariance[2, 2]))

    def correction(self, power_w: float, reactive_var: float = 0.0) -> float:
        """Compute the correction to add to an indication [W], also beyond the calibrated span."""
        return float(regressors(power_w, reactive_var) @ self.parameters)

    def standard_uncertainty(self, power_w: float, reactive_var: float = 0.0) -> float:
        """Compute sqrt(x cov x') of the correction [W], also beyond the calibrated span."""
        x = regressors(power_w, reactive_var)
        return math.sqrt(max(float(x @ self.covariance @ x), 0.0))


def regressors(power_w: float, reactive_var: float) -> Array:
    """Return x = (1, P, Q) of a correction."""
    return np.array([1.0, power_w, reactive_var])


def fit_model(calibrated: CalibratedRange) -> CorrectionModel:
    """Fit the correction model of a range by generalised least squares (method 6.2).

    Where the certificate states the reference's common uncertainty, V = diag(u_rep^2) + u_gain^2 P P' + u_off^2 1 1'.
    Where it does not, the common part of U is unknown: U/k is then carried through the fit as one fully
    correlated error, so that averaging many points never makes it smaller, and the scatter about the curve is added.
    With fewer than 5 points, or none at low power factor, d is dropped and the low-power-factor points bound it.
    Raises `ValueError` where the points cannot give offset and gain.
    """
    with_phase = len(calibrated.points) >= POINTS_FOR_PHASE and any(_is_low(point) for point in calibrated.points)
    if with_phase:
        try:
            return _model(calibrated, calibrated.points, with_phase=True)
        except ValueError:
            # every point at one power factor: phase and gain look alike, so only their sum is known there
            with_phase = False
    return _model(calibrated, tuple(point for point in calibrated.points if not _is_low(point)), with_phase=with_phase)


def _model(calibrated: CalibratedRange, points: tuple[Point, ...], *, with_phase: bool) -> CorrectionModel:
    """Fit the chosen points."""
    if len(points) < 2:
        raise ValueError("Offset and gain need at least two points near power factor 1.")
    reference = np.array([point.reference_w for point in points])
    indication = np.array([point.indication_w for point in points])
    columns = [np.ones_like(indication), indication]
    if with_phase:
        columns.append(np.array([point.reactive_var for point in points]))
    u = np.array([point.u_w for point in points])
    common = calibrated.common
    covariance = np.diag(u**2)
    if common is not None:
        independent = u**2 - (common.gain * reference) ** 2 - common.offset_w**2
        covariance = np.diag(independent) + common.gain**2 * np.outer(reference, reference) + common.offset_w**2
    design = np.column_stack(columns)
    fit = least_squares(design, reference - indication, covariance)
    sources = _stated(fit, calibrated, reference, u) if common is not None else _unstated(fit, design, u, points)
    parameters = _three(fit.parameters)
    return CorrectionModel(
        range=calibrated,
        parameters=parameters,
        sources=sources,
        phase_fitted=with_phase,
        phase_bound=None if with_phase else _phase_bound(calibrated, parameters),
        lowest_power_factor=min(point.power_factor or 1.0 for point in calibrated.points),
        chi_squared=fit.chi_squared,
        dof=fit.dof,
        p_value=fit.p_value,
        points=len(points),
    )


def _stated(fit: LinearFit, calibrated: CalibratedRange, reference: Array, u: Array) -> tuple[ErrorSource, ...]:
    """Split the covariance into the reference's gain and offset, and what is independent from point to point."""
    # u includes the common parts; they are subtracted so that they are not counted twice
    gain, offset_w = (calibrated.common.gain, calibrated.common.offset_w) if calibrated.common else (0.0, 0.0)
    independent = u**2 - (gain * reference) ** 2 - offset_w**2
    dof = _certificate_dof(calibrated.points)
    own = _independent(fit.gain @ np.diag(independent) @ fit.gain.T, "B", dof)
    gain_source = ErrorSource("Reference gain", _three(fit.gain @ reference), gain, "B", dof)
    offset_source = ErrorSource("Reference offset", _three(fit.gain.sum(axis=1)), offset_w, "B", dof)
    return tuple(source for source in (gain_source, offset_source, *own) if source.u > 0)


def _unstated(fit: LinearFit, design: Array, u: Array, points: tuple[Point, ...]) -> tuple[ErrorSource, ...]:
    """Carry U/k through as one error common to all points, and add the scatter about the curve.

    The common error is scaled so that no point gets less than its own U/k. Points at low power factor may also err
    independently: a common error alone would make the phase nearly exact.
    """
    dof = _certificate_dof(points)
    common = fit.gain @ u
    scale = float(np.max(u / np.maximum(np.abs(design @ common), 1e-3 * u)))
    sources = [ErrorSource("Certificate U/k", _three(common), max(scale, 1.0), "B", dof)]
    low = np.array([_is_low(point) for point in points])
    if low.any():
        direction = _three(fit.gain @ (u * low))
        sources.append(ErrorSource("Certificate U/k at low power factor", direction, 1.0, "B", dof))
    return (*sources, *(_independent(fit.scaled_covariance, "A", fit.dof) if fit.dof else ()))


def _independent(covariance: Array, evaluation: Literal["A", "B"], dof: float) -> tuple[ErrorSource, ...]:
    """Split a covariance into independent error sources, one per parameter (Cholesky)."""
    scale = np.sqrt(np.diag(covariance))
    if np.any(scale <= 0):
        return ()
    # scaled to correlations: offset [W] and gain [1] differ by orders of magnitude
    lower = scale[:, None] * np.linalg.cholesky(covariance / np.outer(scale, scale))
    names = ("Scatter of points, offset", "Scatter of points, gain", "Scatter of points, phase")
    return tuple(ErrorSource(names[j], _three(lower[:, j]), 1.0, evaluation, dof) for j in range(len(scale)))


def _phase_bound(calibrated: CalibratedRange, parameters: Array) -> float | None:
    """Compute a bound of |d| from the low-power-factor points outside the fit: largest (|residual| + U)/|Q| [rad]."""
    bounds = []
    for point in calibrated.points:
        if _is_low(point):
            left = point.reference_w - point.indication_w
            left -= float(regressors(point.indication_w, 0.0) @ parameters)
            bounds.append((abs(left) + point.expanded_u_w) / abs(point.reactive_var))
    return max(bounds, default=None)


def _certificate_dof(points: tuple[Point, ...]) -> float:
    """Compute the lowest degrees of freedom that the coverage factors imply (EA-4/02 M, appendix E)."""
    return min(_dof(point.k, point.coverage_probability) for point in points)


def _dof(k: float, probability: float) -> float:
    """Solve t(dof) = k; infinite up to k = 2 and up to 3 % above the normal factor, which is rounding."""
    normal = float(scipy.special.ndtri(0.5 + probability / 2))
    if k <= max(2.0, 1.03 * normal):
        return INFINITE
    return max(float(scipy.special.stdtridf(0.5 + probability / 2, k)), 1.0)


def _is_low(point: Point) -> bool:
    return point.reference_w > 0 and (point.power_factor or 1.0) <= LOW_POWER_FACTOR


def _three(vector: Array) -> Array:
    """Return a vector of two parameters with a phase of 0 added."""
    return np.pad(vector, (0, 3 - len(vector)))
