"""Ranks with ties; statsmodels as oracle for Holm."""

import math

import numpy as np
import pytest
from wattmark.analysis.comparison.comparison import Observation, ratio, system
from wattmark.analysis.comparison.ranking import compare_all, holm, rank_interval


def runs(*values, begin_s=0.0):
    """Make a system of runs a minute apart; systems that begin at one time are measured in turns."""
    return system(
        [Observation(v, None, math.inf, {}, True, "m", made_s=begin_s + 60.0 * i) for i, v in enumerate(values)]
    )


@pytest.mark.parametrize("n", [1, 2, 5, 12])
def test_holm_against_statsmodels(n):
    from statsmodels.stats.multitest import multipletests

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


def _false_differences(n, k, *, trials, unequal=False, boot=0.0, boots=None, seed=9):
    """Share of campaigns of k equal configurations in which any two are called different."""
    rng = np.random.default_rng(seed)
    sd = 0.001 * (np.geomspace(0.3, 3.0, k) if unequal else np.ones(k))
    called = 0
    for _ in range(trials):
        systems = {}
        for i in range(k):
            shift = rng.normal(0, boot, n) if boots is not None else np.full(n, rng.normal(0, boot))
            values = np.exp(rng.normal(0, sd[i], n) + (shift[boots] if boots is not None else shift))
            names = [str(b) for b in boots] if boots is not None else [""] * n
            systems[str(i)] = system(
                [
                    Observation(float(v), None, math.inf, {}, True, "m", boot=b)
                    for v, b in zip(values, names, strict=True)
                ]
            )
        called += any(p < 0.05 for p in compare_all(systems).p_adjusted.values())
    return called / trials


@pytest.mark.parametrize("unequal", [False, True])
@pytest.mark.parametrize(
    ("n", "k", "trials"), [(2, 8, 50), (3, 2, 800), (3, 5, 400), (3, 12, 200), (5, 2, 800), (5, 12, 200)]
)
def test_familywise_error(n, k, trials, unequal):
    """Two runs are not tested: Welch's test on them called equal configurations different in up to 28 %."""
    assert _false_differences(n, k, trials=trials, unequal=unequal) <= (0.0 if n == 2 else 0.06)


def _best_of_equals(k, n, trials):
    """Share of campaigns of k equal configurations in which any is called worse than the best, and in which the 95 %
    interval of any ratio to the best excludes 1, which is the truth.
    """
    rng, called, excluded = np.random.default_rng(37), 0, 0
    for _ in range(trials):
        systems = {str(i): runs(*row, begin_s=i) for i, row in enumerate(np.exp(rng.normal(0, 0.001, (k, n))).tolist())}
        compared = compare_all(systems)
        best = max(systems, key=lambda key: systems[key].log.mean)
        others = [key for key in systems if key != best]
        called += any(compared.significant(best, key) for key in others)
        ends = [ratio(systems[key], systems[best]).interval() for key in others]
        excluded += any(not low <= 1 <= high for low, high in ends)
    return called / trials, excluded / trials


@pytest.mark.parametrize(("k", "n", "trials"), [(2, 3, 800), (3, 5, 800), (12, 5, 200)])
def test_the_verdict_against_a_best_that_chance_chose_holds_its_error_rate(k, n, trials):
    """Of 5 %, with what so few campaigns leave to chance: two standard deviations, sqrt(0.05 * 0.95 / trials) each."""
    called, _ = _best_of_equals(k, n, trials)
    assert called <= 0.05 + 2 * math.sqrt(0.05 * 0.95 / trials)


def test_the_intervals_of_ratios_to_the_best_of_many_do_not_hold_all_at_once():
    """The range of twelve equal means, against Student's factor of a single pair: Tukey's table has 0.05 at 4.8
    standard deviations of a mean and 48 degrees of freedom, Student's interval ends at sqrt(2) * 2.3 = 3.3, which the
    range exceeds more often than not. A comparison of three and more says so.
    """
    called, excluded = _best_of_equals(12, 5, 200)
    assert excluded > 0.3 > called


@pytest.mark.parametrize("boots", [[0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2], [0, 1, 1, 1, 2, 2]])
@pytest.mark.parametrize("k", [2, 6])
def test_familywise_error_with_several_boots(k, boots):
    """Boots shift by three times what repeats scatter; taken as independent, six runs were called different in 45 %."""
    boots = np.array(boots)
    assert _false_differences(6, k, trials=300, boot=0.003, boots=boots) <= 0.06


def test_systems_measured_one_after_the_other_are_not_tested_and_take_each_others_rank():
    """Two pairs, each measured in turns, the second pair after the first: its order tells nothing between the pairs."""
    systems = {
        "a": runs(30.0, 30.2, 29.8),
        "b": runs(20.0, 20.1, 19.9),
        "c": runs(25.0, 25.1, 24.9, begin_s=1000.0),
        "d": runs(10.0, 10.1, 9.9, begin_s=1000.0),
    }
    compared = compare_all(systems)
    assert compared.significant("a", "b") is compared.significant("c", "d") is True
    assert compared.significant("a", "c") is None
    assert compared.only_order_bars("c", "a")
    assert not compared.only_order_bars("a", "b")
    assert [rank_interval(k, systems, compared) for k in systems] == [(1, 3), (2, 4), (1, 3), (2, 4)]


def test_runs_of_unknown_time_are_not_tested():
    systems = {name: system([Observation(v, None, math.inf, {}, True, "m") for v in (w, w + 0.1, w + 0.2)])
               for name, w in (("a", 30.0), ("b", 20.0))}  # fmt: skip
    compared = compare_all(systems)
    assert compared.significant("a", "b") is None
    assert compared.only_order_bars("a", "b")
    assert rank_interval("a", systems, compared) is None
