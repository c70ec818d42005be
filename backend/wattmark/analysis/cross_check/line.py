"""Gain and offset of a source against the reference, where a run has levels that are well apart."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from wattmark_calibration import coverage_factor, welch_satterthwaite, york_line

from wattmark.analysis.cross_check.fitted_line import FittedLine
from wattmark.analysis.cross_check.levels import Array, Level
from wattmark.analysis.refusal import Refused
from wattmark.core.numbers import format_number
from wattmark.core.quantity import Quantity, finite

SPAN_LIMIT_PCT = 20.0
"""Levels closer than this share of the largest separate gain and offset by noise only; as for cross-calibration."""
SAME_LEVEL = 0.05
"""Levels within this share of the whole span are one."""
WORST_P = 0.05
TINY = 1e-9


def fit_line(levels: Sequence[Level]) -> FittedLine:
    """Fit the reference's power against a source's over the levels of a run. Raises `Refused` with the reason.

    Two levels give the line through them; three or more give a York line (York et al. 2004), whose uncertainties grow
    with the misfit where the levels scatter more than the comparison explains.
    """
    known = [lv for lv in levels if lv.difference.complete]
    x = np.array([lv.source_w for lv in known])
    count = _distinct(x)
    if count < 2:
        raise Refused("one-level", "The run has only one level of power, so gain and offset cannot be separated.")
    span_pct = 100 * float(np.ptp(x)) / float(np.max(np.abs(x)))
    if span_pct < SPAN_LIMIT_PCT:
        raise Refused(
            "no-span",
            f"The levels differ by only {format_number(span_pct, 2)} % of the largest; gain and offset need "
            f"{SPAN_LIMIT_PCT:g} %.",
        )
    y = np.array([lv.reference_w for lv in known])
    u = np.array([max(lv.difference.u, TINY) for lv in known])
    dof = welch_satterthwaite(u.tolist(), [lv.difference.dof for lv in known])
    if len(known) == 2:
        gain, u_gain, offset_w, u_offset_w = _through_two(x, y, u)
    else:
        try:
            # the comparison's uncertainty is that of the difference, so it stands on one axis alone
            fitted = york_line(x, y, np.full_like(x, TINY), u)
        except ValueError as error:
            raise Refused("no-line", str(error)) from None
        gain, offset_w = fitted.slope, fitted.intercept
        misfit = fitted.p_value is not None and fitted.p_value < WORST_P
        scale = fitted.scale if misfit else 1.0
        u_gain, u_offset_w = scale * fitted.u_slope, scale * fitted.u_intercept
        dof = float(fitted.dof) if misfit else dof
    of_both = {"dof": finite(dof), "k95": coverage_factor(dof)}
    return FittedLine(
        gain=Quantity(value=gain, unit="1", u=u_gain, **of_both),
        offset=Quantity(value=offset_w, unit="W", u=u_offset_w, **of_both),
        levels=count,
        low_w=float(x.min()),
        high_w=float(x.max()),
    )


def _through_two(x: Array, y: Array, u: Array) -> tuple[float, float, float, float]:
    """Compute gain, u(gain), offset and u(offset) of the line through two points (JCGM 100, 5.1.2)."""
    step = float(x[1] - x[0])
    gain = float(y[1] - y[0]) / step
    u_gain = math.hypot(u[0], u[1]) / abs(step)
    return gain, u_gain, float(y[0]) - gain * float(x[0]), math.hypot(x[1] * u[0], x[0] * u[1]) / abs(step)


def _distinct(x: Array) -> int:
    """Count the levels that are apart."""
    width = SAME_LEVEL * float(np.ptp(x)) if len(x) else 0.0
    lowest: list[float] = []
    for value in np.sort(x).tolist():
        if not lowest or value - lowest[-1] > width:
            lowest.append(value)
    return len(lowest)
