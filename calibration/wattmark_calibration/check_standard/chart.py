"""Control chart of a quantity that should stay as it is, such as the power of a stable load between calibrations."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import ArrayLike

from wattmark_calibration.check_standard.rules import NELSON, WESTERN_ELECTRIC, Rule

SMALLEST_BASELINE = 10
WARNING_S, ACTION_S = 2.0, 3.0
BEYOND_WARNING = "beyond 2 s of the centre"
_TEXTS = {rule.name: rule.text for rule in WESTERN_ELECTRIC + NELSON}


class Zone(StrEnum):
    """Where a reading lies."""

    IN_CONTROL = "in control"
    WARNING = "warning"
    """Beyond 2 s: repeat the check."""
    OUT_OF_CONTROL = "out of control"
    """Beyond 3 s: stop and find the cause."""


@dataclass(frozen=True, slots=True)
class Baseline:
    """Centre and standard deviation of the first readings, in their unit, and how many there were."""

    centre: float
    s: float
    count: int

    @property
    def warning_limits(self) -> tuple[float, float]:
        """Return the lower and upper warning limits, centre -+ 2 s."""
        return self.centre - WARNING_S * self.s, self.centre + WARNING_S * self.s

    @property
    def action_limits(self) -> tuple[float, float]:
        """Return the lower and upper action limits, centre -+ 3 s."""
        return self.centre - ACTION_S * self.s, self.centre + ACTION_S * self.s


@dataclass(frozen=True, slots=True)
class ChartPoint:
    """One reading on the chart: its distance from the centre in s, its zone, and the runs rules it completes."""

    value: float
    z: float
    zone: Zone
    signals: tuple[str, ...]

    @property
    def verdict(self) -> Zone:
        """Return the zone; a point that completes a runs rule is out of control wherever it lies."""
        return Zone.OUT_OF_CONTROL if self.signals else self.zone

    @property
    def violations(self) -> tuple[str, ...]:
        """Return the rules that the point breaks, in words; beyond 2 s alone is a warning, and named as one."""
        if self.zone is Zone.WARNING and not self.signals:
            return (BEYOND_WARNING,)
        return tuple(_TEXTS.get(name, name) for name in self.signals)


@dataclass(frozen=True, slots=True)
class ControlChart:
    """A baseline and the readings judged by it, in order of time."""

    baseline: Baseline
    points: tuple[ChartPoint, ...]


def baseline(readings: ArrayLike) -> Baseline:
    """Compute centre and s = standard deviation (n - 1) of the readings after a calibration, in their unit.

    Take them on different days, else s does not include day-to-day changes. Raises `ValueError` for fewer
    than 10 readings, readings that are not finite, and readings without any scatter (the last digit hides it).
    """
    values = np.asarray(readings, dtype=np.float64)
    if values.ndim != 1 or values.size < SMALLEST_BASELINE or not np.all(np.isfinite(values)):
        raise ValueError(f"A control chart needs at least {SMALLEST_BASELINE} finite readings after the calibration.")
    s = float(values.std(ddof=1))
    if s <= 1e-12 * abs(float(values.mean())):
        raise ValueError("All readings are equal; the resolution of the meter is too coarse for a control chart.")
    return Baseline(float(values.mean()), s, values.size)


def control_chart(base: Baseline, readings: Sequence[float], rules: Sequence[Rule] = WESTERN_ELECTRIC) -> ControlChart:
    """Evaluate readings in order of time by the baseline's 2 s and 3 s limits and by runs rules.

    The four Western Electric rules give a false alarm about every 92 readings, limits of 3 s alone every 370, where
    centre and s are known well (Champ and Woodall, Technometrics 29 (1987) 393). After a baseline of ten readings about
    every 17th is a false alarm: repeat a reading that is out of control before looking for the cause. Begin a new
    baseline after each calibration or change of the load.
    """
    values = np.asarray(readings, dtype=np.float64)
    if values.ndim != 1 or not np.all(np.isfinite(values)):
        raise ValueError("The readings of a control chart must be finite.")
    z = (values - base.centre) / base.s
    flags = [(rule.name, rule.signals(z)) for rule in rules]
    return ControlChart(
        base,
        tuple(
            ChartPoint(
                float(values[i]), float(z[i]), _zone(float(z[i])), tuple(name for name, flag in flags if flag[i])
            )
            for i in range(values.size)
        ),
    )


def drift_from_centre(base: Baseline, readings: ArrayLike) -> tuple[float, float]:
    """Compute the distance of the mean of recent readings from the centre, and its standard uncertainty.

    u = s sqrt(1/m + 1/n): the scatter of both means, with the baseline's s.
    """
    values = np.asarray(readings, dtype=np.float64)
    if values.ndim != 1 or values.size == 0 or not np.all(np.isfinite(values)):
        raise ValueError("A drift needs at least one finite reading.")
    return float(values.mean()) - base.centre, base.s * math.sqrt(1 / values.size + 1 / base.count)


def _zone(z: float) -> Zone:
    """Return the zone of a standardised reading."""
    if abs(z) > ACTION_S:
        return Zone.OUT_OF_CONTROL
    return Zone.WARNING if abs(z) > WARNING_S else Zone.IN_CONTROL
