"""Ranks with ties; statsmodels as oracle for Holm."""

import math

import numpy as np
import pytest
from statsmodels.stats.multitest import multipletests
from wattmark.analysis.comparison import Observation, system
from wattmark.analysis.ranking import compare_all, holm, rank_interval


def runs(*values):
    return system([Observation(v, None, math.inf, {}, True, "m") for v in values])


@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_holm_against_statsmodels(n):
    p = (np.random.default_rng(n).random(n) ** 3).tolist()
    assert holm(p) == pytest.approx(list(multipletests(p, method="holm")[1]), abs=1e-12)


def test_holm_of_nothing():
    assert holm([]) == []


def test_ranks_and_ties():
    """Two alike on top, one clearly last: 1-2, 1-2, 3."""
    systems = {
        "a": runs(30.0, 30.2, 29.8, 30.1),
        "b": runs(30.1, 29.9, 30.2, 29.9),
        "c": runs(20.0, 20.1, 19.9, 20.05),
    }
    compared = compare_all(systems)
    assert [rank_interval(k, systems, compared) for k in systems] == [(1, 2), (1, 2), (3, 3)]
    assert compared.significant("a", "b") is False
    assert compared.significant("c", "a") is True


def test_not_different_is_not_transitive():
    """Middle of three ties with both neighbours, while the ends differ: 1-2, 1-3, 2-3."""
    systems = {"a": runs(30.0, 30.5, 31.0), "b": runs(29.0, 29.6, 30.2), "c": runs(28.2, 28.7, 29.2)}
    compared = compare_all(systems)
    assert [rank_interval(k, systems, compared) for k in systems] == [(1, 2), (1, 3), (2, 3)]


def test_single_runs_have_no_rank():
    systems = {"a": runs(30.0, 30.1), "b": runs(20.0)}
    assert rank_interval("a", systems, compare_all(systems)) is None


def test_repeats_without_any_scatter_cannot_be_tested():
    systems = {"a": runs(30.0, 30.0), "b": runs(20.0, 20.0)}
    assert compare_all(systems).significant("a", "b") is None
