"""Power behind sliding means: readings that each average over longer than the time between two of them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wattmark.analysis.energy.piecewise import PiecewisePower

Array = NDArray[np.float64]
ROUNDING = 1e-6
"""A quotient of two times that is this near to a whole number is that number."""
STRETCHES = (1, 2)
"""Parts of an averaging time in which to search for readings that change little. Of swings that are half as long
as the averaging time or longer, readings stand still for less than half of it."""
LEAST_CHANGE = 1e-3
"""Power that is assumed constant is allowed to change by this share."""
SECOND_DIFFERENCE = 6.0
"""Variance of x - 2 y + z of independent values, by that of one."""
CHI_SQUARED_MEDIAN = 0.455
"""Median of a chi-squared variable of one degree of freedom."""


@dataclass(frozen=True, slots=True)
class UnfoldedPower:
    """Power whose sliding means the readings are, and what stays open of its integral.

    ``spread`` is the variance of the readings where they change least, for stretches as long as one averaging time
    [W^2]: there power was taken as constant. ``noise`` is the variance that neighbours do not share [W^2].
    """

    power: PiecewisePower
    averaging_s: float
    spread: float
    noise: float

    def u_energy_j(self, duration_s: float) -> float:
        """Compute the standard uncertainty of the integral over ``duration_s`` from unfolding [J].

        The integral is that of whole averaging times, which the readings are means of, and of a rest. Power within one
        averaging time before the steadiest readings is taken as constant; fluctuation there returns in every later one
        with no effect on its mean, and so counts for the rest alone. Readings over one averaging time A that are
        differences of such fluctuations, a random walk, have a third of its variance over A; a bridge over A has the
        share r (A - r)/A^2 of it over the rest r.
        """
        rest_s = math.fmod(duration_s, self.averaging_s)
        pattern = 3 * self.spread * rest_s * (self.averaging_s - rest_s)
        return math.sqrt(pattern + self.noise * self.averaging_s * (duration_s + 2 * self.averaging_s))


def unfolded(t_s: Array, value: Array, averaging_s: float, period_s: float) -> UnfoldedPower | None:
    """Recover power from means over the ``averaging_s`` that end at each stamp; None for a record shorter than that.

    Two such means a period apart give the change of power since one averaging time before, so all power follows
    from that over one averaging time: assumed constant before the readings that change least (decision 0067). A load
    that repeats exactly once an averaging time cannot be seen, as in any mean.
    """
    cells = max(math.ceil(averaging_s / period_s - ROUNDING), 1)
    step_s = averaging_s / cells
    grid = t_s[0] + step_s * np.arange(int((t_s[-1] - t_s[0]) / step_s + ROUNDING) + 1)
    if len(grid) <= cells:
        return None
    mean_w = np.interp(grid, t_s, value)
    # cell j ends at grid[j - cells + 1]: the first `cells` of them lie before the first reading
    change_w = np.concatenate((np.zeros(cells), cells * np.diff(mean_w)))
    # a mean of n cells changes by 1/n of the difference between the cell that enters and the one that leaves, so each
    # column of cells one averaging time apart is a running sum of such differences
    rows = -(-len(change_w) // cells)
    padded = np.concatenate((change_w, np.zeros(rows * cells - len(change_w)))).reshape(rows, cells)
    power_w = np.cumsum(padded, axis=0).ravel()[: len(change_w)]
    steadiest, spread = _steadiest(mean_w, cells)
    anchor = np.arange(steadiest, steadiest + cells)
    level = np.empty(cells)
    level[anchor % cells] = mean_w[steadiest] - power_w[anchor]
    power_w += level[np.arange(len(power_w)) % cells]
    knots = np.concatenate((grid[0] - step_s * np.arange(cells, 0, -1), grid))
    covered = np.ones(len(power_w), dtype=np.bool_)
    power = PiecewisePower(np.asarray(knots, dtype=np.float64), power_w, power_w, covered)
    return UnfoldedPower(power, averaging_s, spread, _noise(value))


def _noise(x: Array) -> float:
    """Compute the variance that neighbours do not share, by the median second difference [unit of x, squared].

    Sliding means change at an even rate wherever power stands still, whatever that rate is.
    """
    if len(x) < 3:
        return 0.0
    return float(np.median(np.diff(x, 2) ** 2)) / (SECOND_DIFFERENCE * CHI_SQUARED_MEDIAN)


def _steadiest(mean_w: Array, cells: int) -> tuple[int, float]:
    """Find where readings change least, and their variance there for a stretch of one averaging time [W^2].

    Shorter stretches show less variance and are scaled up, as for a random walk over the whole time.
    """
    least = (LEAST_CHANGE * float(np.abs(mean_w).mean())) ** 2
    best = (0, math.inf)
    for share in STRETCHES:
        width = max(cells // share, 1)
        if width >= len(mean_w):
            continue
        variance = (_variances(mean_w, width + 1) + least) * share**3
        first = int(np.argmin(variance))
        best = min(best, (first, float(variance[first])), key=lambda place: place[1])
    return best


def _variances(x: Array, n: int) -> Array:
    """Compute the variance of each stretch of ``n`` neighbours [unit of x, squared]."""
    centred = x - x.mean()
    sums, squares = (np.concatenate(([0.0], np.cumsum(y))) for y in (centred, centred**2))
    variance = (squares[n:] - squares[:-n]) / n - ((sums[n:] - sums[:-n]) / n) ** 2
    return np.asarray(np.maximum(variance, 0.0), dtype=np.float64)
