"""The control chart of stored readings."""

from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import ValidationError
from wattmark.core.errors import Conflict, InputError, NotFound
from wattmark.results.data_folder import open_storage
from wattmark.traceability.check_standards.record import NewCheckStandard
from wattmark.traceability.check_standards.service import CheckStandards
from wattmark.traceability.check_standards.views import CheckChartOut, NewReading

from tests.set_clock import SetClock

from .conftest import DAY_NS

BASELINE = (99.9, 100.1) * 5
"""Mean 100 W, s = 0.1 sqrt(10/9) W = 0.105 W."""


def record(room: CheckStandards, clock: SetClock, *watts: float, **facts: object) -> CheckChartOut:
    """Record one reading per week [W]."""
    for power_w in watts:
        clock.now_ns += 7 * DAY_NS
        chart = room.record_by_hand("bulb", NewReading(power_w=power_w, operator="E. Bauer", **facts))  # type: ignore[arg-type]
    return chart


def test_an_empty_chart_says_what_to_do(room: CheckStandards):
    chart = room.chart("bulb")
    assert (chart.standard.state, chart.segments, chart.standard.last) == ("no readings", [], None)
    assert "the first ten" in chart.standard.statement


def test_the_baseline_needs_ten_readings(room: CheckStandards, clock: SetClock):
    chart = record(room, clock, *BASELINE[:9])
    assert chart.segments[0].baseline is None
    assert chart.segments[0].missing == 1
    assert chart.standard.statement == "9 of 10 readings for the baseline; no verdicts yet."


def test_limits_are_two_and_three_s_about_the_mean(room: CheckStandards, clock: SetClock):
    base = record(room, clock, *BASELINE).segments[0].baseline
    assert base is not None
    s = 0.1 * (10 / 9) ** 0.5
    assert (base.centre_w, base.s_w) == pytest.approx((100, s))
    assert (base.warning_low_w, base.action_high_w) == pytest.approx((100 - 2 * s, 100 + 3 * s))


def test_readings_after_the_baseline_are_judged_in_words(room: CheckStandards, clock: SetClock):
    chart = record(room, clock, *BASELINE, 100.0, 100.25, 100.4)
    inside, warned, out = chart.segments[0].points[10:]
    assert (inside.zone, inside.violations) == ("in control", [])
    assert (warned.zone, warned.violations) == ("warning", ["beyond 2 s of the centre"])
    assert out.zone == "out of control"
    assert out.violations == ["1 point beyond 3 s", "2 of 3 points beyond 2 s on one side"]
    assert chart.standard.state == "out of control"
    assert "find the cause" in chart.standard.statement
    assert chart.drift.value == pytest.approx((100.0 + 100.25 + 100.4) / 3 - 100)
    assert chart.drift.u == pytest.approx(0.1 * (10 / 9) ** 0.5 * (1 / 3 + 1 / 10) ** 0.5)
    assert pytest.approx(2.262 * chart.drift.u, rel=1e-3) == chart.drift.U95  # Student's t, 9 degrees of freedom


def test_a_warning_asks_to_repeat_and_a_good_reading_clears_it(room: CheckStandards, clock: SetClock):
    assert "repeat the check" in record(room, clock, *BASELINE, 100.25).standard.statement
    assert record(room, clock, 100.0).standard.state == "in control"


def test_a_slow_drift_is_out_of_control_long_before_three_s(room: CheckStandards, clock: SetClock):
    chart = record(room, clock, *BASELINE, *(100 + 0.005 * week for week in range(1, 9)))
    assert chart.segments[0].points[-1].violations == ["8 points in a row on one side of the centre"]
    assert chart.standard.state == "out of control"


def test_no_reading_of_the_baseline_is_judged(room: CheckStandards, clock: SetClock):
    chart = record(room, clock, *BASELINE)
    assert {(point.in_baseline, point.z, point.zone) for point in chart.segments[0].points} == {(True, None, None)}


def test_a_new_baseline_keeps_what_was_judged_before(room: CheckStandards, clock: SetClock):
    record(room, clock, *BASELINE, 101.0)
    chart = record(room, clock, 101.0, begins_baseline=True)
    old, new = chart.segments
    assert old.points[-1].zone == "out of control"
    assert (len(new.points), new.missing, new.baseline) == (1, 9, None)
    assert (chart.standard.state, chart.standard.readings) == ("baseline", 12)


def test_readings_that_do_not_scatter_make_no_baseline(room: CheckStandards, clock: SetClock):
    chart = record(room, clock, *[100.0] * 11)
    assert chart.segments[0].baseline is None
    assert "All readings are equal" in chart.standard.statement


def test_a_check_is_due_after_a_week(room: CheckStandards, clock: SetClock):
    assert not record(room, clock, 100.0).standard.overdue
    clock.now_ns += 7 * DAY_NS
    assert not room.chart("bulb").standard.overdue
    clock.now_ns += 1_000_000_000
    assert room.list()[0].overdue


def test_a_reading_of_the_past_takes_its_place_in_time(room: CheckStandards, clock: SetClock):
    record(room, clock, 100.0, 100.2)
    order = NewReading(power_w=99.9, operator="E. Bauer")
    chart = room.record_by_hand("bulb", order, datetime(2025, 11, 30, tzinfo=UTC))
    assert [point.power_w for point in chart.segments[0].points] == [100.0, 99.9, 100.2]


@pytest.mark.parametrize(
    ("instant", "words"),
    [
        (datetime(2525, 1, 1, tzinfo=UTC), "in the future"),
        (datetime(1, 1, 1, tzinfo=UTC), "too long ago"),
        (datetime(2025, 1, 1), "no time zone"),  # noqa: DTZ001
    ],
)
def test_an_instant_that_cannot_be_is_refused(room: CheckStandards, instant: datetime, words: str):
    with pytest.raises(InputError, match=words):
        room.record_by_hand("bulb", NewReading(power_w=100, operator="E. Bauer"), instant)


@pytest.mark.parametrize("watts", [0.1, 69.9, 130.1, 1e5])
def test_another_load_or_unit_is_refused(room: CheckStandards, clock: SetClock, watts: float):
    with pytest.raises(InputError, match="100 W of this load"):
        record(room, clock, watts)
    assert room.chart("bulb").standard.readings == 0


def test_another_range_needs_a_new_baseline(room: CheckStandards, clock: SetClock):
    record(room, clock, 100.0, range="300V/1A")
    record(room, clock, 100.0)
    record(room, clock, 100.0, range="300V/1A")
    with pytest.raises(InputError, match="range 300V/5A; the earlier ones are in range 300V/1A"):
        record(room, clock, 100.0, range="300V/5A")
    assert len(record(room, clock, 100.0, range="300V/5A", begins_baseline=True).segments) == 2


def test_names_and_instants_are_taken_once(room: CheckStandards, clock: SetClock):
    with pytest.raises(Conflict, match="already a check standard named"):
        room.add(NewCheckStandard(name="bulb", meter="wall", nominal_w=100))
    record(room, clock, 100.0)
    with pytest.raises(Conflict, match="already has a reading"):
        room.record_by_hand("bulb", NewReading(power_w=100.1, operator="E. Bauer"))
    assert room.chart("bulb").standard.readings == 1


def test_unknown_names_are_refused(room: CheckStandards):
    with pytest.raises(InputError, match="no meter 'other'"):
        room.add(NewCheckStandard(name="x", meter="other", nominal_w=100))
    with pytest.raises(NotFound, match="no check standard 'nix'"):
        room.chart("nix")
    with pytest.raises(InputError, match="no power"):
        room.record_by_hand("bulb", NewReading(operator="E. Bauer"))


@pytest.mark.parametrize(
    "wrong",
    [{"power_w": float("nan")}, {"power_w": -1}, {"sd_w": -1}, {"n": 0}, {"operator": "  "}, {"note": "a\nb"}],
)
def test_facts_that_cannot_be_are_refused(wrong: dict[str, object]):
    with pytest.raises(ValidationError):
        NewReading.model_validate({"power_w": 100, "operator": "E. Bauer", **wrong})


def test_everything_is_there_after_a_restart(room: CheckStandards, clock: SetClock, tmp_path: Path):
    before = record(room, clock, *BASELINE, 100.3, sd_w=0.02, n=60, range="300V/1A", note="rainy")
    room.store._database.close()  # type: ignore[attr-defined]
    storage = open_storage(tmp_path / "data", read_only=True)
    assert CheckStandards(storage.check_standards, clock).chart("bulb") == before
    storage.close()
