"""Trapezoids by hand, and those of InferenceX's own test: a ramp of 1 W/s from 300 W at second -2."""

from __future__ import annotations

import numpy as np
import pytest
from wattmark.analysis.energy.bracketed import bracketed_energy


def test_a_ramp_gives_the_area_under_it() -> None:
    """`utils/test_aggregate_power_multinode.py`: 60 s of a ramp from 302 to 362 W are 19,920 J."""
    t_s = np.arange(-2.0, 63.0)
    energy = bracketed_energy(t_s, 302.0 + t_s, 60.0)
    assert energy is not None
    assert energy.energy_j == pytest.approx(19_920.0, rel=1e-9)
    assert energy.longest_gap_s == pytest.approx(1.0)


def test_edges_between_readings_are_interpolated() -> None:
    """100 W at -1 s, 300 W at 1 s, 300 W at 4 s: 200 W at the begin, so 250 J and 600 J up to second 3."""
    energy = bracketed_energy(np.array([-1.0, 1.0, 4.0]), np.array([100.0, 300.0, 300.0]), 3.0)
    assert energy is not None
    assert energy.energy_j == pytest.approx(850.0)
    assert energy.longest_gap_s == pytest.approx(3.0)


@pytest.mark.parametrize("t_s", [[0.5, 1.0, 5.0], [-1.0, 1.0, 2.5], [0.0], []])
def test_a_window_that_is_not_bracketed_has_no_energy(t_s: list[float]) -> None:
    assert bracketed_energy(np.array(t_s), np.full(len(t_s), 100.0), 3.0) is None


def test_readings_on_the_edges_bracket_the_window() -> None:
    energy = bracketed_energy(np.array([0.0, 3.0]), np.array([100.0, 200.0]), 3.0)
    assert energy is not None
    assert energy.energy_j == pytest.approx(450.0)
