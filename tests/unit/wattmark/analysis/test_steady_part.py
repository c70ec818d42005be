"""The steady part of an unsteady window is found, and suggested only."""

import numpy as np
import pytest
from wattmark.analysis.efficiency.steady_state import steady_part
from wattmark.analysis.energy.power import analyse_power
from wattmark.analysis.verdict import Limits

LIMITS = Limits()


def noisy(level_w):
    return level_w + np.random.default_rng(7).normal(0, 0.5, len(level_w))


def test_a_warm_up_is_excluded():
    """Power rises by 30 W over the first 200 of 600 s and holds then."""
    t_s = np.arange(0.5, 600.0)
    part = steady_part(t_s, noisy(220 + np.minimum(t_s / 200, 1) * 30), 600.0, LIMITS)
    assert part is not None
    assert 150 <= part.begin_s <= 260
    assert part.end_s == 600.0
    assert part.mean_w == pytest.approx(250, abs=1)


def test_a_throttled_end_is_excluded():
    """A step of 10 % after 400 of 600 s: the larger part before it is steady up to the step."""
    t_s = np.arange(0.5, 600.0)
    part = steady_part(t_s, noisy(np.where(t_s < 400, 300.0, 270.0)), 600.0, LIMITS)
    assert part is not None
    assert (part.begin_s, part.end_s) == (0.0, pytest.approx(400, abs=5))


def test_a_drift_all_along_has_no_steady_part():
    t_s = np.arange(0.5, 240.0)
    assert steady_part(t_s, noisy(200 + t_s / 2), 240.0, LIMITS) is None


def test_it_is_never_applied(make_trace, make_window):
    t_s = np.arange(-5.0, 606.0)
    watts = noisy(np.where(t_s <= 400, 300.0, 240.0))
    power = analyse_power([make_trace(t_s, watts)], make_window(600), LIMITS)
    assert power.steady is False
    assert power.steady_part is not None
    assert power.mean.value == pytest.approx(280, abs=0.5)


def test_a_steady_window_suggests_nothing(make_trace, make_window):
    t_s = np.arange(-5.0, 606.0)
    assert (
        analyse_power([make_trace(t_s, noisy(np.full(len(t_s), 300.0)))], make_window(600), LIMITS).steady_part is None
    )


def test_a_log_of_days_has_its_steady_part_too():
    """A step of 10 % after 200,000 of 300,000 s: found to a cell, of which the log has some 4,000."""
    t_s = np.arange(0.5, 300_000.0)
    part = steady_part(t_s, noisy(np.where(t_s < 200_000, 300.0, 270.0)), 300_000.0, LIMITS)
    assert part is not None
    assert (part.begin_s, part.end_s) == (0.0, pytest.approx(200_000, abs=75))
    assert part.mean_w == pytest.approx(300, abs=0.01)
