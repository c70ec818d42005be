"""Uncertainty of a quotient of two correlated quantities (JCGM 100 5.2.2, example H.2)."""

from __future__ import annotations

import math


def ratio_uncertainty(x: float, u_x: float, y: float, u_y: float, r: float = 0.0) -> float:
    """Compute the standard uncertainty of x/y with correlation r between x and y [unit of x/y].

    A negative r makes the ratio less certain, a positive one more. Raises `ValueError` for y = 0 or |r| > 1.
    """
    if y == 0 or not -1 <= r <= 1:
        raise ValueError("A ratio needs a divisor other than 0 and a correlation between -1 and 1.")
    variance = (u_x / y) ** 2 + (x * u_y / y**2) ** 2 - 2 * r * (x / y**3) * u_x * u_y
    return math.sqrt(max(variance, 0.0))
