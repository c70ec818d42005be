"""A value with its uncertainty budget, and the uncertainty of a quotient (JCGM 100:2008, clauses 5 and G.4)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal

from wattmark_calibration.coverage import coverage_factor, half_width, mixed_dof

INFINITE = math.inf
Kind = Literal[
    "scatter",
    "repeats",
    "sampling",
    "instrument",
    "resolution",
    "drift",
    "temperature",
    "power factor",
    "window and clock",
    "gaps",
    "wiring",
    "throughput",
]
"""Cause of a contribution, and so what would reduce it."""


@dataclass(frozen=True, slots=True)
class Contribution:
    """One term of a budget: standard uncertainty of an input times its sensitivity.

    ``u`` is in the unit of the input, ``sensitivity`` converts it to the unit of the result. Two results whose
    contributions share a ``correlation_group`` share the very same error (same meter, range and certificate).
    ``value`` is the estimate of the input in its ``unit``; None where it has none of its own (scatter). A rectangular
    ``distribution`` says that the error cannot exceed sqrt(3) u. ``parts`` split u into terms that add up linearly.
    """

    name: str
    u: float
    evaluation: Literal["A", "B"]
    dof: float = INFINITE
    sensitivity: float = 1.0
    correlation_group: str | None = None
    note: str = ""
    value: float | None = None
    unit: str = ""
    distribution: Literal["normal", "rectangular"] = "normal"
    parts: tuple[tuple[str, float], ...] = ()
    kind: Kind = "instrument"

    @property
    def u_result(self) -> float:
        """Compute |sensitivity| x u [unit of the result]."""
        return abs(self.sensitivity) * self.u


@dataclass(frozen=True, slots=True)
class UncertainValue:
    """A value, its unit and its budget. Without a traceable instrument term ``complete`` is False."""

    value: float
    unit: str
    contributions: Sequence[Contribution] = field(default=())
    complete: bool = True

    @property
    def u(self) -> float:
        """Combine the standard uncertainty in quadrature [unit of the value]."""
        return math.sqrt(math.fsum(c.u_result**2 for c in self.contributions))

    @property
    def dof(self) -> float:
        """Compute effective degrees of freedom by Welch-Satterthwaite (JCGM 100 G.4.1)."""
        return welch_satterthwaite([c.u_result for c in self.contributions], [c.dof for c in self.contributions])

    @property
    def k95(self) -> float:
        """Compute the coverage factor for 95 %: Student's, unless a rectangular error counts.

        The largest rectangular term enters as it is, everything else as Student's t with its own effective degrees of
        freedom; where it dominates, k falls towards 1.65 (EA-4/02 M:2022 S9.14), since no error exceeds its limit.
        """
        largest = self.largest_rectangle
        if largest is None:
            return coverage_factor(self.dof)
        others = [c for c in self.contributions if c is not largest]
        rest = math.sqrt(math.fsum(c.u_result**2 for c in others))
        dof = welch_satterthwaite([c.u_result for c in others], [c.dof for c in others])
        return float(half_width(rest, mixed_dof(rest, dof, largest.u_result), largest.u_result)) / self.u

    @property
    def largest_rectangle(self) -> Contribution | None:
        """Find the largest term that is known to be rectangular; None where there is none."""
        rectangular = [c for c in self.contributions if c.distribution == "rectangular" and c.u_result > 0]
        return max(rectangular, key=lambda c: c.u_result, default=None)

    @property
    def expanded_u(self) -> float:
        """Compute the expanded uncertainty at 95 % [unit of the value]."""
        return self.k95 * self.u


def welch_satterthwaite(u: Sequence[float], dof: Sequence[float]) -> float:
    """Compute effective degrees of freedom; infinity when every term with weight has infinite ones.

    They do not depend on the unit of ``u``, so terms enter as shares of the largest: no fourth power leaves the floats.
    """
    largest = max(u, default=0.0)
    if largest == 0:
        return INFINITE
    shares = [x / largest for x in u]
    total = math.fsum(x * x for x in shares)
    denominator = math.fsum(x**4 / v for x, v in zip(shares, dof, strict=True) if math.isfinite(v) and x > 0)
    return INFINITE if denominator == 0 else total * total / denominator


def ratio_uncertainty(x: float, u_x: float, y: float, u_y: float, r: float = 0.0) -> float:
    """Compute the standard uncertainty of x/y with correlation r between x and y [unit of x/y] (JCGM 100 5.2.2, H.2).

    A negative r makes the ratio less certain, a positive one more. Raises `ValueError` for y = 0 or |r| > 1.
    """
    if y == 0 or not -1 <= r <= 1:
        raise ValueError("A ratio needs a non-zero divisor and a correlation between -1 and 1.")
    variance = (u_x / y) ** 2 + (x * u_y / y**2) ** 2 - 2 * r * (x / y**3) * u_x * u_y
    return math.sqrt(max(variance, 0.0))
