"""Comparison: worked vector of method 4, scipy as oracle, shared instrument errors, repeats needed."""

import math
from dataclasses import replace

import numpy as np
import pytest
import scipy
from wattmark.analysis.comparison.comparison import (
    Observation,
    absolute,
    can_test,
    equivalent,
    more_repeats,
    ratio,
    shared_half_width,
    student_factor,
    system,
)

R1, R2 = np.array([57.1, 56.8, 57.4]), np.array([25.4, 25.6, 25.5])


def runs(values, within=None, shared=None, complete=True, meter="m"):
    return system([Observation(float(v), within, 20.0, shared or {}, complete, meter) for v in values])


def log_welch(x, y):
    """The ratio of two sets of repeats, scatter between runs only."""
    return ratio(runs(x), runs(y))


def fieller(x, y):
    """Fieller's 95 % interval for mean(x)/mean(y), x and y independent (Fieller 1954), as a check."""
    v_x, v_y = x.var(ddof=1) / len(x), y.var(ddof=1) / len(y)
    q = x.mean() / y.mean()
    dof = (v_x + q**2 * v_y) ** 2 / (v_x**2 / (len(x) - 1) + (q**2 * v_y) ** 2 / (len(y) - 1))
    t = scipy.stats.t.ppf(0.975, dof)
    g = t**2 * v_y / y.mean() ** 2
    half = t / y.mean() * math.sqrt(v_x * (1 - g) + q**2 * v_y)
    return (q - half) / (1 - g), (q + half) / (1 - g)


def test_worked_vector():
    """Q 2.23921, CI 2.21504 .. 2.26364, nu 3.7006, t 212.97."""
    estimate = log_welch(R1, R2)
    low, high = estimate.interval()
    assert estimate.value == pytest.approx(2.23921, abs=5e-6)
    assert (low, high) == (pytest.approx(2.21504, abs=6e-6), pytest.approx(2.26364, abs=6e-6))
    assert estimate.dof == pytest.approx(3.7006, abs=5e-5)
    assert estimate.log / estimate.u == pytest.approx(212.97, abs=5e-3)


def test_against_scipy():
    rng = np.random.default_rng(1)
    x, y = rng.lognormal(3, 0.02, 5), rng.lognormal(3.05, 0.05, 3)
    oracle = scipy.stats.ttest_ind(np.log(x), np.log(y), equal_var=False)
    estimate = log_welch(x, y)
    interval = oracle.confidence_interval()
    assert estimate.p == pytest.approx(oracle.pvalue, rel=1e-9)
    assert estimate.interval() == (pytest.approx(math.exp(interval.low)), pytest.approx(math.exp(interval.high)))


def test_fieller_checks_log_welch():
    """method 4: widths differ by no more than 1 % up to 10 % scatter."""
    estimate, check = log_welch(R1, R2).interval(), fieller(R1, R2)
    assert (check[1] - check[0]) / (estimate[1] - estimate[0]) == pytest.approx(1, abs=0.01)


@pytest.mark.parametrize(("n", "cv"), [(3, 0.01), (5, 0.05), (10, 0.05)])
def test_coverage_of_the_interval(n, cv):
    """method 4: nominal 95 %; with three runs log-Welch is slightly conservative, as Welch's test is (0.945-0.97)."""
    rng = np.random.default_rng(12)
    trials = 2500
    hits = 0
    for _ in range(trials):
        x, y = (rng.normal(mean, cv * mean, n) for mean in (30.0, 25.0))
        low, high = log_welch(x, y).interval()
        hits += low <= 1.2 <= high
    assert 0.93 <= hits / trials <= 0.97


def test_coverage_with_two_meters():
    """Different meters of class 0.5: their gain errors are outside the repeats and in the interval all the same."""
    rng = np.random.default_rng(13)
    trials, hits = 2500, 0
    for _ in range(trials):
        gains = 1 + rng.uniform(-0.005, 0.005, 2)
        x = 30.0 * gains[0] * rng.lognormal(0, 0.003, 3)
        y = 25.0 * gains[1] * rng.lognormal(0, 0.003, 3)
        u = 0.005 / math.sqrt(3)
        low, high = ratio(runs(x, shared={"a": u}), runs(y, shared={"b": u})).interval()
        hits += low <= 1.2 <= high
    assert 0.93 <= hits / trials <= 0.985


def test_gain_error_of_the_same_meter_cancels():
    first, two = runs(R1, shared={"m": 0.01}), runs(R2, shared={"m": 0.01})
    assert ratio(first, two).u == pytest.approx(log_welch(R1, R2).u)


def test_offset_of_the_same_meter_stays_as_it_changes_with_power():
    """u(o) |1/P1 - 1/P2| for 1.4 W at 245 W and 285 W."""
    first, two = runs(R1, shared={"m": 1.4 / 245}), runs(R2, shared={"m": 1.4 / 285})
    stays = 1.4 * abs(1 / 245 - 1 / 285)
    assert ratio(first, two).u == pytest.approx(math.hypot(log_welch(R1, R2).u, stays))


def test_different_meters_count_in_full():
    first, two = runs(R1, shared={"a": 0.01}), runs(R2, shared={"b": 0.02})
    assert ratio(first, two).u == pytest.approx(math.sqrt(log_welch(R1, R2).u ** 2 + 0.01**2 + 0.02**2))


def test_shared_error_is_not_divided_by_the_number_of_runs():
    assert absolute(runs([30.0] * 16, within=0.001, shared={"m": 0.01})).u == pytest.approx(math.hypot(0.01, 0.001 / 4))


def test_zero_variance_is_not_certainty():
    """Three equal figures: what each run's own scatter says stays."""
    assert absolute(runs([30.0] * 3, within=0.003)).u == pytest.approx(0.003 / math.sqrt(3))


def test_single_run_without_scatter_gives_no_estimate():
    assert absolute(runs([30.0])) is None
    assert ratio(runs([30.0]), runs(R1)) is None


@pytest.mark.parametrize(
    ("a", "b", "expected"),
    [
        (runs(R1), runs(R2), True),
        (runs(R1[:1], within=0.01), runs(R2), False),
        (runs(R1[:2]), runs(R2), False),
        (runs(R1, complete=False, meter="x"), runs(R2, complete=False, meter="x"), True),
        (runs(R1, complete=False, meter="x"), runs(R2, complete=False, meter="y"), False),
    ],
    ids=["repeats", "one run", "two runs", "same unknown meter", "different unknown meters"],
)
def test_what_can_be_tested(a, b, expected):
    assert can_test(a, b) is expected


def test_equivalence():
    near = runs([30.0, 30.03, 29.97, 30.01, 29.99]), runs([30.1, 30.12, 30.08, 30.11, 30.09])
    wide = runs([30.0, 31.0, 29.0]), runs([30.1, 31.1, 29.1])
    assert equivalent(ratio(*near))
    assert not equivalent(ratio(*wide))


def test_repeats_needed_are_enough_and_not_too_many():
    a, b = runs(30 * np.array([0.98, 1.0, 1.02])), runs(30 * np.array([0.99, 1.0, 1.01]))
    more = more_repeats(a, b, 0.01)

    def half_width(extra):
        var = a.log.sd**2 / (3 + extra), b.log.sd**2 / (3 + extra)
        dof = sum(var) ** 2 / (var[0] ** 2 / (2 + extra) + var[1] ** 2 / (2 + extra))
        return scipy.stats.t.ppf(0.975, dof) * math.sqrt(sum(var))

    assert half_width(more) <= math.log(1.01) < half_width(more - 1)


def test_no_number_of_repeats_beats_the_meters():
    a, b = runs(R1, shared={"a": 0.02}), runs(R1 * 1.01, shared={"b": 0.02})
    assert more_repeats(a, b, 0.01) is None


def test_hopeless_scatter_asks_for_no_number_of_repeats():
    assert more_repeats(runs([10.0, 30.0, 90.0]), runs([12.0, 40.0, 80.0]), 0.02) is None


def test_student_factor_is_fractional():
    assert student_factor(3.7006) == pytest.approx(scipy.stats.t.ppf(0.975, 3.7006))
    assert student_factor(math.inf) == pytest.approx(1.959964, abs=1e-6)


def test_equal_values_without_any_uncertainty_do_not_differ():
    estimate = ratio(runs([30.0, 30.0]), runs([30.0, 30.0]))
    assert (estimate.u, estimate.p) == (0.0, 1.0)


def test_what_no_repeat_removes_is_as_wide_as_one_rectangle() -> None:
    """Of errors within 1 %, all alike likely, 95 % lie within 0.95 %, not 1.96 x 1 %/sqrt(3) (EA-4/02 S9.14)."""
    u = 0.01 / math.sqrt(3)
    rectangular = [Observation(v, None, math.inf, {"meter": u}, True, "m", frozenset({"meter"})) for v in (1.0, 1.0)]
    other = [Observation(v, None, math.inf, {}, True, "n") for v in (1.0, 1.0)]
    assert shared_half_width(system(rectangular), system(other)) == pytest.approx(0.95 * 0.01, rel=1e-3)
    normal = [replace(observation, rectangular=frozenset()) for observation in rectangular]
    assert shared_half_width(system(normal), system(other)) == pytest.approx(1.96 * u, rel=1e-3)
    assert shared_half_width(system(rectangular), system(rectangular)) == 0


def in_boots(rng, names, boot_sd, run_sd, true=1.0):
    """Runs of one system: boots shift by ``boot_sd``, runs within a boot scatter by ``run_sd`` [1]."""
    shift = {name: rng.normal(0, boot_sd) for name in names}
    values = [true * math.exp(shift[name] + rng.normal(0, run_sd)) for name in names]
    return [Observation(v, None, math.inf, {}, True, "m", boot=name) for v, name in zip(values, names, strict=True)]


@pytest.mark.parametrize("boot_sd", [0.0, 0.0005, 0.003])
@pytest.mark.parametrize("names", ["aabbcc", "abcd", "aabbccdd", "aaabcc"])
def test_coverage_with_scatter_between_boots(names, boot_sd):
    """A mixed model by the means of boots; boots shift by 0, half and three times what repeats scatter."""
    rng = np.random.default_rng(41)
    ratio_hits = value_hits = 0
    for _ in range(500):
        x, y = (system(in_boots(rng, names, boot_sd, 0.001, true)) for true in (1.1, 1.0))
        low, high = ratio(x, y).interval()
        ratio_hits += low <= 1.1 <= high
        low, high = absolute(x).interval()
        value_hits += low <= 1.1 <= high
    assert 0.93 <= ratio_hits / 500 <= 0.99
    assert 0.93 <= value_hits / 500 <= 0.98


def test_one_boot_tells_nothing_of_boots():
    summary = system(in_boots(np.random.default_rng(1), "aaaa", 0.01, 0.001))
    assert (summary.installations, summary.boots, summary.log.units) == (1, 1, 4)


def test_the_scatter_of_installations_comes_from_their_means():
    """Means of three installations by hand: 1.0, 2.0, 3.0 on the log scale; s/sqrt(3) with two degrees of freedom."""
    log = {"a": (0.9, 1.1), "b": (2.0,), "c": (2.9, 3.0, 3.1)}
    of = system(
        [Observation(math.exp(v), None, math.inf, {}, True, "m", installation=i) for i, vs in log.items() for v in vs]
    )
    assert (of.log.mean, of.log.u, of.log.dof) == pytest.approx((2.0, 1 / math.sqrt(3), 2.0))
    assert (of.installations, of.log.n, of.log.units) == (3, 6, 3)
