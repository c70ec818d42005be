"""Coverage factors where a rectangular error counts: EA-4/02 M and an independent integration."""

import math

import numpy as np
import pytest
import scipy
from hypothesis import example, given
from hypothesis import strategies as st
from wattmark_calibration import (
    Contribution,
    UncertainValue,
    coverage_factor,
    half_width,
    mixed_dof,
    probability_within,
)
from wattmark_calibration.coverage import NEARLY_ONE


def integrated(width, scatter_u, dof, rectangular_u):
    """Integrate Student's distribution over the rectangle by quadrature."""
    reach = math.sqrt(3) * rectangular_u
    student = scipy.stats.norm() if math.isinf(dof) else scipy.stats.t(dof)
    edges = [w for w in (width - reach, reach - width) if -reach < w < reach]
    value, _ = scipy.integrate.quad(
        lambda r: student.cdf((width - r) / scatter_u) - student.cdf((-width - r) / scatter_u),
        -reach,
        reach,
        points=edges or None,
        limit=400,
    )
    return value / (2 * reach)


@pytest.mark.parametrize("dof", [1, 1.5, 2, 4, 30, math.inf])
@pytest.mark.parametrize("rectangular_u", [0.1, 1.0, 10.0])
def test_against_quadrature(dof, rectangular_u):
    for width in (0.5, 2.0, 8.0):
        expected = integrated(width, 1.0, max(dof, 1), rectangular_u)
        assert probability_within(width, 1.0, dof, rectangular_u) == pytest.approx(expected, abs=2e-6)
    mixed_width = half_width(1.0, dof, rectangular_u)
    assert integrated(mixed_width, 1.0, dof, rectangular_u) == pytest.approx(0.95, abs=2e-6)


def test_a_rectangle_alone():
    """EA-4/02 M:2022, S9.14: k = 1.65 for a dominating rectangular distribution."""
    value = UncertainValue(245.0, "W", (Contribution("limit", 1.0, "B", distribution="rectangular"),))
    assert value.k95 == pytest.approx(0.95 * math.sqrt(3))
    assert value.k95 == pytest.approx(1.65, abs=0.005)


def test_without_a_rectangle_the_factor_is_students():
    terms = (Contribution("scatter", 1.0, "A", 4), Contribution("certificate", 0.5, "B"))
    value = UncertainValue(245.0, "W", terms)
    assert value.k95 == coverage_factor(value.dof)


def test_two_equal_rectangles_against_the_triangle():
    """The larger one enters as it is, the other as normal: 95 % of a triangle lie within sqrt(6) (1 - sqrt(0.05)) u."""
    terms = [Contribution(name, 1.0, "B", distribution="rectangular") for name in "ab"]
    value = UncertainValue(245.0, "W", tuple(terms))
    assert value.k95 == pytest.approx(math.sqrt(6) * (1 - math.sqrt(0.05)), rel=0.01)


@given(st.floats(1e-9, 1e6), st.floats(1.0, 1e4), st.floats(1e-9, 1e6))
@example(8.0, 1.0078125, 1.0)
def test_the_interval_lies_between_its_parts_and_their_sum(scatter_u, dof, rectangular_u):
    width = float(half_width(scatter_u, dof, rectangular_u))
    t, box = float(scipy.stats.t(dof).ppf(0.975)) * scatter_u, 0.95 * math.sqrt(3) * rectangular_u
    # Between 1 and 1.01 degrees of freedom the interval is that of 1, the wider one.
    widest = t if dof >= NEARLY_ONE else float(scipy.stats.t(1.0).ppf(0.975)) * scatter_u
    assert max(t, box) * (1 - 1e-6) <= width <= (widest + box / 0.95) * (1 + 1e-6)
    assert probability_within(width, scatter_u, dof, rectangular_u) == pytest.approx(0.95, abs=1e-5)


def test_arrays_give_what_each_gives_alone():
    dof, box = np.array([2.0, 5.0, 40.0]), np.array([0.0, 1.0, 3.0])
    alone = [float(half_width(1.0, d, b)) for d, b in zip(dof, box, strict=True)]
    assert half_width(1.0, dof, box) == pytest.approx(alone, rel=1e-12)


@pytest.mark.parametrize("dof", [2, 4, 9])
@pytest.mark.parametrize("rectangular_u", [0.2, 1.0, 4.0])
def test_intervals_from_an_estimated_scatter_hold_the_truth(dof, rectangular_u):
    """The scatter is estimated anew in every trial, the rectangular error drawn anew: 95 % of intervals hold it."""
    rng, trials = np.random.default_rng(11), 20_000
    scatter_u = np.sqrt(rng.chisquare(dof, trials) / dof)
    error = rng.normal(size=trials) + rng.uniform(-1, 1, trials) * math.sqrt(3) * rectangular_u
    width = half_width(scatter_u, mixed_dof(scatter_u, dof, rectangular_u), rectangular_u)
    assert np.mean(np.abs(error) <= width) == pytest.approx(0.95, abs=0.01)
