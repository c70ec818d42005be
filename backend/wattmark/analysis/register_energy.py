"""What an energy register counted: differences of its readings, continued past its roll-over."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from wattmark.analysis.piecewise import PiecewisePower
from wattmark.analysis.refusal import Refused
from wattmark.analysis.trace import CleanTrace

Array = NDArray[np.float64]
JOULE_PER_WH = 3600.0
PLAUSIBLE = 10.0


def register_power(trace: CleanTrace, duration_s: float) -> PiecewisePower:
    """Turn a register's readings [Wh] into mean power between them [W]; gaps inside the window do not matter.

    Raises `Refused` where it was not read on both sides of the window, and where it ran backwards without rolling over
    at its declared modulus.
    """
    name, t_s = trace.instrument.name, trace.t_s
    if len(t_s) < 2 or t_s[0] > 0 or t_s[-1] < duration_s:
        raise Refused("register-edges", f"The register of {name} was not read before and after the window.")
    step_j = np.diff(unwrapped(t_s, trace.value, trace.instrument.wraps_at)) * JOULE_PER_WH
    if np.any(step_j < 0):
        raise Refused("register-backwards", f"The register of {name} ran backwards: it rolled over or was reset.")
    watts = step_j / np.diff(t_s)
    return PiecewisePower(t_s, watts, watts, np.ones(len(watts), dtype=np.bool_))


def unwrapped(t_s: Array, value: Array, wraps_at: float | None) -> Array:
    """Continue a register past the value at which it begins again at 0 [unit of value].

    A step back is a roll-over only where the power that it then means is at most `PLAUSIBLE` times the highest that the
    other steps show; any other is a reset and stays as it is.
    """
    step = np.diff(value)
    back = step < 0
    if wraps_at is None or not back.any():
        return value
    rate = np.where(back, step + wraps_at, step) / np.diff(t_s)
    fastest = float(rate[~back].max(initial=0.0))
    over = back & (rate >= 0) & (rate <= PLAUSIBLE * fastest)
    return np.asarray(value + wraps_at * np.concatenate(([0], np.cumsum(over))), dtype=np.float64)


def last_digit(trace: CleanTrace) -> float | None:
    """Give the step of a register [Wh]: the declared one, or a coarser one that its readings show; None: not known.

    A register in single precision loses digits as it fills. Its own step shows only where some readings repeat.
    """
    step = np.abs(np.diff(trace.value))
    moved = step[step > 0]
    seen = [float(moved.min())] if 0 < len(moved) < len(step) else []
    declared = trace.instrument.resolution
    return max([*seen, *([] if declared is None else [declared])], default=None)
