"""Repeats: between-run scatter holds within-run scatter (method 2.2)."""

import math

import pytest
from wattmark.analysis.comparison.repeats import repeat_mean


def test_scatter_between_runs():
    """245.1, 245.9, 244.7: mean 245.2333, s 0.6110, u = s/sqrt(3)."""
    average = repeat_mean([245.1, 245.9, 244.7], [0.1, 0.1, 0.1], [9, 9, 9])
    assert average.mean == pytest.approx(245.2333, abs=1e-4)
    assert average.u == pytest.approx(0.6110 / math.sqrt(3), abs=1e-4)
    assert (average.n, average.dof) == (3, 2.0)


def test_lucky_agreement_is_not_believed():
    average = repeat_mean([245.0, 245.0, 245.0], [0.3, 0.3, 0.6], [9, 9, 9])
    assert average.u == pytest.approx(math.sqrt((0.09 + 0.09 + 0.36) / 3 / 3))
    assert average.dof > 9


def test_one_run_has_its_own_scatter_only():
    assert repeat_mean([245.0], [0.3], [9]).u == pytest.approx(0.3)
    assert repeat_mean([245.0], [None], [math.inf]).u is None


def test_unknown_scatter_within_a_run_leaves_that_between():
    assert repeat_mean([245.0, 246.0], [None, 5.0], [math.inf, 9]).u == pytest.approx(0.5)
