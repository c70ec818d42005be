"""Control chart of the check standard."""

import math

import numpy as np
import pytest
from wattmark_calibration.check_standard.chart import Baseline, Zone, baseline, control_chart, drift_from_centre
from wattmark_calibration.check_standard.rules import NELSON

BASE = Baseline(100.0, 0.1, 20)


def test_limits():
    assert BASE.warning_limits == pytest.approx((99.8, 100.2))
    assert BASE.action_limits == pytest.approx((99.7, 100.3))


def test_zones_and_signals():
    chart = control_chart(BASE, [100.05, 100.21, 99.78, 100.31])
    assert [point.zone for point in chart.points] == [Zone.IN_CONTROL, Zone.WARNING, Zone.WARNING, Zone.OUT_OF_CONTROL]
    assert chart.points[3].signals == ("WE 1", "WE 2")
    assert chart.points[3].z == pytest.approx(3.1)


def test_a_single_warning_signals_nothing():
    points = control_chart(BASE, [100.0, 100.21, 99.95]).points
    assert [point.zone for point in points] == [Zone.IN_CONTROL, Zone.WARNING, Zone.IN_CONTROL]
    assert not any(point.signals for point in points)


def test_a_point_within_its_limits_is_out_of_control_when_it_completes_a_run():
    eighth = control_chart(BASE, [100.05] * 8).points[-1]
    assert (eighth.zone, eighth.verdict) == (Zone.IN_CONTROL, Zone.OUT_OF_CONTROL)
    assert eighth.violations == ("8 points in a row on one side of the centre",)


def test_a_warning_is_named_and_a_point_within_limits_breaks_nothing():
    warning, quiet = control_chart(BASE, [100.21, 99.95]).points
    assert (warning.verdict, warning.violations) == (Zone.WARNING, ("beyond 2 s of the centre",))
    assert (quiet.verdict, quiet.violations) == (Zone.IN_CONTROL, ())


def test_a_slow_drift_is_seen_before_the_limits_are():
    """0.15 s per week: no point beyond 3 s in 13 weeks, but the run on one side tells."""
    readings = [100 + 0.015 * week for week in range(1, 14)]
    chart = control_chart(BASE, readings)
    assert all(point.zone is not Zone.OUT_OF_CONTROL for point in chart.points)
    assert chart.points[7].signals == ("WE 4",)
    assert "Nelson 3" in control_chart(BASE, readings, NELSON).points[5].signals


def test_limits_from_ten_readings_alarm_more_often_than_known_ones():
    """Of unchanged loads every 17th later reading is out of control, as the docstring says, and not every 92nd."""
    rng = np.random.default_rng(1)
    charts = [control_chart(baseline(rng.normal(100, 0.1, 10)), rng.normal(100, 0.1, 30)) for _ in range(600)]
    alarms = sum(point.verdict is Zone.OUT_OF_CONTROL for chart in charts for point in chart.points)
    assert alarms / (600 * 30) == pytest.approx(1 / 17, rel=0.15)


def test_baseline_from_readings():
    readings = [99.9, 100.1] * 5
    base = baseline(readings)
    assert base.centre == pytest.approx(100)
    assert base.s == pytest.approx(0.1 * math.sqrt(10 / 9))
    assert base.count == 10


def test_drift_with_its_uncertainty():
    moved, u = drift_from_centre(BASE, [100.3, 100.3, 100.3, 100.3])
    assert moved == pytest.approx(0.3)
    assert u == pytest.approx(0.1 * math.sqrt(1 / 4 + 1 / 20))


def test_drift_interval_holds_the_truth():
    rng, inside, trials = np.random.default_rng(11), 0, 2000
    for _ in range(trials):
        moved, u = drift_from_centre(
            Baseline(float(rng.normal(100, 0.1, 20).mean()), 0.1, 20), rng.normal(100.2, 0.1, 4)
        )
        inside += abs(moved - 0.2) <= 1.96 * u
    assert 0.93 <= inside / trials <= 0.97


@pytest.mark.parametrize(
    ("readings", "words"),
    [([100.0] * 9, "at least 10"), ([100.0] * 10, "All readings are equal"), ([100.0, math.nan] * 6, "finite")],
)
def test_baselines_that_say_nothing(readings, words):
    with pytest.raises(ValueError, match=words):
        baseline(readings)


def test_bad_readings():
    with pytest.raises(ValueError, match="finite"):
        control_chart(BASE, [100.0, math.inf])
    with pytest.raises(ValueError, match="at least one"):
        drift_from_centre(BASE, [])
