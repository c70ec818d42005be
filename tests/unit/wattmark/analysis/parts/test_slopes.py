"""Slopes against a claim and against each other, checked by statsmodels and by hand."""

import math

import numpy as np
import pytest
import scipy
from wattmark.analysis.parts.fit import CountedRun, fit_counts
from wattmark.analysis.parts.slopes import hold_against, slope_difference
from wattmark.analysis.refusal import Refused
from wattmark.core.part_words import DIMM, part_words

COUNTS = np.repeat([2, 4, 6, 8], 3)


def fit(slope, sd=1.0, seed=1, shared=None, part=DIMM):
    watts = 200 + slope * COUNTS + np.random.default_rng(seed).normal(0, sd, len(COUNTS))
    named = {} if shared is None else {name: gain * watts for name, gain in shared.items()}
    return fit_counts(
        [
            CountedRun(int(n), float(p), None, {k: float(v[i]) for k, v in named.items()}, installation=str(i))
            for i, (n, p) in enumerate(zip(COUNTS, watts, strict=True))
        ],
        part,
    )


def test_p_of_a_claim_is_that_of_a_regression():
    """scipy.stats.linregress tests b1 = 0; of power less 5 W per DIMM that is the test of b1 = 5."""
    line = fit(5.8)
    watts = np.array([run.value for run in line.runs])
    expected = scipy.stats.linregress(COUNTS, watts - 5 * COUNTS).pvalue
    assert hold_against(line).p == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(
    ("slope", "refuted", "equivalent"), [(5.0, False, True), (6.4, True, False), (5.45, True, True)]
)
def test_five_watts_per_buffer(slope, refuted, equivalent):
    claim = hold_against(fit(slope, sd=0.5))
    assert (claim.refuted, claim.equivalent) == (refuted, equivalent)
    assert "5 W per DIMM" in claim.text


@pytest.mark.parametrize(("slope", "sd"), [(5.0, 0.5), (6.4, 0.5), (5.0, 6.0)], ids=["equal", "rejected", "open"])
def test_a_claim_names_what_is_counted(slope, sd):
    text = hold_against(fit(slope, sd, part=part_words("drive"))).text
    assert "5 W per drive" in text
    assert "DIMM" not in text


def test_scatter_leaves_a_claim_open():
    claim = hold_against(fit(5.0, sd=6.0))
    assert (claim.refuted, claim.equivalent) == (False, False)
    assert "neither rejected" in claim.text


@pytest.mark.parametrize("claim", [(math.nan, 1.0), (5.0, 0.0), (-1.0, 1.0), (5.0, math.inf)])
def test_a_claim_must_be_one(claim):
    with pytest.raises(Refused, match="above 0 W"):
        hold_against(fit(5.0), *claim)


def test_difference_of_two_servers_is_welch():
    """Two independent slopes with 10 degrees of freedom each: Welch's formula by hand."""
    a, b = fit(6.4, 1.0, 1), fit(2.1, 2.0, 2)
    difference = slope_difference(a, b)
    v_a, v_b = a.slope_u**2, b.slope_u**2
    assert difference.value == pytest.approx(a.slope - b.slope)
    assert difference.u == pytest.approx(math.sqrt(v_a + v_b))
    assert difference.dof == pytest.approx((v_a + v_b) ** 2 / (v_a**2 / 10 + v_b**2 / 10))
    low, high = difference.interval.ends
    assert low < 4.3 < high


def test_one_meters_gain_acts_on_the_difference():
    """1 % of gain on both slopes is 1 % of their difference; of two meters it is 1 % of each in quadrature."""
    same = slope_difference(fit(6.0, 1e-3, 1, {"m": 0.01}), fit(2.0, 1e-3, 2, {"m": 0.01}))
    two = slope_difference(fit(6.0, 1e-3, 1, {"m": 0.01}), fit(2.0, 1e-3, 2, {"n": 0.01}))
    assert same.u == pytest.approx(0.04, rel=0.01)
    assert two.u == pytest.approx(0.01 * math.hypot(6, 2), rel=0.01)


def test_the_planted_difference_is_covered():
    """At 95 % of 400 campaigns at least 371 hold it with a probability of 99 % (binomial)."""
    hits = 0
    for seed in range(400):
        low, high = slope_difference(fit(6.4, 1.0, 2 * seed), fit(2.1, 1.0, 2 * seed + 1)).interval.ends
        hits += low < 4.3 < high
    assert hits >= scipy.stats.binom.ppf(0.01, 400, 0.95)
