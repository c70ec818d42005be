"""The robust twin of a fitted slope."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def theil_sen_slope(x: NDArray[np.float64], y: NDArray[np.float64]) -> float:
    """Compute the median slope over all pairs of points with different x [unit of y / unit of x].

    Theil 1950, Sen 1968. Looks at n squared pairs: average long series first. NaN where all x are equal. Written out
    because importing scipy.stats for it takes longer than everything else that a command needs to start.
    """
    first, second = np.triu_indices(len(x), k=1)
    run, rise = x[second] - x[first], y[second] - y[first]
    apart = run != 0
    return float(np.median(rise[apart] / run[apart])) if apart.any() else float("nan")
