"""Speed-up and parallel efficiency: dual to quad as the first article prints it."""

import pytest
from wattmark.analysis.comparison.measured import Measured, measured
from wattmark.analysis.comparison.rounding import round_half_away
from wattmark.analysis.refusal import Refused
from wattmark.analysis.scaling.speed_up import speed_up


@pytest.mark.parametrize(
    ("levels", "values", "printed_pct"),
    [((4, 8), (362, 433), 20), ((2, 4), (749, 590), -21), ((2, 4), (996, 904), -9), ((2, 4), (805, 622), -23)],
)
def test_article_000_mysql(levels, values, printed_pct):
    _, more = speed_up(levels, measured(values))
    assert round_half_away(100 * (more.ratio - 1), 0) == printed_pct
    assert more.efficiency == pytest.approx(values[1] / values[0] / 2)


def test_interval_of_a_speed_up():
    """1 % each, exact degrees of freedom infinite: factor exp(+-1.96 sqrt(2) %)."""
    _, more = speed_up([1, 2], measured([100.0, 180.0], [1.0, 1.8]))
    low, high = more.interval
    assert (low, high) == (pytest.approx(1.8 * 0.97266, rel=1e-4), pytest.approx(1.8 * 1.02810, rel=1e-4))
    assert speed_up([1, 2], (Measured(1.0), Measured(2.0)))[1].interval is None


def test_any_level_may_be_the_base():
    rows = speed_up([1, 2, 4], measured([10.0, 19.0, 30.0]), base=2)
    assert [row.ratio for row in rows] == [pytest.approx(10 / 19), 1.0, pytest.approx(30 / 19)]
    with pytest.raises(Refused) as refusal:
        speed_up([1, 2], measured([1.0, 2.0]), base=3)
    assert refusal.value.reason == "no-base"
