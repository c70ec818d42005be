"""Amdahl and USL: exact curves, statsmodels as oracle for the linear case, coverage, bounds, refusals."""

import math

import numpy as np
import pytest
from scipy import optimize
from wattmark.analysis.refusal import Refused
from wattmark.analysis.scaling.scaling_fit import fit_amdahl, fit_usl

N = np.array([1, 2, 4, 8, 16, 24, 32, 48], dtype=float)


def usl(n, sigma, kappa, rate=100.0):
    return rate * n / (1 + sigma * (n - 1) + kappa * n * (n - 1))


def test_exact_curves_give_their_parameters_back():
    fit = fit_usl(N, usl(N, 0.05, 0.0008))
    assert fit.unit_rate == pytest.approx(100)
    assert fit.contention.value == pytest.approx(0.05)
    assert fit.coherence.value == pytest.approx(0.0008)
    assert fit.peak_level.value == pytest.approx(math.sqrt(0.95 / 0.0008))
    assert fit.peak_measured
    assert fit.throughput([10.0])[0] == pytest.approx(usl(10.0, 0.05, 0.0008))
    amdahl = fit_amdahl(N, usl(N, 0.05, 0.0))
    assert amdahl.serial_share.value == pytest.approx(0.05)
    assert amdahl.largest_speed_up.value == pytest.approx(20)
    assert amdahl.throughput([10.0])[0] == pytest.approx(usl(10.0, 0.05, 0.0))


def test_against_a_general_optimiser():
    """Nelder-Mead on all three parameters must not find a better fit."""
    y = usl(N, 0.08, 0.0005) * np.exp(np.random.default_rng(3).normal(0, 0.03, len(N)))
    fit = fit_usl(N, y)

    def cost(p):
        return float(np.sum(np.log(y / usl(N, p[0], p[1], p[2])) ** 2)) if min(p) > 0 else math.inf

    optimum = optimize.minimize(
        cost, [0.05, 1e-3, 100.0], method="Nelder-Mead", options={"maxiter": 9000, "xatol": 1e-10, "fatol": 1e-14}
    )
    assert fit.contention.value == pytest.approx(optimum.x[0], rel=1e-4)
    assert fit.coherence.value == pytest.approx(optimum.x[1], rel=1e-4)
    assert fit.residual_pct == pytest.approx(100 * math.sqrt(optimum.fun / 5), rel=1e-6)


def test_an_end_of_the_profile_interval_costs_what_f_allows():
    """At either end the best cost of the other parameters is (1 + F(1, n - 2; 95 %)/(n - 2)) times the least."""
    y = usl(N, 0.1, 0.0) * np.exp(np.random.default_rng(4).normal(0, 0.02, len(N)))
    share = fit_amdahl(N, y).serial_share

    def cost(sigma):
        return float(np.var(np.log(y / usl(N, sigma, 0.0))))

    allowed = 1 + 5.987378 / 6  # F(1, 6) at 95 %, printed tables: 5.99
    for end in (share.low, share.high):
        assert cost(end) / cost(share.value) == pytest.approx(allowed, rel=1e-5)


def test_coverage_of_the_intervals():
    """200 noisy curves: 95 % intervals hold the truth in 0.90 to 0.99 of them."""
    rng = np.random.default_rng(5)
    hits = np.zeros(2)
    for _ in range(200):
        share = fit_amdahl(N, usl(N, 0.05, 0.0) * np.exp(rng.normal(0, 0.02, len(N)))).serial_share
        hits[0] += share.low <= 0.05 <= share.high
    for _ in range(40):
        level = fit_usl(N, usl(N, 0.05, 0.0008) * np.exp(rng.normal(0, 0.02, len(N)))).peak_level
        hits[1] += level.low <= math.sqrt(0.95 / 0.0008) <= level.high
    assert 0.90 <= hits[0] / 200 <= 0.99
    assert hits[1] / 40 >= 0.85


def test_perfect_scaling_has_no_peak_and_no_limit():
    y = 100 * N * np.exp(np.random.default_rng(1).normal(0, 0.01, len(N)))
    amdahl, law = fit_amdahl(N, y), fit_usl(N, y)
    assert amdahl.serial_share.low == 0
    assert amdahl.largest_speed_up.high == math.inf
    assert law.coherence.low == 0
    assert law.peak_level.high == math.inf
    assert not law.peak_measured


def test_faster_than_the_level_stands_at_the_bound():
    fit = fit_amdahl([1, 2, 4, 8], [100, 210, 440, 900])
    assert fit.at_bound
    assert fit.serial_share.value == 0
    assert fit.largest_speed_up.value == math.inf


def test_throughput_that_never_grows_is_all_serial():
    assert fit_amdahl([1, 2, 4, 8], [100, 101, 99, 100]).serial_share.value == pytest.approx(1, abs=0.02)


@pytest.mark.parametrize(
    ("fit", "levels", "values", "reason"),
    [
        (fit_amdahl, [1, 2], [1.0, 2.0], "few-points"),
        (fit_usl, [1, 2, 4], [1.0, 2.0, 3.0], "few-points"),
        (fit_usl, [1, 2, 2, 1], [1.0, 2.0, 2.0, 1.0], "few-levels"),
        (fit_amdahl, [2, 2, 2], [1.0, 1.0, 1.0], "equal-levels"),
        (fit_amdahl, [0.5, 1, 2], [1.0, 1.5, 2.0], "level-below-one"),
        (fit_usl, [1, 2, 4, 8], [1.0, 2.0, math.nan, 3.0], "not-finite"),
        (fit_usl, [1, 2, 4, 8], [1.0, 2.0, 0.0, 3.0], "zero"),
        (fit_amdahl, [1, 2, 4], [1.0, -2.0, 3.0], "negative"),
        (fit_amdahl, [1], [1.0], "one-point"),
        (fit_amdahl, [], [], "one-point"),
        (fit_usl, [], [], "few-levels"),
    ],
)
def test_what_no_law_can_be_fitted_to(fit, levels, values, reason):
    with pytest.raises(Refused) as refusal:
        fit(levels, values)
    assert refusal.value.reason == reason
