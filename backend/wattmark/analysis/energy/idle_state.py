"""Power of an idle server as IEC 62301 measures low power: is it stable, and how uncertain may it be?

IEC 62301:2011 (EN 50564): the sampling method of 5.3.2, the limit of uncertainty of 4.4.1. Which of these numbers a
source confirms: `analysis.rules.iec62301`.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from wattmark.analysis.comparison.measured import require_positive
from wattmark.analysis.refusal import Refused

DISCARDED = 1 / 3
"""Share of the period that is not judged: its first third (5.3.2)."""
LOW_W = 1.0
"""Up to here limits are absolute, above they are relative [W]."""
SLOPE_LOW_W_PER_H = 0.010
SLOPE_PCT_PER_H = 1.0
USUAL_CURRENT_RATIO = 10.0
"""Crest factor over power factor up to which the limit of uncertainty is the plain one."""
PLAIN_LIMIT = 0.02
"""Of the power; below 1 W it is watts."""
FEWEST = 3
SECONDS_PER_HOUR = 3600.0


def slope_share(t_s: ArrayLike, power_w: ArrayLike, duration_s: float) -> float:
    """Compute the trend of the last two thirds of a period (0, ``duration_s``), as a share of its limit [1].

    The trend is the slope of a straight line through all readings by least squares [W/h]; its limit is 1 % of their
    mean per hour, and 10 mW/h up to 1 W. Power is stable up to 1, whatever the sign. Raises `Refused` for too few
    readings.
    """
    t, watts = np.asarray(t_s, dtype=np.float64), require_positive(power_w, "Watts of an idle server")
    judged = t > DISCARDED * duration_s
    if int(judged.sum()) < FEWEST or not float(np.ptp(t[judged])) > 0:
        raise Refused("too-few", "There are too few readings in the last two thirds of the period to fit a trend.")
    slope_w_per_h = float(np.polyfit(t[judged] - t[judged].mean(), watts[judged], 1)[0]) * SECONDS_PER_HOUR
    mean_w = float(watts[judged].mean())
    limit = SLOPE_LOW_W_PER_H if mean_w <= LOW_W else SLOPE_PCT_PER_H / 100 * mean_w
    return slope_w_per_h / limit


def current_ratio(crest_factor: float, power_factor: float) -> float:
    """Compute the maximum current ratio [1]: crest factor of the current over power factor."""
    crest, factor = require_positive([crest_factor, power_factor], "Crest factor and power factor")
    return float(crest / factor)


def uncertainty_limit_w(power_w: float, ratio: float | None) -> float:
    """Compute how large the expanded uncertainty (95 %) of a power may be [W].

    2 % of the power, or 0.02 W below 1 W. With a maximum current ratio above 10 the 2 % become
    2 % x (1 + 0.08 (ratio - 10)), and below 1 W the greater of both counts. ``ratio`` None: not known; the limit is
    then the strictest.
    """
    watts = float(require_positive([power_w], "Power")[0])
    above = max(0.0, (ratio if ratio is not None and math.isfinite(ratio) else 0.0) - USUAL_CURRENT_RATIO)
    relative_w = PLAIN_LIMIT * (1 + 0.08 * above) * watts
    return relative_w if watts >= LOW_W else max(PLAIN_LIMIT, relative_w)
