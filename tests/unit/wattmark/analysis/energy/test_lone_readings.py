"""Which readings stand alone, far from all others: drawn readings with a known cause."""

import numpy as np
import pytest
from wattmark.analysis.energy.meter_power import lone_readings
from wattmark.analysis.energy.power import analyse_power
from wattmark.analysis.verdict import Limits

N = 300
STEADY = 300 + np.arange(N) * 7 % 11 * 0.1


def changed(places, value):
    readings = STEADY.copy()
    readings[places] = value
    return readings


@pytest.mark.parametrize(
    ("value", "count", "farthest_w"),
    [
        (changed([-1], STEADY[:-1].sum()), 1, STEADY[:-1].sum()),  # the sum of the log in its last line
        (changed([20, 90, 200], 9999.9), 3, 9999.9),  # an overflow
        (changed(slice(5, None, 10), 0.3), 30, 0.3),  # kW among W
        (STEADY, 0, None),
        (np.where(np.arange(N) % 40 < 4, 320.0, 35.0) + STEADY / 100, 0, None),  # bursts of a load
        (changed([100], 2400.0), 0, None),  # an inrush of eight times the power
    ],
    ids=["sum", "overflow", "another unit", "steady", "bursts", "inrush"],
)
def test_readings_that_stand_alone_are_counted(value, count, farthest_w):
    lone = lone_readings(value)
    assert lone is not None
    assert lone[0] == count
    if count:
        assert lone[1] == pytest.approx(farthest_w)
        others = np.delete(value, np.flatnonzero((value > 3000) | (value < 30)))
        assert lone[2] == pytest.approx(100 * abs(value.mean() / others.mean() - 1))


def test_too_few_readings_tell_nothing():
    assert lone_readings(np.full(7, 300.0)) is None


@pytest.mark.parametrize("offset_s", [0.5, 1.0], ids=["inside", "at the end of the window"])
@pytest.mark.parametrize(("last_w", "outcome"), [(90270.0, "fail"), (301.0, "pass")])
def test_the_verdict_names_the_reading_and_what_it_moves(make_trace, make_window, last_w, outcome, offset_s):
    value = changed([-1], last_w)
    result = analyse_power([make_trace(np.arange(N) + offset_s, value)], make_window(N), Limits())
    verdict = next(verdict for verdict in result.verdicts if verdict.rule == "lone-readings")
    assert verdict.outcome == outcome
    if outcome == "fail":
        assert "1 reading stands alone" in verdict.text
        assert "90270 W; the mean moves by 99.8 %" in verdict.text
