"""Integration of many intervals in one pass, against exact integrals and a slow reference."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.analysis.energy import piecewise
from wattmark.analysis.energy.piecewise import PiecewisePower, integrate

from tests.examples import examples


def slow_integral(t, left, right, begin, end):
    total = 0.0
    for k in range(len(left)):
        b, e = max(begin, t[k]), min(end, t[k + 1])
        if e > b:
            slope = (right[k] - left[k]) / (t[k + 1] - t[k])
            total += (left[k] + slope * ((b + e) / 2 - t[k])) * (e - b)
    return total


def test_line_is_integrated_exactly():
    """The integral of 3 + 2t from a to b is 3(b - a) + b^2 - a^2."""
    t = np.array([0.0, 0.7, 1.1, 4.0, 9.5, 10.0])
    p = 3 + 2 * t
    begin, end = np.array([0.0, 0.8, 1.1, 3.9, 9.6]), np.array([10.0, 1.0, 4.0, 9.7, 9.9])
    expected = 3 * (end - begin) + end**2 - begin**2
    assert integrate(t, p[:-1], p[1:], begin, end) == pytest.approx(expected, rel=1e-13)


def test_steps_are_integrated_exactly():
    t, p = np.array([0.0, 1.0, 3.0, 4.0]), np.array([10.0, 20.0, 30.0])
    begin, end = np.array([0.0, 0.5, 1.5, 1.0, 2.0]), np.array([4.0, 1.5, 2.5, 1.0, 3.5])
    assert integrate(t, p, p, begin, end) == pytest.approx([80.0, 15.0, 20.0, 0.0, 35.0])


def test_outside_the_knots_counts_as_nothing():
    t, p = np.array([0.0, 1.0]), np.array([10.0])
    begin, end = np.array([-5.0, -5.0, 2.0, -1.0]), np.array([0.5, -1.0, 3.0, 9.0])
    assert integrate(t, p, p, begin, end) == pytest.approx([5.0, 0.0, 0.0, 10.0])


def test_no_intervals():
    t, p = np.array([0.0, 1.0]), np.array([10.0])
    assert len(integrate(t, p, p, np.zeros(0), np.zeros(0))) == 0


def test_a_single_knot_holds_nothing():
    none = np.zeros(0)
    assert integrate(np.array([1.0]), none, none, np.array([0.0]), np.array([2.0])) == [0.0]


@settings(max_examples=examples(150), deadline=None)
@given(st.integers(1, 40), st.integers(1, 20), st.integers(0, 2**32 - 1), st.booleans())
def test_agrees_with_a_slow_reference(pieces, intervals, seed, step):
    rng = np.random.default_rng(seed)
    t = np.cumsum(np.concatenate(([0.0], rng.uniform(0.01, 2, pieces))))
    left = rng.uniform(0, 500, pieces)
    right = left if step else rng.uniform(0, 500, pieces)
    begin = rng.uniform(-1, t[-1] + 1, intervals)
    end = begin + rng.uniform(0, 5, intervals)
    begin = np.where(rng.random(intervals) < 0.3, rng.choice(t, intervals), begin)
    end = np.maximum(begin, end)
    expected = [slow_integral(t, left, right, b, e) for b, e in zip(begin, end, strict=True)]
    assert integrate(t, left, right, begin, end) == pytest.approx(expected, rel=1e-12, abs=1e-9)


def test_no_cancellation_over_a_long_series():
    """One small interval at the end of a million samples keeps its digits (a running total would lose them)."""
    t = np.arange(1_000_001.0)
    p = np.full(1_000_000, 300.1)
    energy = integrate(t, p, p, np.array([999_990.0]), np.array([999_999.0]))
    assert energy[0] == pytest.approx(9 * 300.1, rel=1e-14)


def test_uncovered_pieces_are_not_measured_time():
    covered = np.array([True, False, True])
    power = PiecewisePower(np.array([0.0, 1.0, 3.0, 4.0]), *([np.array([10.0, 0.0, 10.0])] * 2), covered)
    whole = np.array([0.0]), np.array([4.0])
    assert power.energy_j(*whole)[0] == pytest.approx(20.0)
    assert power.covered_s(*whole)[0] == pytest.approx(2.0)


@pytest.mark.parametrize("block", [1, 2, 7, 64])
@pytest.mark.parametrize("fills", [True, False])
@pytest.mark.parametrize("overlapping", [True, False])
@pytest.mark.parametrize("long", [10, 10**9])
def test_blocks_and_threads_change_nothing(monkeypatch, block, fills, overlapping, long):
    monkeypatch.setattr(piecewise, "BLOCK", block)
    monkeypatch.setattr(piecewise, "LONG", long)
    monkeypatch.setattr(piecewise.os, "cpu_count", lambda: 3)
    rng = np.random.default_rng(block)
    t_s = np.cumsum(rng.uniform(0.5, 1.5, 60))
    value = rng.normal(300, 50, 60)
    left, right = (value[1:], value[1:]) if fills else (value[:-1], value[1:])
    edges = np.sort(np.concatenate((rng.uniform(-2, 65, 14), t_s[[0, 5, 5, 20, 59]])))
    begin, end = (edges[:-4], edges[4:]) if overlapping else (edges[:-1], edges[1:])
    mixed = rng.permutation(len(begin))
    integrals = piecewise.integrate(t_s, left, right, begin[mixed], end[mixed])
    expected = [slow_integral(t_s, left, right, b, e) for b, e in zip(begin[mixed], end[mixed], strict=True)]
    assert integrals == pytest.approx(expected, rel=1e-12, abs=1e-9)


def test_every_interval_that_touches_the_next_keeps_its_own_edges():
    """One search serves both edges; a knot on an edge belongs to neither side twice."""
    t, p = np.arange(6.0), np.array([1.0, 2.0, 4.0, 8.0, 16.0])
    edges = np.array([0.0, 1.0, 1.0, 2.5, 4.0, 5.0])
    assert integrate(t, p, p, edges[:-1], edges[1:]) == pytest.approx([1.0, 0.0, 4.0, 10.0, 16.0])
