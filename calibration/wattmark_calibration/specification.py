"""Maker's accuracy of a meter: limits of error and the standard uncertainty they imply."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
RECTANGULAR = math.sqrt(3.0)


@dataclass(frozen=True, slots=True)
class Specification:
    """Limit of error = reading_pct % of reading + range_pct % of range + fixed, terms added linearly.

    ``pf0_pct`` is the influence at power factor 0 in per cent of apparent power (Yokogawa IM WT310E-02EN p. 7-8);
    None where the maker states none. ``source`` names the manual and its page. Without figures from a maker there
    is no Specification: none may be invented.
    """

    reading_pct: float
    range_pct: float = 0.0
    fixed: float = 0.0
    pf0_pct: float | None = None
    source: str = ""

    def __post_init__(self) -> None:
        """Refuse figures that cannot be limits of error."""
        figures = (self.reading_pct, self.range_pct, self.fixed, self.pf0_pct or 0.0)
        if not all(math.isfinite(x) and x >= 0 for x in figures) or not any(figures):
            raise ValueError("A specification needs finite limits of error, none negative and one above 0.")

    def limit(
        self, reading: ArrayLike, range_value: ArrayLike | None = None, power_factor: ArrayLike | None = None
    ) -> Array:
        """Compute the limit of error [unit of the reading], element by element.

        ``range_value`` is the range in the unit of the reading (300 V x 2 A = 600 W); it must be given where the
        specification has a range term, else `ValueError`. ``power_factor`` None stands for 1. Source: IM WT310E-02EN
        p. 7-8, P x [a % + b % x range/S + tan(phi) x c %], which is a % P + b % range x PF + c % P tan(phi).
        """
        value = np.abs(np.asarray(reading, dtype=np.float64))
        span = self._range_part(range_value)
        limit: Array = self.reading_pct / 100 * value + self.fixed
        if self.pf0_pct is None or power_factor is None:
            return np.asarray(limit + span, dtype=np.float64)
        factor = _power_factor(power_factor)
        tangent = np.sqrt(1 - factor**2) / factor
        return np.asarray(limit + span * factor + self.pf0_pct / 100 * value * tangent, dtype=np.float64)

    def standard_uncertainty(
        self, reading: ArrayLike, range_value: ArrayLike | None = None, power_factor: ArrayLike | None = None
    ) -> Array:
        """Compute limit/sqrt(3), the limit taken as half width of a rectangle (JCGM 100 4.3.7) [unit of reading]."""
        return self.limit(reading, range_value, power_factor) / RECTANGULAR

    def _range_part(self, range_value: ArrayLike | None) -> Array:
        """Compute range_pct % of range; a range term without a range is refused."""
        if self.range_pct == 0:
            return np.asarray(0.0)
        if range_value is None:
            raise ValueError("This specification has a term in per cent of range; give the range in use.")
        return self.range_pct / 100 * np.abs(np.asarray(range_value, dtype=np.float64))


def _power_factor(power_factor: ArrayLike) -> Array:
    """Take the magnitude of the power factor; refuse what is not in (0, 1]."""
    factor = np.abs(np.asarray(power_factor, dtype=np.float64))
    if not np.all((factor > 0) & (factor <= 1)):
        raise ValueError("A power factor lies between 0 (not included) and 1.")
    return factor
