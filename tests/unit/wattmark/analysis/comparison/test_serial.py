"""Repeats that follow each other in time: the ratio by statsmodels, its distribution by counting."""

import numpy as np
import pytest
from wattmark.analysis.comparison.course import course
from wattmark.analysis.comparison.serial import _below, neighbours_alike


def of_runs(values, member):
    return [
        course(
            [600.0 * i for i, m in enumerate(member) if m == name],
            [values[i] for i, m in enumerate(member) if m == name],
        )
        for name in sorted(set(member))
    ]


@pytest.mark.parametrize("member", ["0" * 10, "01" * 6, "000000111111", "0123210330123"])
def test_the_ratio_beside_the_means_is_that_of_statsmodels_and_its_p_that_of_counting(member):
    """Independent values: the share of smaller ratios among 20 000 is p, to a standard error of 0.0015."""
    from statsmodels.stats.stattools import durbin_watson

    rng = np.random.default_rng(31)
    numbers = np.array([int(m) for m in member])
    design = (numbers[:, None] == np.unique(numbers)).astype(float)
    beside = np.eye(len(numbers)) - design @ np.linalg.pinv(design)
    ratios = durbin_watson(rng.normal(size=(20_000, len(numbers))) @ beside, axis=1)
    point = float(np.quantile(ratios, 0.05))
    assert _below(point, numbers) == pytest.approx(0.05, abs=0.005)
    values = rng.normal(5, 1, len(numbers))
    ratio = durbin_watson(beside @ values)
    assert neighbours_alike(of_runs(values, member)).p == pytest.approx(_below(ratio, numbers))


def test_correlated_runs_are_told_and_independent_ones_seldom():
    """Twenty runs of two systems in turns: correlated by 0.8 in nine campaigns of ten, independent in one of twenty."""
    rng, member = np.random.default_rng(32), "01" * 10
    correlated = {0.0: 0, 0.8: 0}
    for rho in correlated:
        for _ in range(100):
            noise = rng.normal(size=20)
            for i in range(1, 20):
                noise[i] = rho * noise[i - 1] + np.sqrt(1 - rho**2) * noise[i]
            correlated[rho] += neighbours_alike(of_runs(noise, member)).p < 0.05
    assert correlated[0.0] <= 10
    assert correlated[0.8] >= 80


def test_few_runs_equal_runs_and_runs_without_an_order_are_not_tested():
    values = [1.0, 2.0, 4.0, 3.0, 5.0, 1.5, 2.5, 3.5, 4.5, 0.5]
    assert neighbours_alike(of_runs(values, "0101010101")) is not None
    assert neighbours_alike(of_runs(values[:9], "010101010")) is None
    assert neighbours_alike(of_runs([1.0] * 10, "0101010101")) is None
    assert neighbours_alike([course([0.0] * 5, values[:5]), course([0.0] * 5, values[5:])]) is None
