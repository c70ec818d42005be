"""Energy between the first and the last reading inside the window, as EE HPC level 3 defines it."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from wattmark.analysis.energy import WindowEnergy, window_energy
from wattmark.analysis.limits import Limits
from wattmark.analysis.piecewise import PiecewisePower
from wattmark.analysis.refusal import Refused
from wattmark.analysis.trace import CleanTrace

NOTHING_CUT = (0.0, 0.0)
"""No stretch between readings reaches over an edge."""


def energy_between_readings(trace: CleanTrace, duration_s: float, limits: Limits) -> WindowEnergy:
    """Integrate one meter from its first to its last reading inside (0, duration), as power over the whole window [J].

    Nothing is interpolated at the marks: power is the energy between those readings over the time between them, and
    the energy of the window is that power times its length (EEHPCWG methodology, level 3). Raises `Refused` where
    fewer than two readings lie inside.
    """
    cut, first_s, span_s = between_readings(trace, duration_s)
    part = window_energy(cut, span_s, limits)
    scale = duration_s / span_s
    return replace(
        part,
        power=_over_the_window(part.power, first_s, duration_s),
        energy_j=part.energy_j * scale,
        low_j=part.low_j * scale,
        high_j=None if part.high_j is None else part.high_j * scale,
        u_energy_j=None if part.u_energy_j is None else part.u_energy_j * scale,
        cells_s=NOTHING_CUT,
    )


def between_readings(trace: CleanTrace, duration_s: float) -> tuple[CleanTrace, float, float]:
    """Keep the readings in [0, duration], time 0 at the first: (trace, time of the first [s], time to the last [s]).

    Raises `Refused` for fewer than two readings.
    """
    inside = (trace.t_s >= 0) & (trace.t_s <= duration_s)
    t_s = trace.t_s[inside]
    if len(t_s) < 2:
        name = trace.instrument.name
        raise Refused("few-readings", f"Level 3 needs two readings of {name} inside the core phase; read it oftener.")
    first_s = float(t_s[0])
    cut = replace(trace, t_s=t_s - first_s, value=trace.value[inside], bad_t_s=trace.bad_t_s - first_s)
    return cut, first_s, float(t_s[-1] - t_s[0])


def _over_the_window(power: PiecewisePower, first_s: float, duration_s: float) -> PiecewisePower:
    """Set power back on the window's axis and hold its outermost pieces to the window's edges."""
    t_s = power.t_s + first_s
    t_s[0], t_s[-1] = min(t_s[0], 0.0), max(t_s[-1], duration_s)
    return replace(power, t_s=np.asarray(t_s))
