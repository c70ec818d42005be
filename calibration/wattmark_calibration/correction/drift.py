"""Drift of a meter between two calibrations."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from wattmark_calibration.budget import Contribution
from wattmark_calibration.correction.model import CorrectionModel


def drift_contribution(left: CorrectionModel, as_found: CorrectionModel, power_w: float) -> Contribution:
    """Compute |as found now - as left last| / sqrt(3) at a power and power factor 1 [W] (method 2).

    ``left`` is the model of the points in use after the last calibration, ``found`` of the as-found points of the
    next; the meter's range must be the same. Raises `ValueError` for two different ranges.
    """
    if left.range.name != as_found.range.name:
        raise ValueError(
            f"Drift can be computed only within one range, not between {left.range.name} and {as_found.range.name}."
        )
    moved = abs(as_found.correction(power_w) - left.correction(power_w))
    note = f"moved by {moved:.4g} W"
    u = moved / math.sqrt(3.0)
    return Contribution("Drift between calibrations", u, "B", note=note, distribution="rectangular", kind="drift")


def error_curve(model: CorrectionModel, powers_w: ArrayLike) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Compute the meter's error (indication - reference) and its standard uncertainty at powers, factor 1 [W]."""
    powers = np.asarray(powers_w, dtype=np.float64)
    x = np.column_stack([np.ones_like(powers), powers, np.zeros_like(powers)])
    variance = np.einsum("ij,jk,ik->i", x, model.covariance, x)
    return -(x @ model.parameters), np.sqrt(np.maximum(variance, 0.0))
