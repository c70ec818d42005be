"""Readings of one meter in a window: their number, their intervals, and the time without any."""

from __future__ import annotations

import numpy as np

from wattmark.analysis.efficiency.window import Window
from wattmark.analysis.energy.energy import losses
from wattmark.analysis.energy.trace import Trace, clean
from wattmark.analysis.verdict import Limits
from wattmark.core.schema import Schema


class Readings(Schema):
    """Readings of one meter inside a window [W]; None: there are too few, or they are those of an energy register."""

    readings: int = 0
    """Good readings strictly inside the window."""
    excluded: int = 0
    """Readings in it that do not count: unusable, over range, stale."""
    minimum_w: float | None = None
    maximum_w: float | None = None
    sd_w: float | None = None
    """Standard deviation of the single readings, not of their mean."""
    missing_s: float = 0.0
    """Time without a good reading [s]; up to the limit for gaps it is bridged, and is part of the ±. 0 for a register,
    which counts between readings as well."""
    gaps: int = 0
    """Number of stretches of that time."""


def readings_inside(trace: Trace, window: Window, limits: Limits) -> Readings:
    """Count the readings of a meter inside the window, with extremes and scatter [W].

    Raises `Refused` where no usable reading was recorded near the window.
    """
    cleaned = clean(trace, window)
    inside = cleaned.value[cleaned.inside]
    excluded = int(np.count_nonzero((cleaned.bad_t_s > 0) & (cleaned.bad_t_s < window.duration_s)))
    if trace.instrument.kind == "counter":
        return Readings(readings=len(inside), excluded=excluded)
    lost = losses(cleaned, limits)
    return Readings(
        readings=len(inside),
        excluded=excluded,
        minimum_w=float(inside.min()) if len(inside) else None,
        maximum_w=float(inside.max()) if len(inside) else None,
        sd_w=float(inside.std(ddof=1)) if len(inside) > 1 else None,
        missing_s=lost.lost_s,
        gaps=lost.gaps,
    )
