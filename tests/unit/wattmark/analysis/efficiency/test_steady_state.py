"""Steady-state tests: each fails for its own kind of trouble and holds its peace otherwise (method 5.1)."""

import numpy as np
import pytest
from wattmark.analysis.efficiency.steady_state import (
    STEADY_RULES,
    change_points,
    largest_step,
    mser5,
    steadiness,
    theil_sen_drift,
)
from wattmark.analysis.energy.type_a import type_a
from wattmark.analysis.verdict import Limits

LIMITS = Limits()


def judge(x, duration_s=None):
    t = np.arange(1.0, len(x) + 1)
    return steadiness(t, x, duration_s or float(len(x)), type_a(x), LIMITS)


def outcomes(judged):
    return {v.rule: v.outcome for v in judged.verdicts}


@pytest.fixture
def noise():
    return np.random.default_rng(7).normal(0, 1, 600)


def test_white_noise_is_steady(noise):
    judged = judge(250 + noise)
    assert judged.steady is True
    assert set(outcomes(judged).values()) == {"pass"}


def test_drift_fails(noise):
    """2.4 % over the window: drift and half-split beyond 1 %."""
    failed = outcomes(judge(250 + noise + np.linspace(-3, 3, 600)))
    assert failed["drift"] == failed["half-split"] == "fail"


def test_step_fails(noise):
    step = np.where((np.arange(600) > 200) & (np.arange(600) < 260), 10.0, 0.0)
    judged = judge(250 + noise + step)
    assert outcomes(judged)["change-point"] == "fail"
    assert next(v.value for v in judged.verdicts if v.rule == "change-point") == pytest.approx(4.0, abs=0.2)


def test_slow_swings_fail_effective_samples():
    x = 250 + 3 * np.sin(np.arange(600) * 2 * np.pi / 300)
    assert outcomes(judge(x))["effective-samples"] == "fail"


def test_block_scatter_fails(noise):
    blocks = np.repeat(np.tile([4.0, -4.0], 10), 30)
    assert outcomes(judge(250 + noise + blocks))["block-scatter"] == "fail"


def test_warm_up_until_the_second_half_fails(noise):
    x = 250 + noise + np.where(np.arange(600) < 400, np.linspace(-40, 0, 600), 0)
    assert outcomes(judge(x))["warm-up"] == "fail"


def test_first_samples_after_the_load_step_are_no_change_point(noise):
    """Real logs hold one to three idle samples at the start of the window (method 5.2)."""
    x = 250 + noise
    x[:2] = 120.0
    assert outcomes(judge(x))["change-point"] == "pass"


@pytest.mark.parametrize(("n", "duration_s"), [(15, 15.0), (59, 59.0), (12, 120.0)])
def test_short_windows_are_not_judged(noise, n, duration_s):
    judged = judge(250 + noise[:n], duration_s)
    assert judged.steady is None
    assert [verdict.rule for verdict in judged.verdicts] == list(STEADY_RULES)
    assert {verdict.outcome for verdict in judged.verdicts} == {"not-checked"}
    assert all("too few" in verdict.text for verdict in judged.verdicts)


def test_a_minute_has_no_three_blocks(noise):
    judged = judge(250 + noise[:80])
    assert outcomes(judged)["block-scatter"] == "not-checked"
    assert judged.steady is True


def test_mser5_cuts_a_warm_up(noise):
    """A ramp over the first 100 of 600 samples: the cut lies near its end, at a multiple of 5."""
    x = 250 + noise + np.minimum(0.0, np.linspace(-30, 150, 600))
    assert 60 <= mser5(x) <= 110
    assert mser5(x) % 5 == 0


def test_mser5_of_a_short_series():
    assert mser5(np.arange(30.0)) == 0


def test_theil_sen_ignores_outliers():
    t = np.arange(101.0)
    x = 250 + 0.02 * t
    x[::10] += 100
    assert theil_sen_drift(t, x, 100.0) == pytest.approx(2.0, abs=0.05)


def test_theil_sen_of_a_long_series():
    t = np.arange(10_000.0)
    assert theil_sen_drift(t, 250 + 1e-4 * t, 10_000.0) == pytest.approx(1.0, rel=1e-6)


def test_change_points_are_found_where_they_are(noise):
    x = noise + np.repeat([0.0, 8.0, 4.0], 200)
    assert change_points(x) == pytest.approx([200, 400], abs=2)
    assert largest_step(x, [200, 400]) == pytest.approx(8.0, abs=0.3)


def test_noise_has_few_change_points():
    rng = np.random.default_rng(3)
    count = sum(bool(change_points(rng.normal(size=300))) for _ in range(200))
    assert count <= 10


def test_short_series_has_no_change_point():
    assert change_points(np.array([0.0] * 4 + [9.0] * 5)) == []
    assert largest_step(np.array([1.0, 2.0]), []) == 0.0
