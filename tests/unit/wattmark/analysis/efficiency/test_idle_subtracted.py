"""Idle-subtracted work per joule: what one meter does to both powers, and what idle itself does."""

import math

import pytest
from wattmark.analysis.efficiency.idle_subtracted import idle_power, idle_subtracted_power, subtract_idle
from wattmark.analysis.refusal import Refused
from wattmark.analysis.verdict import Limits
from wattmark_calibration import Contribution, UncertainValue

LIMITS = Limits()


def watts(value, gain_pct=1.0, scatter_w=0.1, complete=True):
    gain = Contribution("gain", gain_pct / 100 * value, "B", correlation_group="meter A", unit="W")
    scatter = Contribution("scatter", scatter_w, "A", 30.0, unit="W", kind="scatter")
    return UncertainValue(value, "W", (gain, scatter), complete=complete)


def test_a_gain_error_acts_on_the_difference_only():
    """JCGM 100, 5.2.2 with r = 1: 1 % of 250 W less 1 % of 150 W is 1 % of 100 W, not 1 % of each in quadrature."""
    net = idle_subtracted_power(
        watts(250.0, scatter_w=0.0), idle_power([watts(150.0, scatter_w=0.0)], [], 250.0, LIMITS)
    )
    assert net.value == 100.0
    assert net.u == pytest.approx(1.0)


def test_scatter_adds_in_quadrature():
    """Two idle phases count half each: u = sqrt(0.3^2 + 2 (0.2/2)^2)."""
    idle = idle_power([watts(150.0, 0.0, 0.2)], [watts(150.0, 0.0, 0.2)], 250.0, LIMITS)
    assert idle_subtracted_power(watts(250.0, 0.0, 0.3), idle).u == pytest.approx(math.sqrt(0.09 + 0.02))


@pytest.mark.parametrize(("after_w", "outcome"), [(152.4, "pass"), (153.0, "fail"), (147.0, "fail")])
def test_idle_before_and_after_must_agree(after_w, outcome):
    """1 % of 250 W under load is 2.5 W."""
    idle = idle_power([watts(150.0)], [watts(after_w)], 250.0, LIMITS)
    assert idle.verdict.outcome == outcome
    assert idle.verdict.value == pytest.approx(100 * (after_w - 150) / 250)
    assert idle.mean.value == pytest.approx((150 + after_w) / 2)
    drift = next(c for c in idle.mean.contributions if c.kind == "drift")
    assert drift.u == pytest.approx(abs(after_w - 150) / 2 / math.sqrt(3))


def test_one_side_tells_nothing_about_drift():
    idle = idle_power([watts(150.0)], [], 250.0, LIMITS)
    assert idle.verdict.outcome == "not-checked"
    assert (idle.before_w, idle.after_w) == (150.0, None)


def test_an_unknown_idle_gives_no_uncertainty():
    idle = idle_power([watts(150.0, complete=False)], [], 250.0, LIMITS)
    assert not idle_subtracted_power(watts(250.0), idle).complete


def test_idle_subtracted_efficiency():
    """8000 signs/s over idle-subtracted 100 W are 80 signs/J; 1 % of the difference is 1 % of it."""
    rate = UncertainValue(8000.0, "signs/s", ())
    above = subtract_idle(watts(250.0, scatter_w=0.0), [watts(150.0, scatter_w=0.0)], [], rate, "signs", LIMITS)
    quotient = above.efficiency
    assert (quotient.value, quotient.unit) == (80.0, "signs/J")
    assert quotient.u == pytest.approx(0.8)


def test_no_idle_phase():
    with pytest.raises(Refused, match="no idle phase"):
        idle_power([], [], 250.0, LIMITS)


def test_a_load_below_idle_has_no_such_figure():
    with pytest.raises(Refused, match="no more power than idle"):
        idle_subtracted_power(watts(150.0), idle_power([watts(151.0)], [], 150.0, LIMITS))
    same = math.nextafter(377.5, 378.0)
    with pytest.raises(Refused, match="no more power than idle"):
        idle_subtracted_power(watts(same), idle_power([watts(377.5)], [], same, LIMITS))
