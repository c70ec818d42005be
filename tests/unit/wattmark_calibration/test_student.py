"""Student's factor: one rule for budgets and comparisons, without a cliff at whole degrees of freedom."""

import math

import numpy as np
import pytest
import scipy
from hypothesis import example, given
from hypothesis import strategies as st
from wattmark.analysis.comparison.comparison import Estimate, student_factor
from wattmark_calibration import Contribution, UncertainValue, coverage_factor, two_sided_p

TABLE_G2 = {1: 12.71, 2: 4.30, 3: 3.18, 4: 2.78, 5: 2.57, 10: 2.23, 20: 2.09, 50: 2.01, 100: 1.984}
"""JCGM 100:2008, table G.2, p = 95 %."""


@pytest.mark.parametrize(("dof", "factor"), TABLE_G2.items())
def test_whole_degrees_of_freedom_give_the_tabulated_factor(dof, factor):
    assert coverage_factor(dof) == pytest.approx(factor, abs=0.0051)


@given(st.floats(1e-6, 1e6), st.sampled_from([2, 3, 4, 5, 9]))
def test_one_term_gives_the_factor_of_its_own_degrees_of_freedom(u, dof):
    """Welch-Satterthwaite makes (u^2)^2/(u^4/nu) = nu -+ 4e-16; that must not decide between 4.303 and 12.706."""
    value = UncertainValue(1.0, "W", (Contribution("scatter", u, "A", dof),))
    assert value.k95 == pytest.approx(float(scipy.stats.t.ppf(0.975, dof)), rel=1e-9)


@given(st.floats(1.0, 1e4), st.floats(0.5, 0.999))
def test_budgets_and_comparisons_have_one_factor(dof, probability):
    assert student_factor(dof, probability) == coverage_factor(dof, probability)
    assert two_sided_p(coverage_factor(dof, probability), dof) == pytest.approx(1 - probability, rel=1e-6)


@example(scatter=1.0, dof=2, certificate=0.0, limit=4.0)
@given(st.floats(0.01, 10), st.sampled_from([2, 3, 9]), st.floats(0.0, 10), st.floats(0.0, 10))
def test_a_budget_and_an_estimate_of_the_same_parts_are_as_wide(scatter, dof, certificate, limit):
    """Scatter with few degrees of freedom, a normal error, and a limit of error: one half width."""
    value = UncertainValue(
        1.0,
        "W",
        (
            Contribution("scatter", scatter, "A", dof),
            Contribution("certificate", certificate, "B"),
            Contribution("limit", limit, "B", distribution="rectangular"),
        ),
    )
    low, high = Estimate(0.0, value.u / 1000, value.dof, limit / 1000).interval()
    assert math.log(high / low) / 2 * 1000 == pytest.approx(value.expanded_u, rel=1e-5)


def test_the_factor_of_a_certificate_comes_back():
    """A laboratory's k = 2.65 (EA-4/02) implies 4.54 degrees of freedom; its U is then neither widened nor narrowed."""
    assert coverage_factor(4.54) == pytest.approx(2.65, abs=0.005)


def test_there_is_no_cliff_and_never_less_than_one_degree_of_freedom():
    assert coverage_factor(2 - 1e-12) == pytest.approx(coverage_factor(2), rel=1e-9)
    assert coverage_factor(0.3) == coverage_factor(1.0)
    assert coverage_factor(math.inf) == pytest.approx(1.959964, abs=1e-6)
    assert two_sided_p(1.959964, math.inf) == pytest.approx(0.05, abs=1e-6)


def coverage(truncated, n, ratio):
    """Count how often Welch's interval of two sets of repeats holds the difference 0, and its mean width."""
    rng, trials = np.random.default_rng(5), 40_000
    v = [q * q * rng.chisquare(m - 1, trials) / (m - 1) / m for m, q in zip(n, (1.0, ratio), strict=True)]
    apart = rng.standard_normal(trials) * math.sqrt(1 / n[0] + ratio**2 / n[1])
    dof = (v[0] + v[1]) ** 2 / (v[0] ** 2 / (n[0] - 1) + v[1] ** 2 / (n[1] - 1))
    dof = np.floor(dof + 1e-6) if truncated else dof
    half = scipy.stats.t.ppf(0.975, dof) * np.sqrt(v[0] + v[1])
    return float(np.mean(np.abs(apart) <= half)), float(half.mean())


@pytest.mark.parametrize("n", [(3, 3), (3, 5), (5, 5), (3, 10)])
@pytest.mark.parametrize("ratio", [0.3, 1.0, 3.0])
def test_interpolation_covers_about_as_often_as_truncation_with_shorter_intervals(n, ratio):
    """The choice of the rule: coverage 0.93 to 0.97 for both, at most 0.02 apart; truncation is up to 14 % wider."""
    (interpolated, width), (cut, wide) = coverage(False, n, ratio), coverage(True, n, ratio)
    assert 0.925 < interpolated < 0.97
    assert 0 <= cut - interpolated < 0.02
    assert 1.0 < wide / width < 1.15
