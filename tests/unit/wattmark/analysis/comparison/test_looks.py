"""Series of runs that end when enough is known: looking often must not raise false alarms.

Truth is known: two programs do equal work per joule, or one does 3 % less. The level is 5 %.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from wattmark.analysis.comparison.comparison import Observation, System, ratio, system
from wattmark.analysis.comparison.looks import LOOK_SIGNIFICANCE, ends_early
from wattmark.analysis.comparison.regression import judge, largest_loss, loss

SERIES = 400
FEW = 0.05 + 3 * math.sqrt(0.05 * 0.95 / SERIES)
FIRST, MOST = 3, 20


def side(logs: np.ndarray, start_s: float) -> System:
    return system(
        [
            Observation(math.exp(log), 0.0005, 50.0, {"gain": 0.01}, True, "m", made_s=start_s + 600.0 * place)
            for place, log in enumerate(logs)
        ]
    )


def last_p(rng: np.random.Generator, change: float, sd: float, margin: float) -> tuple[float, int]:
    """Add blocks until a look ends the series; return the p-value at its end, and the blocks."""
    a, b = rng.normal(0.0, sd, MOST), rng.normal(math.log1p(change), sd, MOST)
    for n in range(FIRST, MOST + 1):
        estimate = ratio(side(b[:n], 300.0), side(a[:n], 0.0))
        assert estimate is not None
        if n == MOST or ends_early(estimate, margin):
            return estimate.p, n
    raise AssertionError


@pytest.mark.parametrize("margin", [0.001, 0.01])
def test_equal_programs_are_called_different_in_5_percent_of_series_however_often_they_are_looked_at(
    margin: float,
) -> None:
    rng = np.random.default_rng(7)
    ends = [last_p(rng, 0.0, 0.005, margin) for _ in range(SERIES)]
    assert sum(p < 0.05 for p, _ in ends) / SERIES <= FEW
    if margin == 0.01:
        assert np.mean([n for _, n in ends]) < MOST - 5, "what is excluded early is not measured to the end"


def test_a_clear_difference_ends_a_series_early() -> None:
    rng = np.random.default_rng(8)
    ends = [last_p(rng, 0.03, 0.005, 0.01) for _ in range(100)]
    assert all(p < LOOK_SIGNIFICANCE for p, _ in ends)
    assert np.mean([n for _, n in ends]) < 8


def test_a_gate_that_looks_often_raises_few_false_alarms() -> None:
    """The candidate is worse by just the 2 % that do not matter."""
    rng, alarms = np.random.default_rng(9), 0
    limit = largest_loss(0.02, lower_is_better=False)
    for _ in range(SERIES):
        a, b = rng.normal(0.0, 0.005, MOST), rng.normal(math.log1p(-0.02), 0.005, MOST)
        for n in range(FIRST, MOST + 1):
            judged = loss(side(b[:n], 300.0), side(a[:n], 0.0), lower_is_better=False, limit=limit)
            assert judged is not None
            (outcome,) = judge([judged]) if n == MOST else judge([judged], LOOK_SIGNIFICANCE)
            if outcome != "not known":
                break
        alarms += outcome == "regression"
    assert alarms / SERIES <= FEW
