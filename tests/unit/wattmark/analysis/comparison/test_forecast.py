"""Forecasts: power tables, counted campaigns, pooled scatter, windows of other lengths."""

import math

import numpy as np
import pytest
import scipy
from wattmark.analysis.comparison.comparison import Observation
from wattmark.analysis.comparison.forecast import RunScatter, detectable, expected_system, pooled_scatter


def run(value=100.0, within=0.001, shared=None, **changes):
    return Observation(value, within, math.inf, shared or {}, complete=True, meter="m", **changes)


@pytest.mark.parametrize(("runs", "difference"), [(26, 0.80), (64, 0.50), (17, 1.00)])
def test_tables_of_power_give_the_difference_for_many_runs(runs, difference):
    """Cohen 1988, table 2.4.1 (two-sided 0.05, power 0.80): runs of each for a difference in standard deviations."""
    a = expected_system(run(), runs, 0.001)
    assert math.log1p(detectable(a, a)) == pytest.approx(difference * 0.001, rel=0.02)


@pytest.mark.parametrize("runs", [3, 5, 10])
@pytest.mark.parametrize("sd", [0.001, 0.01])
def test_the_difference_is_found_in_four_of_five_campaigns(runs, sd):
    """Welch's test of another library on 20,000 campaigns; the promise was kept in 0.72 of three runs each."""
    difference = math.log1p(detectable(*[expected_system(run(), runs, sd)] * 2))
    rng = np.random.default_rng(runs)
    a, b = rng.normal(difference, sd, (runs, 20_000)), rng.normal(0, sd, (runs, 20_000))
    share = np.mean(scipy.stats.ttest_ind(a, b, equal_var=False).pvalue <= 0.05)
    assert share == pytest.approx(0.80, abs=0.012)


def test_a_gain_that_both_share_cancels_and_one_that_they_do_not_stays():
    gain = expected_system(run(shared={"gain": 0.02}), 3, 0.01)
    assert detectable(gain, gain) == pytest.approx(detectable(*[expected_system(run(), 3, 0.01)] * 2))
    other = expected_system(run(shared={"other gain": 0.02}), 3, 0.01)
    assert detectable(gain, other) > 0.05


def test_fewer_than_three_repeats_are_not_tested():
    assert detectable(expected_system(run(), 2, 0.01), expected_system(run(), 2, 0.01)) is None
    assert detectable(expected_system(run(), 1, 0.01), expected_system(run(), 1, 0.01)) is None


def test_more_comparisons_at_once_need_a_larger_difference():
    a = expected_system(run(), 3, 0.01)
    assert detectable(a, a, comparisons=3) > 1.2 * detectable(a, a)


def test_only_the_scatter_within_runs_shrinks_with_a_longer_window():
    """5 between and within: sd 5; a window four times as long halves the within part of 4 and leaves 3."""
    scatter = RunScatter(sd=0.05, within=0.04, window_s=60.0, dof=4)
    assert scatter.over(60.0) == pytest.approx(0.05)
    assert scatter.over(240.0) == pytest.approx(math.hypot(0.03, 0.02))


def test_scatter_is_pooled_over_groups_by_degrees_of_freedom():
    """Logarithms -1, 0, 1 (variance 1, two degrees) and 0, 2 (variance 2, one): sqrt(4/3)."""
    groups = [[(run(math.exp(x)), 60.0) for x in (-1, 0, 1)], [(run(math.exp(x)), 30.0) for x in (0, 2)]]
    pooled = pooled_scatter([*groups, [(run(), 60.0)]])
    assert (pooled.sd, pooled.dof, pooled.window_s) == (pytest.approx(math.sqrt(4 / 3)), 3, pytest.approx(48))
    assert pooled_scatter([[(run(), 60.0)] * 2]) is None
