"""What would halve an uncertainty: the advice, followed, gives the u that it promises."""

import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from wattmark.analysis.efficiency.dominant import dominant_contribution
from wattmark_calibration import Contribution, UncertainValue


def budget(*terms):
    return UncertainValue(245.0, "W", tuple(terms))


def test_scatter_asks_for_a_longer_window():
    """0.5 of 0.5099 W is scatter: 0.1 stays, sqrt(0.5099^2/4 - 0.1^2) = 0.2345 is wanted, 4.55 times the window."""
    value = budget(Contribution("Scatter", 0.5, "A", 99, kind="scatter"), Contribution("Specification", 0.1, "B"))
    advice = dominant_contribution(value)
    assert (advice.name, advice.halves) == ("Scatter", True)
    assert advice.action.startswith("Measure 4.5 times as long")
    assert advice.u == pytest.approx(value.u / 2)
    assert advice.share_pct == pytest.approx(100 * 0.25 / 0.26)


def test_a_large_range_asks_for_a_smaller_one():
    """WT310E, 245 W on 300 V x 20 A: 0.245 W of reading and 3.0 W of range; on 5 A the limit would be 0.995 W."""
    root3 = math.sqrt(3)
    term = Contribution("Specification", 3.245 / root3, "B", parts=(("reading", 0.245 / root3), ("range", 3.0 / root3)))
    advice = dominant_contribution(budget(term))
    assert "range 2.2 times smaller" in advice.action
    assert advice.u == pytest.approx(3.245 / root3 / 2)


def test_a_limit_of_reading_asks_for_a_calibration_that_is_good_enough():
    term = Contribution("Specification", 2.0, "B", parts=(("reading", 1.8), ("fixed", 0.2)))
    advice = dominant_contribution(budget(term))
    action = (
        "Have the meter calibrated at this power with an expanded uncertainty (k = 2) of 2 W (0.82 % of the reading)."
    )
    assert advice.action == action, "2 of 245 W"
    assert advice.u == pytest.approx(1.0)


def test_a_calibration_is_asked_for_in_watts_also_for_work_per_joule():
    """146 signs/J at 164 W: a standard uncertainty of 2.6 W is 2.3 signs/J; half of it, with k = 2, is 2.6 W, 1.6 %."""
    limit = Contribution("Specification", 2.6, "B", sensitivity=146 / 164, unit="W")
    advice = dominant_contribution(UncertainValue(146.0, "signs/J", (limit,)))
    assert advice.action.endswith("(k = 2) of 2.6 W (1.6 % of the reading).")
    assert advice.u == pytest.approx(1.3 * 146 / 164)


def test_two_equal_terms_cannot_be_halved_by_one_change():
    advice = dominant_contribution(budget(Contribution("a", 1.0, "A", 9, kind="scatter"), Contribution("b", 1.0, "B")))
    assert not advice.halves
    assert advice.action.startswith("Measure 4 times as long"), "until the scatter is half of the rest"
    assert advice.u == pytest.approx(math.hypot(1.0, 0.5))


def test_a_budget_without_contributions():
    assert dominant_contribution(budget()) is None


KINDS = ["scatter", "repeats", "instrument", "resolution", "drift", "temperature", "power factor"]
KINDS += ["window and clock", "gaps", "wiring", "throughput"]


@given(st.lists(st.tuples(st.sampled_from(KINDS), st.floats(1e-6, 1e3)), min_size=1, max_size=6))
@example([("scatter", 1.0)] * 5)
def test_any_budget_gets_advice_that_helps(terms):
    value = budget(*(Contribution(str(k), u, "B", kind=kind) for k, (kind, u) in enumerate(terms)))
    advice = dominant_contribution(value)
    assert advice.u < value.u
    assert advice.halves == (advice.u <= value.u / 2 * (1 + 1e-9))
    assert advice.action.endswith(".")
