"""The gate on 1,000 simulated pairs of each kind: false alarms at most 5 %, and detection as its interval promises.

A pair is two sets of runs made by turns with one meter. Every run has its own scatter; the meter's gain is common and
cancels. Truth is known: the candidate does as much work per joule, or 1, 2 or 5 % less.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pytest
from wattmark.analysis.comparison.comparison import Observation, System, system
from wattmark.analysis.comparison.regression import (
    Forecast,
    forecast,
    judge,
    largest_loss,
    loss,
)

PAIRS = 1000
GAIN_U = 0.01
LIMIT = largest_loss(0.02, lower_is_better=False)
Trouble = Callable[[np.random.Generator, np.ndarray], np.ndarray]


def pair(
    rng: np.random.Generator, worse: float, sd: float, n: int, trouble: Trouble | None = None
) -> tuple[System, System]:
    """Return candidate and baseline, measured by turns: A B B A ..."""
    logs = rng.normal(0.0, sd, 2 * n)
    if trouble is not None:
        logs = trouble(rng, logs)
    is_candidate = np.tile([True, False, False, True], n)[: 2 * n]
    gain = rng.normal(0.0, GAIN_U)
    values = np.exp(np.log(100.0) + gain + logs + np.where(is_candidate, math.log1p(-worse), 0.0))
    runs = [
        Observation(float(value), sd / 10, 50.0, {"gain of m": GAIN_U}, True, "m", made_s=600.0 * place)
        for place, value in enumerate(values)
    ]
    return (
        system([run for run, mine in zip(runs, is_candidate, strict=True) if mine]),
        system([run for run, mine in zip(runs, is_candidate, strict=True) if not mine]),
    )


def shares(
    worse: float, margin: float, sd: float = 0.005, n: int = 6, trouble: Trouble | None = None, seed: int = 1
) -> dict[str, float]:
    rng = np.random.default_rng(seed)
    outcomes = []
    for _ in range(PAIRS):
        judged = loss(
            *pair(rng, worse, sd, n, trouble), lower_is_better=False, limit=largest_loss(margin, lower_is_better=False)
        )
        assert judged is not None
        outcomes += judge([judged])
    return {name: outcomes.count(name) / PAIRS for name in ("regression", "no regression", "not known")}


def drifting(rng: np.random.Generator, logs: np.ndarray) -> np.ndarray:
    """Let the room warm up: 2 % over all runs."""
    return logs + np.linspace(0, 0.02, len(logs))


def with_outliers(rng: np.random.Generator, logs: np.ndarray) -> np.ndarray:
    """Spoil one run in twenty by 5 %, of either side."""
    return logs - 0.05 * (rng.random(len(logs)) < 0.05)


FEW = 0.05 + 3 * math.sqrt(0.05 * 0.95 / PAIRS)
"""A share of 5 % seen in 1,000 pairs lies below this, but for one time in a thousand."""


@pytest.mark.parametrize("trouble", [None, drifting, with_outliers])
@pytest.mark.parametrize("worse", [0.0, 0.01, 0.02])
def test_what_is_not_worse_by_more_than_matters_is_no_regression(worse: float, trouble: Trouble | None) -> None:
    assert shares(worse, 0.02, trouble=trouble)["regression"] <= FEW


@pytest.mark.parametrize("trouble", [None, drifting, with_outliers])
@pytest.mark.parametrize("worse", [0.02, 0.03, 0.05])
def test_a_loss_that_matters_is_not_said_to_be_none(worse: float, trouble: Trouble | None) -> None:
    assert shares(worse, 0.02, trouble=trouble)["no regression"] <= FEW


def test_a_clear_loss_is_found_and_equal_programs_pass() -> None:
    """With six runs of 0.5 % each u of a ratio is 0.29 %: 3 % beyond the limit are ten of them, 2 % below it seven."""
    assert shares(0.05, 0.02)["regression"] > 0.99
    assert shares(0.0, 0.02)["no regression"] > 0.99


def test_noise_that_hides_the_answer_is_said_to() -> None:
    assert shares(0.0, 0.02, sd=0.03, n=3)["not known"] > 0.8


def test_the_common_gain_of_the_meter_cancels() -> None:
    rng = np.random.default_rng(2)
    judged = loss(*pair(rng, 0.0, 0.001, 6), lower_is_better=False, limit=LIMIT)
    assert judged is not None
    assert judged.estimate.u < GAIN_U / 5


def test_drift_between_runs_widens_the_interval() -> None:
    rng = np.random.default_rng(3)
    candidate, baseline = pair(rng, 0.0, 0.001, 6)
    bare = loss(candidate, baseline, lower_is_better=False, limit=LIMIT)
    with_drift = loss(candidate, baseline, lower_is_better=False, limit=LIMIT, drift=0.03)
    assert bare is not None
    assert with_drift is not None
    assert with_drift.estimate.u == pytest.approx(math.hypot(bare.estimate.u, math.log1p(-0.03) / math.sqrt(3)))


def test_several_figures_raise_no_more_false_alarms() -> None:
    rng, alarms = np.random.default_rng(4), 0
    for _ in range(PAIRS):
        losses = [loss(*pair(rng, 0.02, 0.005, 6), lower_is_better=False, limit=LIMIT) for _ in range(3)]
        alarms += "regression" in judge([of for of in losses if of is not None])
    assert alarms / PAIRS <= FEW


@pytest.mark.parametrize("margin", [0.02, 0.2, 0.5])
@pytest.mark.parametrize("lower_is_better", [False, True])
def test_the_limit_is_that_of_the_printed_change(margin: float, lower_is_better: bool) -> None:
    """Truth is exactly at the limit: half of the work per joule at 50 %, or half as much power again.

    Neither verdict is true then, and each is given in its 5 % of cases.
    """
    rng, outcomes = np.random.default_rng(6), []
    limit = largest_loss(margin, lower_is_better=lower_is_better)
    for _ in range(PAIRS):
        candidate, baseline = pair(rng, -margin if lower_is_better else margin, 0.005, 6)
        judged = loss(candidate, baseline, lower_is_better=lower_is_better, limit=limit)
        assert judged is not None
        outcomes += judge([judged])
    for outcome in ("regression", "no regression"):
        assert 0.05 - (FEW - 0.05) <= outcomes.count(outcome) / PAIRS <= FEW


def test_lower_is_better_for_power() -> None:
    rng = np.random.default_rng(5)
    candidate, baseline = pair(rng, -0.05, 0.002, 6)
    limit = largest_loss(0.02, lower_is_better=True)
    judged = loss(candidate, baseline, lower_is_better=True, limit=limit)
    assert judged is not None
    assert judge([judged]) == ["regression"]


def even(worse: float, sd: float, n: int, gain_u: float = 0.0) -> tuple[System, System]:
    """Return candidate and baseline of n runs each, half of them above their mean and half below, by turns."""
    steps = np.tile([1.0, -1.0], n)[:n] * sd * math.sqrt((n - 1) / n)
    sides = []
    for side, log in enumerate((math.log1p(-worse), 0.0)):
        runs = [
            Observation(
                math.exp(log + step), sd / 10, 50.0, {f"gain of {side}": gain_u}, True, f"m{side}",
                made_s=1200.0 * place + 600.0 * (place % 2 == side),
            )
            for place, step in enumerate(steps)
        ]  # fmt: skip
        sides.append(system(runs))
    return sides[0], sides[1]


def forecast_of(candidate: System, baseline: System, drift: float = 0.0, pairs: int = 1) -> tuple[str, Forecast]:
    judged = loss(candidate, baseline, lower_is_better=False, limit=LIMIT, drift=drift)
    assert judged is not None
    return judge([judged])[0], forecast(judged, candidate, baseline, limit=LIMIT, drift=drift, pairs=pairs)


@pytest.mark.parametrize(("worse", "known"), [(0.0, "no regression"), (0.01, "no regression"), (0.03, "regression")])
@pytest.mark.parametrize("sd", [0.02, 0.03])
def test_so_many_more_runs_as_forecast_tell(worse: float, known: str, sd: float) -> None:
    outcome, expected = forecast_of(*even(worse, sd, 4))
    assert outcome == "not known"
    assert expected.more is not None
    assert expected.more >= 1
    total = 4 + expected.more
    assert forecast_of(*even(worse, sd, total + total % 2 + 2))[0] == known
    assert forecast_of(*even(worse, sd, 4 + 2 * (expected.more // 4)))[0] == "not known", "so many are needed"


def test_a_change_at_the_limit_needs_more_runs_than_anybody_makes() -> None:
    assert forecast_of(*even(0.02, 0.005, 6)) == ("not known", Forecast(None, "scatter"))


def test_drift_and_meters_hide_what_no_number_of_runs_shows() -> None:
    """1 % below the limit: a rectangle of 5 % has u = 2.9 %, and two meters of 2 % have 2.8 %."""
    assert forecast_of(*even(0.01, 0.001, 6), drift=0.05) == ("not known", Forecast(None, "drift"))
    assert forecast_of(*even(0.01, 0.001, 6, gain_u=0.02)) == ("not known", Forecast(None, "meters"))
