"""Coverage of a sum of a Student-t and a rectangular error, in closed form.

JCGM 100 G.4 takes the sum of all errors as a Student-t variable. Where one rectangular error dominates (a maker's
limit of error), that interval is wider than the limit itself and covers 100 %, not 95 %: EA-4/02 M:2022, S9.14 and
example S10 use k = 1.65 there, JCGM 101 the distribution of the sum. Here the sum's distribution is taken as it is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import special

Array = NDArray[np.float64]
NEARLY_INFINITE = 1e9
MOST_STEPS = 30
PRECISION = 1e-12
NEGLIGIBLE = 1e-6
"""An error this many times smaller than the other does not widen the interval in its first eleven digits."""
SQRT_3 = 3.0**0.5
NEARLY_ONE = 1.01
"""Below this many degrees of freedom the Cauchy form is used, which is the wider one."""


def half_width(scatter_u: ArrayLike, dof: ArrayLike, rectangular_u: ArrayLike, probability: float = 0.95) -> Array:
    """Compute U with P(|T scatter_u + R| <= U) = probability [unit of u], element by element.

    T is Student's t with ``dof`` (at least 1), R an independent rectangular error of standard deviation
    ``rectangular_u``. Newton's iteration climbs to U from the larger of both errors' own widths: the probability is
    concave, so that no step goes beyond it.
    """
    s, nu, r = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in (scatter_u, dof, rectangular_u)))
    nu, a = np.clip(nu, 1.0, NEARLY_INFINITE), SQRT_3 * r
    width: Array = np.maximum(special.stdtrit(nu, 0.5 + probability / 2) * s, probability * a)
    both = (s > NEGLIGIBLE * a) & (a > NEGLIGIBLE * s)
    if not both.any():
        return width
    scale, reach, nu = s[both], a[both], nu[both]
    found = width[both]
    for _ in range(MOST_STEPS):
        density = (special.stdtr(nu, (found + reach) / scale) - special.stdtr(nu, (found - reach) / scale)) / reach
        step = np.maximum(probability - _mixed(found, scale, reach, nu), 0.0) / density
        found = found + step
        if np.all(step <= PRECISION * found):
            break
    width = np.array(width)
    width[both] = found
    return width


def probability_within(width: ArrayLike, scatter_u: ArrayLike, dof: ArrayLike, rectangular_u: ArrayLike) -> Array:
    """Compute P(|T scatter_u + R| <= width) for T and R as in `half_width` [1]."""
    arrays = np.broadcast_arrays(*(np.asarray(x, dtype=np.float64) for x in (width, scatter_u, dof, rectangular_u)))
    u, s, nu, r = (np.atleast_1d(x) for x in arrays)
    nu, a = np.clip(nu, 1.0, NEARLY_INFINITE), SQRT_3 * r
    with np.errstate(divide="ignore", invalid="ignore", over="ignore"):
        mixed = _mixed(u, s, a, nu)
        student = np.where(s > 0, 2 * special.stdtr(nu, u / s) - 1, 1.0)
        box = np.clip(u / a, 0.0, 1.0)
    out = np.where(a <= NEGLIGIBLE * s, student, np.where(s <= NEGLIGIBLE * a, box, mixed))
    return np.asarray(out.reshape(arrays[0].shape), dtype=np.float64)


def _mixed(width: Array, scale: Array, reach: Array, nu: Array) -> Array:
    """Compute the probability of the sum within +-width: Student's distribution averaged over the rectangle."""
    return scale / (2 * reach) * (_box(width / scale, reach / scale, nu) - _box(-width / scale, reach / scale, nu))


def _box(centre: Array, reach: Array, nu: Array) -> Array:
    """Integrate Student's distribution function from centre - reach to centre + reach."""
    return _integral(centre + reach, nu) - _integral(centre - reach, nu)


def _integral(x: Array, nu: Array) -> Array:
    """Give an antiderivative of Student's distribution function: x F + (nu + x^2)/(nu - 1) f; Cauchy's at nu = 1."""
    cauchy = x * special.stdtr(1.0, x) - np.log1p(x * x) / (2 * np.pi)
    safe = np.maximum(nu, NEARLY_ONE)
    log_f = (
        special.gammaln((safe + 1) / 2)
        - special.gammaln(safe / 2)
        - 0.5 * np.log(safe * np.pi)
        - (safe + 1) / 2 * np.log1p(x * x / safe)
    )
    student = x * special.stdtr(safe, x) + (safe + x * x) / (safe - 1) * np.exp(log_f)
    return np.asarray(np.where(nu < NEARLY_ONE, cauchy, student), dtype=np.float64)
