"""Readings of one meter in a window: their number, their intervals, and the time without any."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from wattmark.analysis.efficiency.window import Window
from wattmark.analysis.energy.energy import losses
from wattmark.analysis.energy.trace import Trace, clean
from wattmark.analysis.verdict import Limits


@dataclass(frozen=True, slots=True)
class Readings:
    """Readings of one meter inside a window [W]; None: there are too few, or they are those of an energy register."""

    count: int
    """Good readings strictly inside the window."""
    excluded: int
    """Readings in it that do not count: unusable, over range, stale."""
    minimum_w: float | None
    maximum_w: float | None
    sd_w: float | None
    """Standard deviation of the single readings, not of their mean."""
    missing_s: float
    """Time of the window without a good reading; 0 for a register, which counts between readings as well."""
    gaps: int
    """Number of stretches of that time."""


def readings_inside(trace: Trace, window: Window, limits: Limits) -> Readings:
    """Count the readings of a meter inside the window, with extremes and scatter [W].

    Raises `Refused` where no usable reading was recorded near the window.
    """
    cleaned = clean(trace, window)
    inside = cleaned.value[cleaned.inside]
    excluded = int(np.count_nonzero((cleaned.bad_t_s > 0) & (cleaned.bad_t_s < window.duration_s)))
    if trace.instrument.kind == "counter":
        return Readings(len(inside), excluded, None, None, None, 0.0, 0)
    lost = losses(cleaned, limits)
    return Readings(
        count=len(inside),
        excluded=excluded,
        minimum_w=float(inside.min()) if len(inside) else None,
        maximum_w=float(inside.max()) if len(inside) else None,
        sd_w=float(inside.std(ddof=1)) if len(inside) > 1 else None,
        missing_s=lost.lost_s,
        gaps=lost.gaps,
    )
