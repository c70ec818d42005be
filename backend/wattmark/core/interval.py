"""A 95 % interval whose ends need not be symmetric."""

from __future__ import annotations

from wattmark.core.schema import Schema


class Interval95(Schema):
    """A value with its 95 % interval and degrees of freedom.

    Not a `Quantity`, whose ± is symmetric and complete: ends from logarithms, inverses and Fieller are neither always.
    """

    value: float
    low: float
    high: float
    u: float
    dof: float | None = None
    complete: bool = True
    """Whether it is a ± of the figure. False: it holds the scatter of repeats only, because nothing is known about an
    instrument; it orders and compares, and is never shown as ±."""


def half_width(low: float | None, high: float | None) -> float | None:
    """Compute half the width of a 95 % interval [its unit]; None where an end is not known."""
    return None if low is None or high is None else (high - low) / 2
