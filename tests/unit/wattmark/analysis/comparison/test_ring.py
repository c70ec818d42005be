"""Ring comparisons against published answers, hand calculation, and the search through all subsets."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.analysis.comparison.ring import (
    NORMAL_K,
    LabValue,
    consistency,
    largest_consistent_subset,
    ring,
    robust_mean,
    weighted_mean,
)
from wattmark.analysis.refusal import Refused

from tests.examples import examples

BCG = (
    (4, 119, 11, 128), (6, 300, 29, 274), (3, 228, 11, 209), (62, 13536, 248, 12619), (33, 5036, 47, 5761),
    (180, 1361, 372, 1079), (8, 2537, 10, 619), (505, 87886, 499, 87892), (29, 7470, 45, 7232), (17, 1699, 65, 1600),
    (186, 50448, 141, 27197), (5, 2493, 3, 2338), (27, 16886, 29, 17825),
)  # fmt: skip
"""Thirteen trials (ill and well with the vaccine, ill and well without), the `dat.bcg` of R's metafor."""
G = (
    (6.67248, 43), (6.6729, 50), (6.67398, 70), (6.674255, 9.2), (6.67559, 27), (6.67422, 98), (6.67387, 27),
    (6.67222, 87), (6.67425, 12), (6.67349, 18), (6.67234, 14), (6.67554, 16), (6.67191, 99), (6.67435, 13),
)  # fmt: skip
"""Measurements of G [1e-11 m3 kg-1 s-2] with u in the fifth decimal: CODATA 2014, Rev. Mod. Phys. 88 (2016) 035009."""
CREOSOTE = (24.140, 20.155, 19.500, 20.300, 20.705, 17.570, 20.100, 20.940, 21.185)
"""Means of nine laboratories: the example of Algorithm A in ISO 5725-5:1998."""


def labs(*pairs: tuple[float, float | None]) -> list[LabValue]:
    """Build laboratories from values and standard uncertainties."""
    return [LabValue(f"Lab {i}", x, None if u is None else NORMAL_K * u) for i, (x, u) in enumerate(pairs)]


def test_weighted_mean_and_chi_squared_agree_with_stata() -> None:
    """metafor's own tests hold -0.4303, -0.5097 to -0.3509 and Q = 152.2330 from Stata's metan for these data."""
    x = np.array([math.log(a / (a + b) / (c / (c + d))) for a, b, c, d in BCG])
    u = np.array([math.sqrt(1 / a - 1 / (a + b) + 1 / c - 1 / (c + d)) for a, b, c, d in BCG])
    mean, u_mean = weighted_mean(x, u)
    assert (mean, mean - NORMAL_K * u_mean, mean + NORMAL_K * u_mean) == pytest.approx(
        (-0.4303, -0.5097, -0.3509), abs=5e-5
    )
    assert consistency(x, u).chi_squared == pytest.approx(152.2330, abs=5e-5)


def test_mean_of_the_measurements_of_g_is_codatas() -> None:
    x, u = np.array([x for x, _ in G]), np.array([u * 1e-5 for _, u in G])
    assert weighted_mean(x, u)[0] == pytest.approx(6.67408, abs=5e-6)
    assert not consistency(x, u).consistent


def test_three_laboratories_by_hand() -> None:
    """Values 1, 2, 3 with u = 1: mean 2, u^2 = 1/3, chi-squared 2 with p = exp(-1), u(d)^2 = 1 - 1/3."""
    got = ring(labs((1, 1), (2, 1), (3, 1)))
    assert got.reference is not None
    assert got.consistency is not None
    assert (got.reference.value, got.reference.U95) == pytest.approx((2, NORMAL_K / math.sqrt(3)))
    assert (got.consistency.chi_squared, got.consistency.p) == pytest.approx((2, math.exp(-1)))
    assert got.consistency.birge_ratio == pytest.approx(1)
    first = got.scores[0]
    assert (first.difference.value, first.difference.U95) == pytest.approx((-1, NORMAL_K * math.sqrt(2 / 3)))
    assert first.en == pytest.approx(-1 / (NORMAL_K * math.sqrt(2 / 3)))
    assert [score.signal for score in got.scores] == ["satisfactory"] * 3


def test_an_outlier_is_judged_by_the_others_and_adds_its_variance() -> None:
    got = ring(labs((1, 1), (2, 1), (13, 1), (3, 1)))
    assert got.reference is not None
    assert got.reference.members == (0, 1, 3)
    assert got.reference.value == pytest.approx(2)
    outlier = got.scores[2]
    assert (outlier.difference.value, outlier.difference.U95) == pytest.approx((11, NORMAL_K * math.sqrt(1 + 1 / 3)))
    assert (outlier.in_reference, outlier.signal) == (False, "action signal")


def test_two_laboratories_have_the_en_of_their_difference() -> None:
    got = ring([LabValue("a", 10.0, 0.3), LabValue("b", 11.0, 0.4)])
    assert got.reference is not None
    assert got.consistency is not None
    assert not got.consistency.consistent
    assert [score.en for score in got.scores] == pytest.approx([-1 / 0.5, 1 / 0.5])


@settings(max_examples=examples(60), deadline=None)
@given(st.lists(st.tuples(st.integers(-40, 40), st.integers(1, 12)), min_size=2, max_size=7))
def test_subset_is_the_best_of_all_subsets(pairs: list[tuple[int, int]]) -> None:
    x, u = np.array([float(x) for x, _ in pairs]), np.array([float(u) for _, u in pairs])
    subset, exact = largest_consistent_subset(x, u)
    assert exact
    for size in range(len(pairs), 0, -1):
        tests = [consistency(x[list(s)], u[list(s)]) for s in itertools.combinations(range(len(pairs)), size)]
        if any(test.consistent for test in tests):
            assert len(subset) == size
            least = min(test.chi_squared for test in tests)
            assert consistency(x[subset], u[subset]).chi_squared == pytest.approx(least, abs=1e-9)
            return


def test_subset_of_a_thousand_laboratories_leaves_out_the_planted_ones() -> None:
    random = np.random.default_rng(5)
    x = random.normal(100, 1, 1000)
    x[:50] += 40
    subset, exact = largest_consistent_subset(x, np.ones(1000))
    assert not exact
    assert subset.min() == 50
    assert len(subset) > 940


def test_algorithm_a_on_the_example_of_iso_5725() -> None:
    """The two ends are clipped, so that x* is the mean of the seven others and s* solves one equation."""
    inner = np.array(sorted(CREOSOTE)[1:-1])
    sd = math.sqrt(np.sum((inner - inner.mean()) ** 2) / (8 / 1.134**2 - 2 * 1.5**2))
    robust = robust_mean(CREOSOTE)
    assert robust is not None
    assert (robust.mean, robust.sd) == pytest.approx((20.412, sd), abs=5e-4)


def test_laboratories_without_plus_minus_have_z_scores_from_five_on() -> None:
    few = ring(labs((10, 1), (11, 1), (12, None)))
    assert few.scores[2].signal is None
    assert few.scores[2].difference.value == pytest.approx(1.5)
    assert "at least 5 laboratories" in few.scores[2].reason
    many = ring(labs(*((x, None) for x in CREOSOTE)))
    assert many.reference is None
    assert many.reason.startswith("No laboratories stated a ±")
    assert [score.signal for score in many.scores[:3]] == ["action signal", "satisfactory", "satisfactory"]
    assert many.scores[5].signal == "warning signal"
    equal = ring(labs(*((x, None) for x in (1, 1, 1, 1, 5))))
    assert {score.signal for score in equal.scores} == {None}


def test_without_a_majority_there_is_no_consensus_value() -> None:
    got = ring(labs((0, 1), (0, 1), (50, 1), (100, 1)))
    assert got.reference is None
    assert got.reason == ("No more than 2 of 4 laboratories agree within their ±, so there is no consensus value.")
    assert {score.en for score in got.scores} == {None}


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([(1.0, 1.0)], "one-laboratory"),
        ([(math.nan, 1.0), (1.0, 1.0)], "not-finite"),
        ([(math.inf, 1.0), (1.0, 1.0)], "not-finite"),
        ([(1.0, 0.0), (1.0, 1.0)], "no-uncertainty"),
        ([(1.0, math.nan), (1.0, 1.0)], "no-uncertainty"),
    ],
)
def test_what_nobody_measured_is_refused(values: list[tuple[float, float]], reason: str) -> None:
    with pytest.raises(Refused) as refused:
        ring([LabValue("a", x, u) for x, u in values])
    assert refused.value.reason == reason


def test_a_huge_spread_of_values_and_uncertainties_stays_finite() -> None:
    """The first decides the mean alone, and its En is still that of the pair: 1 less 5e29 over 1e30."""
    got = ring([LabValue("a", 1.0, 1e-30), LabValue("b", 5e29, 1e30), LabValue("c", -1e30, 1e-3)])
    assert got.reference is not None
    assert got.reference.value == pytest.approx(1.0)
    assert got.reference.members == (0, 1)
    assert [score.en for score in got.scores] == pytest.approx([-0.5, 0.5, -1e33])
