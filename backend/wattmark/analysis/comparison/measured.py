"""A measured figure with its scatter, and the checks that every table of figures must pass first."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from wattmark_calibration import welch_satterthwaite

from wattmark.analysis.comparison.comparison import Estimate
from wattmark.analysis.refusal import Refused

Array = NDArray[np.float64]
SMALLEST, LARGEST = 1e-30, 1e30
"""Beyond these a number is a fault of a file or a unit, and squares of it would leave floating point."""


@dataclass(frozen=True, slots=True)
class Measured:
    """A measured value with standard uncertainty ``u`` [same unit] and degrees of freedom; ``u`` None: not known.

    ``u`` is the part that two figures do not share: what the same meter on the same range adds to both cancels in
    their ratio and is excluded by whoever builds the table. Raises `Refused` for values that are not a measurement.
    """

    value: float
    u: float | None = None
    dof: float = math.inf

    def __post_init__(self) -> None:
        """Refuse values, uncertainties and degrees of freedom that no measurement can have."""
        if not math.isfinite(self.value) or not (self.u is None or math.isfinite(self.u)):
            raise Refused(
                "not-finite", "A value or its uncertainty is not a finite number; exclude it or repeat the run."
            )
        if self.u is not None and self.u < 0:
            raise Refused("negative-uncertainty", f"An uncertainty is {self.u:g}; it must not be negative.")
        if not self.dof >= 1:
            raise Refused("no-freedom", f"There are {self.dof:g} degrees of freedom; repeat the run at least once.")

    @property
    def relative_u(self) -> float | None:
        """Compute u/|value| [1]; None where u is not known, infinite for the value 0."""
        if self.u is None:
            return None
        return self.u / abs(self.value) if self.value else math.inf


def measured(values: ArrayLike, u: ArrayLike | None = None, dof: float = math.inf) -> tuple[Measured, ...]:
    """Build figures from an array of values and one of standard uncertainties (or one for all)."""
    column = _column(values)
    if u is None:
        return tuple(Measured(float(v)) for v in column)
    spread = np.asarray(u, dtype=np.float64)
    if spread.ndim and spread.shape != column.shape:
        raise Refused(
            "unequal-lengths",
            f"{len(column)} values came with {spread.size} uncertainties; give one uncertainty per value.",
        )
    return tuple(
        Measured(float(v), float(s), dof) for v, s in zip(column, np.broadcast_to(spread, column.shape), strict=True)
    )


def _column(values: ArrayLike) -> Array:
    column = np.asarray(values, dtype=np.float64)
    if column.ndim != 1:
        raise Refused("not-a-column", "Values must be a one-dimensional array.")
    return column


def values_of(figures: Sequence[Measured]) -> Array:
    """Return the values as an array."""
    return np.array([figure.value for figure in figures], dtype=np.float64)


def require_positive(values: ArrayLike, title: str) -> Array:
    """Return the values as an array; `Refused` unless all are finite, above zero and of a scale that meters know.

    ``what`` names the values in the text.
    """
    column = _column(values)
    if not np.all(np.isfinite(column)):
        raise Refused("not-finite", f"{title}: a value is not a finite number; exclude it or repeat the run.")
    if np.any(column < 0):
        raise Refused("negative", f"{title}: {column.min():g} is negative; correct the table.")
    if np.any(column == 0):
        raise Refused("zero", f"{title}: a value is 0; exclude it or repeat the run.")
    if np.any((column < SMALLEST) | (column > LARGEST)):
        raise Refused(
            "out-of-scale",
            f"{title}: a value is outside the plausible range of {SMALLEST:g} to {LARGEST:g}; correct it or exclude "
            "the run.",
        )
    return column


def require_resolved(figures: Sequence[Measured]) -> None:
    """Raise `Refused` where a figure does not exceed its own uncertainty: relative errors are then meaningless."""
    if any(figure.u is not None and figure.u >= abs(figure.value) for figure in figures):
        raise Refused(
            "too-uncertain", "A value is not larger than its own uncertainty; repeat the run before comparing."
        )


def require_levels(levels: ArrayLike, count: int, distinct: int) -> Array:
    """Return the levels as an array; `Refused` unless there is one per figure and enough distinct ones."""
    column = require_positive(levels, "Levels")
    if len(column) != count:
        raise Refused("unequal-lengths", f"{len(column)} levels came with {count} values; give one value per level.")
    if len(column) < 2:
        raise Refused("one-point", "One level does not make a curve; measure at least one more level.")
    n_distinct = len(np.unique(column))
    if n_distinct < 2:
        raise Refused("equal-levels", "All levels are equal; measure at least one more level.")
    if n_distinct < distinct:
        raise Refused("few-levels", f"{n_distinct} distinct levels were measured; this needs {distinct}.")
    return column


def ratio_estimate(a: Measured, b: Measured) -> Estimate | None:
    """Estimate a/b on the log scale from scatter that the two do not share; None where either scatter is not known.

    Raises `Refused` for figures that are not positive, or whose u is as large as the figure ("too-uncertain").
    """
    require_positive([a.value, b.value], "A ratio")
    require_resolved((a, b))
    if a.relative_u is None or b.relative_u is None:
        return None
    parts = [a.relative_u, b.relative_u]
    return Estimate(math.log(a.value / b.value), math.hypot(*parts), welch_satterthwaite(parts, [a.dof, b.dof]))
