"""Delta tables: the articles' averages, pairing with everything else equal, refusals."""

import math

import pytest
from wattmark.analysis.comparison.deltas import (
    Cell,
    delta,
    delta_of_means_pct,
    delta_table,
    mean_of_deltas_pct,
    shown_pct,
)
from wattmark.analysis.comparison.measured import Measured
from wattmark.analysis.comparison.rounding import round_half_away
from wattmark.analysis.refusal import Refused


@pytest.mark.parametrize(
    ("deltas", "recomputed", "printed"),
    [
        ([6.2, -2.7, -1.9, -1.6], 0.0, 0.0),
        ([2.9, -4.4, -5.8, -5.7], -3.25, -3.3),
        ([20.2, 20.2, 18.7, 16.0], 18.775, 18.8),
        ([13.1, 8.8, 8.3, 6.2], 9.1, 9.1),
        ([5.1, 8.8, 12.4, 2.6], 7.225, 7.2),
        ([9.9, 11.7, 16.3, 10.6], 12.125, 12.1),
        ([9.2, 11.1, 14.3, 9.9], 11.125, 11.1),
    ],
)
def test_article_001_averages_of_deltas(deltas, recomputed, printed):
    assert mean_of_deltas_pct(deltas) == recomputed
    assert round_half_away(mean_of_deltas_pct(deltas), 1) == printed


@pytest.mark.parametrize(
    ("new", "old", "pct", "printed"),
    [
        ([466, 505, 496, 508, 497], [356, 361, 350, 355, 348], 39.661017, 40),
        ([473, 521, 531, 555, 526], [358, 375, 371, 371, 368], 41.399891, 41),
        ([497, 517, 545, 506, 495], [473, 521, 531, 555, 526], -1.765157, -2),
        ([358, 375, 371, 371, 368], [442, 487, 507, 490, 502], -24.093904, -24),
    ],
)
def test_article_002_deltas_of_averages(new, old, pct, printed):
    assert delta_of_means_pct(new, old) == pytest.approx(pct, abs=5e-7)
    assert round_half_away(delta_of_means_pct(new, old), 0) == printed


def cell(value, u=None, **factors):
    return Cell(factors, Measured(value, u))


CELLS = [
    cell(102.9, kernel="2.6.18", cpus="1", bits="64"),
    cell(95.6, kernel="2.6.18", cpus="2", bits="64"),
    cell(100.0, kernel="2.6.15", cpus="1", bits="64"),
    cell(100.0, kernel="2.6.15", cpus="2", bits="64"),
    cell(80.0, kernel="2.6.15", cpus="2", bits="32"),
]


def test_pairs_with_all_else_equal():
    table = delta_table(CELLS, "kernel", "2.6.18", "2.6.15")
    assert [(row.others, row.delta_pct) for row in table.rows] == [
        ({"cpus": "1", "bits": "64"}, pytest.approx(2.9)),
        ({"cpus": "2", "bits": "64"}, pytest.approx(-4.4)),
    ]
    assert table.unpaired == (CELLS[4],)
    assert table.mean_of_deltas_pct == -0.75
    assert table.delta_of_means_pct == -0.75
    assert table.geometric_mean_pct == pytest.approx(100 * (math.sqrt(1.029 * 0.956) - 1))


def test_any_other_factor_of_the_same_cells():
    assert [row.delta_pct for row in delta_table(CELLS, "bits", "64", "32").rows] == [25.0]
    assert [row.delta_pct for row in delta_table(CELLS, "cpus", "2", "1").rows] == [pytest.approx(-7.0942662), 0.0]


def test_average_of_deltas_is_not_delta_of_averages():
    cells = [cell(200.0, f="a", n="1"), cell(10.0, f="a", n="2"), cell(100.0, f="b", n="1"), cell(20.0, f="b", n="2")]
    table = delta_table(cells, "f", "a", "b")
    assert table.mean_of_deltas_pct == 25
    assert table.delta_of_means_pct == 75
    assert table.geometric_mean_pct == pytest.approx(0)


def test_interval_of_a_delta():
    """Article 002: 2 % scatter of each value, so about 5.7 % make a difference; +2 % is a tie, +35 % is not."""
    tie = delta(Measured(497.0, 0.02 * 497), Measured(485.6, 0.02 * 485.6)).interval_pct
    clear = delta(Measured(497.0, 0.02 * 497), Measured(368.6, 0.02 * 368.6)).interval_pct
    assert tie[0] < 0 < tie[1]
    assert clear[0] > 0
    assert tie[1] - tie[0] == pytest.approx(2 * 5.55 * 1.0235, rel=0.01)
    assert delta(Measured(1.0), Measured(2.0)).interval_pct is None


@pytest.mark.parametrize(
    ("cells", "factor", "new", "old", "reason"),
    [
        (CELLS, "kernel", "2.6.20", "2.6.15", "no-such-value"),
        (CELLS, "colour", "red", "blue", "no-such-value"),
        (CELLS, "kernel", "2.6.15", "2.6.15", "same-value"),
        ([*CELLS, CELLS[0]], "kernel", "2.6.18", "2.6.15", "ambiguous"),
        ([cell(1.0, a="x", b="1"), cell(1.0, a="y", b="2")], "a", "x", "y", "no-pair"),
        ([cell(1.0, a="x"), cell(0.0, a="y")], "a", "x", "y", "zero"),
        ([cell(-1.0, a="x"), cell(1.0, a="y")], "a", "x", "y", "negative"),
    ],
)
def test_tables_that_are_refused(cells, factor, new, old, reason):
    with pytest.raises(Refused) as refusal:
        delta_table(cells, factor, new, old)
    assert refusal.value.reason == reason


def test_means_of_nothing():
    with pytest.raises(Refused):
        delta_of_means_pct([], [1.0])


@pytest.mark.parametrize(("pct", "text"), [(-3.25, "-3.3 %"), (12.025, "+12.0 %"), (0.04, "0.0 %"), (-0.04, "0.0 %")])
def test_shown(pct, text):
    assert shown_pct(pct) == text
