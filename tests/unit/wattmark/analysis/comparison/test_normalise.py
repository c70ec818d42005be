"""Normalised tables of the fourth article: M9000 against E25K."""

import pytest
from wattmark.analysis.comparison.measured import Measured
from wattmark.analysis.comparison.normalise import normalised
from wattmark.analysis.comparison.rounding import round_half_away
from wattmark.analysis.refusal import Refused


@pytest.mark.parametrize(
    ("m9000", "e25k", "printed"),
    [(728, 303, 2.403), (4881, 2865, 1.704), (6194, 3938, 1.573), (44, 105, 0.419), (626, 907, 0.69)],
)
def test_article_003(m9000, e25k, printed):
    base, other = normalised({"e25k": Measured(e25k), "m9000": Measured(m9000)}, "e25k")
    assert (base.factor, base.interval) == (1.0, None)
    assert round_half_away(other.factor, 3) == printed


def test_article_003_cells_that_do_not_give_the_print():
    _, other = normalised({"e25k": Measured(271), "m9000": Measured(264)}, "e25k")
    assert round_half_away(other.factor, 3) == 0.974


def test_interval_of_a_factor():
    _, other = normalised({"a": Measured(1.0, 0.03), "b": Measured(2.0, 0.08)}, "a")
    low, high = other.interval
    assert low * high == pytest.approx(4)
    assert other.estimate.u == pytest.approx(0.05)


@pytest.mark.parametrize(("value", "baseline", "reason"), [(1.0, "c", "no-baseline"), (0.0, "a", "zero")])
def test_refused(value, baseline, reason):
    with pytest.raises(Refused) as refusal:
        normalised({"a": Measured(value), "b": Measured(1.0)}, baseline)
    assert refusal.value.reason == reason
