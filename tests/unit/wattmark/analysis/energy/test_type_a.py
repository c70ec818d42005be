"""Effective sample size: AR(1) table of method 2.1 and degenerate input."""

import math

import numpy as np
import pytest
import scipy
from wattmark.analysis.energy.type_a import (
    FEW,
    LONGEST,
    autocorrelation,
    autocorrelation_time,
    batch_means_uncertainty,
    first_order_time,
    straight_line,
    type_a,
)
from wattmark.analysis.refusal import Refused
from wattmark_calibration import coverage_factor


def ar1(phi, n, trials, seed=2):
    rng = np.random.default_rng(seed)
    noise = rng.normal(size=(trials, n + 500))
    return scipy.signal.lfilter([1], [1, -phi], noise, axis=1)[:, 500:]


@pytest.mark.parametrize(
    ("phi", "ess", "batch", "naive"),
    [
        (0.0, 0.0339, 0.0327, 0.0333),
        (0.3, 0.0480, 0.0464, 0.0349),
        (0.8, 0.162, 0.151, 0.0556),
        (0.95, 0.597, 0.453, 0.107),
    ],
)
def test_ar1_table(phi, ess, batch, naive):
    """method 2.1: n = 900, 600 trials; mean standard errors by effective sample size, batch means and sqrt(n)."""
    series = ar1(phi, 900, 600)
    assert np.mean([x.std(ddof=1) * np.sqrt(autocorrelation_time(x) / 900) for x in series]) == pytest.approx(
        ess, rel=0.04
    )
    assert np.mean([batch_means_uncertainty(x) for x in series]) == pytest.approx(batch, rel=0.04)
    assert np.mean(series.std(axis=1, ddof=1)) / 30 == pytest.approx(naive, rel=0.04)


def test_the_larger_of_both_is_reported():
    for x in ar1(0.5, 900, 20):
        both = x.std(ddof=1) * np.sqrt(autocorrelation_time(x) / 900), batch_means_uncertainty(x)
        assert type_a(x).n_eff > FEW
        assert type_a(x).u == pytest.approx(max(both))


def test_few_independent_samples_take_the_first_lag_too():
    """Geyer's sequence stops too early there; the first lag of first-order noise gives (1 + phi)/(1 - phi)."""
    series = ar1(0.9, 300, 400)
    assert np.median([first_order_time(x) for x in series]) == pytest.approx(19, rel=0.1)
    for x in series[:20]:
        about = x - straight_line(x)
        assert type_a(x).u >= about.std(ddof=1) * np.sqrt(first_order_time(about) / 300)


def test_a_straight_drift_is_no_scatter_of_the_mean():
    """The line through the samples is numpy's, and taking it away leaves the mean and its u."""
    noise = ar1(0.3, 240, 1)[0]
    drifting = 245 + 1.5 * np.linspace(-0.5, 0.5, 240) + noise
    t = np.arange(240)
    assert straight_line(drifting) == pytest.approx(np.polyval(np.polyfit(t, drifting, 1), t))
    assert type_a(drifting).mean == pytest.approx(245 + noise.mean())
    assert type_a(drifting).u == pytest.approx(type_a(noise).u, rel=0.05)
    assert type_a(drifting).n_eff == pytest.approx(type_a(noise).n_eff, rel=0.05), "drift has a verdict of its own"


@pytest.mark.parametrize("n", [3, 5, 7])
def test_few_values_are_taken_as_independent(n):
    """s/sqrt(n) with n - 1 degrees of freedom, whatever the correlation of so few shows by chance."""
    for x in np.random.default_rng(9).normal(size=(50, n)):
        assert type_a(x).u == pytest.approx(x.std(ddof=1) / np.sqrt(n))
        assert type_a(x).dof == n - 1


@pytest.mark.parametrize("n", [8, 10, 14, 19])
@pytest.mark.parametrize("phi", [0.0, 0.3])
def test_short_series_cover_without_absurd_width(n, phi):
    """White and weakly correlated series of 8 to 19: 91 to 98 % covered, at most twice as wide as the ideal."""
    series = ar1(phi, n, 1500)
    estimates = [type_a(x) for x in series]
    errors = np.abs(series.mean(axis=1))
    widths = np.array([coverage_factor(f.dof) * f.u for f in estimates])
    assert 0.91 <= np.mean(errors <= widths) <= 0.98
    assert widths.mean() < 2 * np.percentile(errors, 95)


@pytest.mark.parametrize(("drift", "noise"), [(0.1, 0.02), (0.3, 0.05), (0.8, 0.1), (0.8, 0.4)])
def test_quiet_servers_that_drift_keep_their_samples(drift, noise):
    """Drift below 1 % of 250 W over 240 s: the quieter the server, the more runs had fewer than ten samples left."""
    rng, t = np.random.default_rng(4), np.linspace(-0.5, 0.5, 240)
    for white in rng.normal(size=(20, 240)):
        assert type_a(250 * (1 + drift / 100 * t + noise / 100 * white)).n_eff > 10


def test_autocorrelation_of_a_known_series():
    """Deviations -1.5 -0.5 0.5 1.5: lag products 5, 1.25, -1.5, -2.25 over 5."""
    assert autocorrelation(np.array([1.0, 2, 3, 4])) == pytest.approx([1, 0.25, -0.3, -0.45])


def test_alternating_samples_claim_no_precision():
    x = np.tile([249.0, 251.0], 200)
    assert autocorrelation_time(x) == pytest.approx(1 / np.log10(400))


def test_zero_variance_has_no_effective_size():
    estimate = type_a(np.full(50, 250.0))
    assert (estimate.u, estimate.n_eff) == (0.0, None)


@pytest.mark.parametrize("n", [0, 1, 2])
def test_too_few_samples(n):
    with pytest.raises(Refused) as refusal:
        type_a(np.full(n, 250.0))
    assert refusal.value.reason == "few-samples"


def test_nan_is_refused():
    with pytest.raises(Refused) as refusal:
        type_a(np.array([250.0, np.nan, 251.0, 250.0]))
    assert refusal.value.reason == "not-finite"


@pytest.mark.parametrize("phi", [0.0, 0.8, 0.95])
def test_a_log_of_days_is_as_uncertain_as_its_process(phi):
    """First-order noise of innovations of 1: u of the mean is 1/(1 - phi)/sqrt(n), whatever is averaged before."""
    n = LONGEST + 50_000
    (x,) = ar1(phi, n, 1)
    scatter = type_a(300 + x)
    assert scatter.u == pytest.approx(1 / (1 - phi) / math.sqrt(n), rel=0.06)
    assert scatter.n == n
    assert scatter.mean == pytest.approx(300 + x.mean(), abs=1e-9)
    assert scatter.sd == pytest.approx(1 / math.sqrt(1 - phi**2), rel=0.02)
    assert scatter.n_eff <= n
