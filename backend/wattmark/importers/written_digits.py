"""With how many digits the numbers of a column are written, as their values show."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_MOST_DECIMALS = 6
_AS_WRITTEN = 1e-9


def half_digit(column: NDArray[np.float64]) -> float:
    """Return half of the last digit with which a column is written; 0 for very many digits."""
    column = column[np.isfinite(column)]
    for decimals in range(_MOST_DECIMALS):
        if np.abs(np.round(column, decimals) - column).max(initial=0.0) <= _AS_WRITTEN:
            return float(0.5 * 10.0**-decimals)
    return 0.0
