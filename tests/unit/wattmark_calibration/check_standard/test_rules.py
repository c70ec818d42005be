"""Runs rules: patterns from Nelson (1984) and the Western Electric handbook; run lengths from Champ and Woodall."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_calibration.check_standard.rules import NELSON, WESTERN_ELECTRIC

RULES = {rule.name: rule for rule in (*WESTERN_ELECTRIC, *NELSON)}


def signalled(name, z):
    """Give the positions, counted from 1, that a rule marks."""
    return [int(i) + 1 for i in np.flatnonzero(RULES[name].signals(np.array(z, dtype=float)))]


@pytest.mark.parametrize(
    ("name", "z", "positions"),
    [
        ("WE 1", [0, 3.1, 3.0, -3.2], [2, 4]),
        ("WE 2", [2.1, 0, 2.1], [3]),
        ("WE 2", [2.1, 0, -2.1], []),
        ("WE 2", [2.1, 2.1, 0], [2]),
        ("WE 2", [2.1, 0, 0, 2.1], []),
        ("WE 3", [1.1, 1.1, 0, 1.1, 1.1], [5]),
        ("WE 3", [1.1, 1.1, -1.1, 1.1, -1.1], []),
        ("WE 4", [0.1] * 7, []),
        ("WE 4", [0.1] * 9, [8, 9]),
        ("WE 4", [0.1] * 7 + [0, 0.1], []),
        ("Nelson 2", [-0.1] * 9, [9]),
        ("Nelson 2", [-0.1] * 8 + [0.1], []),
        ("Nelson 3", [1, 2, 3, 4, 5], []),
        ("Nelson 3", [1, 2, 3, 4, 5, 6], [6]),
        ("Nelson 3", [6, 5, 4, 3, 2, 1, 0], [6, 7]),
        ("Nelson 3", [1, 2, 3, 3, 4, 5, 6], []),
        ("Nelson 4", [0, 1] * 7, [14]),
        ("Nelson 4", [0, 1] * 6 + [0], []),
        ("Nelson 4", [0, 1] * 6 + [2, 1], []),
        ("Nelson 5", [-2.1, -2.2], [2]),
        ("Nelson 6", [-1.1] * 4, [4]),
        ("Nelson 7", [0.5, -0.5] * 8, [15, 16]),
        ("Nelson 7", [0.5] * 7 + [1.5] + [0.5] * 7, []),
        ("Nelson 8", [1.5, -1.5] * 4, [8]),
        ("Nelson 8", [1.5] * 8, []),
        ("Nelson 8", [1.5, -1.5] * 3 + [0.5, 1.5], []),
    ],
)
def test_patterns(name, z, positions):
    assert signalled(name, z) == positions


@given(st.lists(st.floats(-5, 5), max_size=60), st.sampled_from(sorted(RULES)))
def test_a_signal_depends_on_the_past_only_and_on_neither_sign(z, name):
    values = np.array(z, dtype=float)
    flags = RULES[name].signals(values)
    assert list(RULES[name].signals(-values)) == list(flags)
    for cut in range(len(z)):
        assert list(RULES[name].signals(values[:cut])) == list(flags[:cut])


def average_run_length(rules, trials=1500, length=1200):
    """Simulate the mean number of readings up to the first false alarm."""
    rng, runs = np.random.default_rng(1987), []
    for _ in range(trials):
        z = rng.normal(size=length)
        alarm = np.flatnonzero(np.logical_or.reduce([rule.signals(z) for rule in rules]))
        runs.append(alarm[0] + 1 if alarm.size else length)
    return float(np.mean(runs))


def test_false_alarms_of_the_western_electric_rules():
    """Champ and Woodall, Technometrics 29 (1987) 393: average run length 91.75 in control; sd of 1500 runs 6 %."""
    assert average_run_length(WESTERN_ELECTRIC) == pytest.approx(91.75, rel=0.07)
