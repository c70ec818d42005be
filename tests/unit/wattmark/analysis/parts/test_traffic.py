"""Watts for traffic: expected values by hand, from the sums of squares of four points."""

from __future__ import annotations

import math
from collections.abc import Mapping

import pytest
from wattmark.analysis.parts.fit import CountedRun
from wattmark.analysis.parts.traffic import WorkedRun, traffic_slope
from wattmark.analysis.refusal import Refused

BY_HAND = (102.1, 103.9, 106.1, 107.9)
"""At 1, 2, 3 and 4 GB/s: slope (1.5 * 5.8 + 0.5 * 2.2) / 5 = 1.96, squares of the residuals 0.032."""
T_2, T_4 = 4.302653, 2.776445
"""Student's factors for 95 % of 2 and 4 degrees of freedom."""
RISING = (1.0, 2.0, 3.0, 4.0)


def fitting(
    name: str,
    watts: tuple[float, ...],
    *,
    rates: tuple[float, ...] = RISING,
    order: tuple[int, ...] = (0, 2, 3, 1),
    within: float | None = None,
    shared: Mapping[str, float] | None = None,
    gain: float = 0.0,
) -> list[WorkedRun]:
    errors = shared or {}
    return [
        WorkedRun(
            rate,
            CountedRun(4, watt, within, {**errors, "gain": gain * watt}, math.inf, name, float(place)),
        )
        for rate, watt, place in zip(rates, watts, order, strict=True)
    ]


def test_one_fitting_is_a_line_through_its_runs() -> None:
    slope = traffic_slope(fitting("a", BY_HAND))
    assert slope.interval.value == pytest.approx(1.96)
    by_hand = T_2 * math.sqrt(0.032 / 2 / 5)
    assert pytest.approx(by_hand, rel=1e-6) == slope.interval.U95
    assert (slope.runs, slope.installations, slope.differs) == (4, 1, False)


def test_what_a_fitting_changes_at_all_levels_cancels() -> None:
    """Two fittings 30 W apart with the same line: twice the squares, four degrees of freedom."""
    apart = tuple(watt + 30 for watt in BY_HAND)
    slope = traffic_slope(
        [*fitting("a", BY_HAND), *fitting("b", apart, rates=(2.0, 3.0, 4.0, 5.0), order=(7, 5, 4, 6))]
    )
    assert slope.interval.value == pytest.approx(1.96)
    by_hand = T_4 * math.sqrt(0.064 / 4 / 10)
    assert pytest.approx(by_hand, rel=1e-6) == slope.interval.U95
    assert slope.installations == 2


def test_an_error_of_the_meter_acts_as_it_does_on_the_slope() -> None:
    """An offset cancels; one of 2 % in gain is 2 % of the slope, however many fittings there are."""
    scatter = T_2 * math.sqrt(0.032 / 2 / 5)
    offset = traffic_slope(fitting("a", BY_HAND, shared={"offset": 5.0}))
    assert pytest.approx(scatter, rel=1e-6) == offset.interval.U95
    gain = traffic_slope(fitting("a", BY_HAND, gain=0.02))
    assert pytest.approx(math.hypot(scatter, 1.959964 * 0.02 * 1.96), rel=1e-4) == gain.interval.U95


def test_fittings_that_differ_are_pooled_and_the_interval_holds_that() -> None:
    """Slopes of 1.96 and 3.96 with the same small scatter: their mean, and an interval that reaches both."""
    steeper = tuple(watt + 2 * rate for watt, rate in zip(BY_HAND, RISING, strict=True))
    slope = traffic_slope([*fitting("a", BY_HAND), *fitting("b", steeper, order=(7, 5, 4, 6))])
    assert slope.differs
    assert slope.interval.value == pytest.approx(2.96)
    assert slope.interval.low < 1.96
    assert slope.interval.high > 3.96


def test_four_fittings_show_by_themselves_how_much_they_differ() -> None:
    """Slopes of 1.96 + (-0.3, -0.1, 0.1, 0.3) as of servers: their sd over 2 is 0.1291, Student's factor 3.182."""
    runs = []
    for number, more in enumerate((-0.3, -0.1, 0.1, 0.3)):
        watts = tuple(watt + more * rate for watt, rate in zip(BY_HAND, RISING, strict=True))
        runs += fitting(f"{number}", watts, order=(4 * number, 4 * number + 2, 4 * number + 3, 4 * number + 1))
    slope = traffic_slope(runs)
    assert slope.interval.value == pytest.approx(1.96)
    assert slope.interval.high - slope.interval.value == pytest.approx(3.182446 * 0.129099, rel=1e-5)


def test_levels_measured_one_after_the_other_have_no_interval() -> None:
    slope = traffic_slope(fitting("a", BY_HAND, order=(0, 1, 2, 3)))
    assert slope.turns == "one after the other"
    assert slope.interval.ends == (None, None)


@pytest.mark.parametrize(
    ("runs", "reason"),
    [
        (fitting("a", BY_HAND[:2], rates=(1.0, 2.0), order=(0, 1)), "few-levels"),
        (fitting("a", BY_HAND, rates=(4.0, 4.1, 4.2, 4.3)), "few-levels"),
        (fitting("a", (102.0, 104.0, 106.0, 108.0)), "no-scatter"),
    ],
)
def test_what_no_slope_can_be_told_from_is_refused(runs: list[WorkedRun], reason: str) -> None:
    with pytest.raises(Refused) as refused:
        traffic_slope(runs)
    assert refused.value.reason == reason


def test_the_scatter_within_runs_is_the_least() -> None:
    """Runs on a line whose own power is known to 0.5 W: the slope is not known better than they are."""
    slope = traffic_slope(fitting("a", (102.0, 104.0, 106.0, 108.0), within=0.5))
    assert pytest.approx(0.5 / math.sqrt(5), rel=1e-6) == slope.interval.U95
