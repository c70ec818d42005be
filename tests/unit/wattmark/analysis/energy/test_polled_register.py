"""A command that a meter sees come and go: its register is up to a period old whenever it is polled.

Truth is known: the load is drawn, the meter averages each of its own periods, and the poll comes at any phase of them.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from wattmark.analysis.energy.power import Limits, analyse_power

TRIALS = 120
LEAST = 0.95 - 3 * math.sqrt(0.95 * 0.05 / TRIALS)
BASE_W = 100.0


def energy_j(t_s: np.ndarray, end_s: float, first_w: float, last_w: float) -> np.ndarray:
    """Integrate the power from long before the command up to t_s [J]: it starts at 0 s, and rises all along."""
    inside = np.clip(t_s, 0.0, end_s)
    return BASE_W * (t_s + 100) + (first_w - BASE_W) * inside + (last_w - first_w) / end_s * inside**2 / 2


@pytest.mark.parametrize(
    ("end_s", "first_w", "last_w"),
    [
        (3.0, 300, 300),
        (6.3, 300, 300),
        (5.0, 100, 500),
        (10.0, 300, 300),
        (20.0, 300, 300),
        (5.0, 120, 120),
        (4.0, 500, 100),
    ],
)
def test_the_interval_holds_the_truth_at_any_phase(make_trace, make_window, end_s, first_w, last_w):
    rng, held = np.random.default_rng(5), 0
    truth_w = float(np.diff(energy_j(np.array([0.0, end_s]), end_s, first_w, last_w))[0]) / end_s
    for phase, poll in rng.uniform(0.0, 1.0, (TRIALS, 2)):
        t_s = np.arange(-8.0, end_s + 9.0) + poll
        latest_s = np.floor(t_s - phase) + phase  # end of the last of its periods that is over
        watts = energy_j(latest_s, end_s, first_w, last_w) - energy_j(latest_s - 1, end_s, first_w, last_w)
        watts *= 1 + 0.003 * rng.normal(size=len(watts))
        trace = make_trace(t_s, watts, kind="averaged", period_s=1.0, u_latency_s=None)
        mean = analyse_power([trace], make_window(end_s), Limits()).mean
        held += abs(mean.value - truth_w) <= mean.k95 * mean.u
    assert held / TRIALS >= LEAST
