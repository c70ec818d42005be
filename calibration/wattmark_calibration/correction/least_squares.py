"""Generalised least squares for a model that is linear in its parameters."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class LinearFit:
    """Parameters with covariance, chi-squared and the gain matrix G (parameters = G y)."""

    parameters: Array
    covariance: Array
    gain: Array
    residuals: Array
    chi_squared: float
    dof: int

    @property
    def p_value(self) -> float | None:
        """Compute the probability of a larger chi-squared; None without degrees of freedom."""
        return chi_squared_p(self.chi_squared, self.dof)

    @property
    def scatter(self) -> float | None:
        """Compute s = sqrt(chi-squared/dof), the scatter in units of the stated one; None without dof."""
        return float(np.sqrt(self.chi_squared / self.dof)) if self.dof else None

    @property
    def scaled_covariance(self) -> Array:
        """Scale the covariance by s^2, where the stated uncertainties are relative weights only (JCGM 100 H.3)."""
        if not self.dof:
            raise ValueError("Scatter can be estimated only with more points than parameters.")
        return self.covariance * (self.chi_squared / self.dof)


def least_squares(design: ArrayLike, y: ArrayLike, covariance: ArrayLike | None = None) -> LinearFit:
    """Fit y = A theta with the full covariance V of y (None: unit variances).

    theta = (A'V^-1 A)^-1 A'V^-1 y, cov = (A'V^-1 A)^-1, chi-squared = r'V^-1 r on n - p degrees of freedom; computed
    by Cholesky whitening and QR, not by the normal equations. Raises `ValueError` for a V that is not positive
    definite, for too few points and for parameters that the points cannot separate.
    """
    a, b = np.asarray(design, dtype=np.float64), np.asarray(y, dtype=np.float64)
    n, p = a.shape
    if n < p:
        raise ValueError(f"{n} points are too few for {p} parameters.")
    whiten = _whitener(n, covariance)
    q, r = np.linalg.qr(whiten @ a)
    size = np.abs(np.diag(r))
    if np.any(size <= 1e-10 * np.linalg.norm(whiten @ a, axis=0)):
        raise ValueError("The points do not determine all parameters; add points at other powers or power factors.")
    inverse = np.linalg.inv(r)
    gain = inverse @ q.T @ whiten
    parameters = inverse @ (q.T @ (whiten @ b))
    residuals = b - a @ parameters
    white = whiten @ residuals
    return LinearFit(parameters, inverse @ inverse.T, gain, residuals, float(white @ white), n - p)


def chi_squared_p(chi_squared: float, dof: int) -> float | None:
    """Compute the probability that chi-squared exceeds the value by chance; None without degrees of freedom."""
    return float(scipy.special.chdtrc(dof, chi_squared)) if dof > 0 else None


def _whitener(n: int, covariance: ArrayLike | None) -> Array:
    """Compute W with W V W' = 1."""
    if covariance is None:
        return np.eye(n)
    try:
        lower = np.linalg.cholesky(np.asarray(covariance, dtype=np.float64))
    except np.linalg.LinAlgError:
        raise ValueError("The covariance of the points is not positive definite.") from None
    return np.asarray(np.linalg.inv(lower), dtype=np.float64)
