"""Coverage of a sum of a Student-t and a rectangular error, in closed form.

JCGM 100 G.4 takes the sum of all errors as a Student-t variable. Where one rectangular error dominates (a maker's
limit of error), that interval is wider than the limit itself and covers 100 %, not 95 %: EA-4/02 M:2022, S9.14 and
example S10 use k = 1.65 there, JCGM 101 the distribution of the sum. Here the exact distribution of the sum is used.
"""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
NEARLY_INFINITE = 1e9
MOST_STEPS = 30
PRECISION = 1e-12
NEGLIGIBLE = 1e-6
"""An error this many times smaller than the other does not change the first eleven digits of the interval."""
SQRT_3 = 3.0**0.5
NEARLY_ONE = 1.01
"""Below this many degrees of freedom the Cauchy form is used, which is the wider one."""


def mixed_dof(scatter_u: ArrayLike, dof: ArrayLike, rectangular_u: ArrayLike) -> Array:
    """Compute the degrees of freedom of the Student part of a sum: dof sqrt(u/scatter_u).

    The half width for T and R as they are covers up to 97 % with few degrees of freedom, because the estimate of
    ``scatter_u`` matters less where R is large. With this exponent, found by simulation, intervals cover 94.6 to 95.4 %
    with 2 or more degrees of freedom, whatever the share of R (an exponent of 0 gives 95 to 97 %, one of 1 93.5 to 95.2
    %).
    """
    s, nu, r = (np.asarray(x, dtype=np.float64) for x in (scatter_u, dof, rectangular_u))
    with np.errstate(divide="ignore", invalid="ignore"):
        raised = nu * np.sqrt(np.hypot(s, r) / s)
    return np.asarray(np.where(s > 0, raised, NEARLY_INFINITE), dtype=np.float64)


def coverage_factor(dof: float, probability: float = 0.95) -> float:
    """Compute the two-sided Student factor at the degrees of freedom, not truncated but at least 1.

    JCGM 100 G.4.1 leaves the choice between interpolating and the next lower integer; Welch's interval is defined at
    fractional ones (Welch 1947). Not truncated, because effective degrees of freedom are estimates: a rounding error
    below 2 made k 12.71 for 4.30, and so would any true 1.99. By simulation (`tests/unit/wattmark_calibration/
    test_student.py`) both cover the same where one term rules; for Welch's interval of three or more repeats
    interpolation covers 0.928 to 0.965, truncation 0.936 to 0.975 with intervals up to 13 % wider.
    """
    return float(half_width(1.0, dof, 0.0, probability))


def two_sided_p(z: float, dof: float) -> float:
    """Compute P(|T| >= |z|) for Student's t with ``dof``, by the rule of `coverage_factor`."""
    return float(2 * scipy.special.stdtr(min(max(dof, 1.0), NEARLY_INFINITE), -abs(z)))


def half_width(scatter_u: ArrayLike, dof: ArrayLike, rectangular_u: ArrayLike, probability: float = 0.95) -> Array:
    """Compute U with P(|T scatter_u + R| <= U) = probability [unit of u], element by element.

    T is Student's t with ``dof`` (at least 1), R an independent rectangular error of standard deviation
    ``rectangular_u``. Newton's iteration climbs to U from the larger of both errors' own widths: the probability is
    concave, so that no step goes beyond it.
    """
    s, nu, r = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in (scatter_u, dof, rectangular_u)))
    nu, a = np.clip(nu, 1.0, NEARLY_INFINITE), SQRT_3 * r
    width: Array = np.maximum(scipy.special.stdtrit(nu, 0.5 + probability / 2) * s, probability * a)
    both = (s > NEGLIGIBLE * a) & (a > NEGLIGIBLE * s)
    if not both.any():
        return width
    scale, reach, nu = s[both], a[both], nu[both]
    norm, mixed_width = _log_norm(nu), width[both]
    for _ in range(MOST_STEPS):
        inside, density = _mixed(mixed_width, scale, reach, nu, norm)
        step = np.maximum(probability - inside, 0.0) / density
        mixed_width = mixed_width + step
        if np.all(step <= PRECISION * mixed_width):
            break
    width = np.array(width)
    width[both] = mixed_width
    return width


def probability_within(width: ArrayLike, scatter_u: ArrayLike, dof: ArrayLike, rectangular_u: ArrayLike) -> Array:
    """Compute P(|T scatter_u + R| <= width) for T and R as in `half_width` [1]."""
    arrays = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in (width, scatter_u, dof, rectangular_u)))
    u, s, nu, r = (np.atleast_1d(x) for x in arrays)
    nu, a = np.clip(nu, 1.0, NEARLY_INFINITE), SQRT_3 * r
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        mixed, _ = _mixed(u, s, a, nu, _log_norm(nu))
        student = np.where(s > 0, 2 * scipy.special.stdtr(nu, u / s) - 1, 1.0)
        box = np.clip(u / a, 0.0, 1.0)
    out = np.where(a <= NEGLIGIBLE * s, student, np.where(s <= NEGLIGIBLE * a, box, mixed))
    return np.asarray(out.reshape(arrays[0].shape), dtype=np.float64)


def _mixed(width: Array, scale: Array, reach: Array, nu: Array, norm: Array) -> tuple[Array, Array]:
    """Compute the probability of the sum within +-width, and its derivative by width.

    Student's distribution function F averaged over the rectangle, with an antiderivative G of it: by the symmetry of F
    this is (G(z + b) - G(z - b))/b - 1 with z = width/scale and b = reach/scale.
    """
    z, b = width / scale, reach / scale
    f_high, g_high = _student(z + b, nu, norm)
    f_low, g_low = _student(z - b, nu, norm)
    return (g_high - g_low) / b - 1, (f_high - f_low) / reach


def _student(x: Array, nu: Array, norm: Array) -> tuple[Array, Array]:
    """Compute Student's F and its antiderivative x F + (nu + x^2)/(nu - 1) f; Cauchy's where nu is 1."""
    safe = np.maximum(nu, NEARLY_ONE)
    f = scipy.special.stdtr(safe, x)
    g = x * f + (safe + x * x) / (safe - 1) * np.exp(norm - (safe + 1) / 2 * np.log1p(x * x / safe))
    cauchy = nu < NEARLY_ONE
    if cauchy.any():
        wide = scipy.special.stdtr(1.0, x)
        f = np.where(cauchy, wide, f)
        g = np.where(cauchy, x * wide - np.log1p(x * x) / (2 * np.pi), g)
    return f, g


def _log_norm(nu: Array) -> Array:
    """Compute the logarithm of the constant of Student's density."""
    safe = np.maximum(nu, NEARLY_ONE)
    constant: Array = (
        scipy.special.gammaln((safe + 1) / 2) - scipy.special.gammaln(safe / 2) - 0.5 * np.log(safe * np.pi)
    )
    return constant
