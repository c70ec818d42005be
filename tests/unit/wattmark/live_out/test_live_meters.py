"""What is said of a meter now: fresh, stale, frozen, exchanged, and which readings count."""

from __future__ import annotations

import pytest
from wattmark.live_out.live_meters import MeterNow
from wattmark.recording.live_channel import Role
from wattmark_drivers.reading import Quality

from .conftest import PHASE, POWER, REGISTER, Lab


def only(lab: Lab) -> MeterNow:
    (meter,) = lab.live_out.for_prometheus()
    return meter


def test_the_newest_reading_with_its_place(lab: Lab) -> None:
    lab.add(simulated=True)
    lab.seconds(230.0, 231.5)
    lab.clock.pass_s(0.4)
    meter = only(lab)
    assert (meter.name, meter.role, meter.servers, meter.simulated) == ("wall", "wall", ("r1",), True)
    assert (meter.power_w, meter.quality, meter.excluded) == (231.5, "good", 0)
    assert meter.age_s == pytest.approx(0.4)
    assert meter.energy_j == pytest.approx(231.5)


def test_a_reading_older_than_three_periods_is_not_repeated(lab: Lab) -> None:
    lab.add()
    lab.seconds(230.0, 230.0)
    lab.clock.pass_s(3.1)
    assert only(lab).power_w is None
    assert only(lab).age_s == pytest.approx(3.1)
    assert only(lab).energy_j == pytest.approx(230.0)
    lab.read(240.0)
    assert only(lab).power_w == 240.0
    assert only(lab).energy_j == pytest.approx(230.0), "what was not measured is not filled in"


def test_a_lost_meter_shows_no_watts(lab: Lab) -> None:
    lab.add()
    lab.seconds(230.0)
    lab.hub.lose("wall", "No answer.")
    assert only(lab).power_w is None


@pytest.mark.parametrize("quality", [Quality.IMPLAUSIBLE, Quality.OVER_RANGE, Quality.INVALID, Quality.STALE])
def test_a_reading_that_is_not_accepted_is_counted_and_shown_nowhere(lab: Lab, quality: Quality) -> None:
    lab.add()
    lab.seconds(230.0, 230.5)
    lab.clock.pass_s(1.0)
    lab.read(1e6, quality=quality)
    assert (only(lab).power_w, only(lab).excluded) == (None, 1)
    assert only(lab).age_s == pytest.approx(1.0), "the age is that of the newest accepted reading"
    assert only(lab).energy_j == pytest.approx(230.5)


def test_a_meter_without_any_accepted_reading_still_counts_them(lab: Lab) -> None:
    lab.add()
    lab.read(1e6, quality=Quality.IMPLAUSIBLE)
    assert (only(lab).power_w, only(lab).age_s, only(lab).excluded) == (None, None, 1)


def test_a_repeated_value_is_named_frozen_and_a_repeated_request_retried(lab: Lab) -> None:
    lab.add()
    lab.read(230.0, quality=Quality.RETRIED)
    assert only(lab).quality == "retried"
    lab.seconds(*[231.0] * 200)
    assert (only(lab).quality, only(lab).power_w) == ("frozen", 231.0)


def test_phases_do_not_add_to_the_total(lab: Lab) -> None:
    lab.add("wall", POWER, PHASE)
    lab.seconds(300.0, 300.5)
    lab.read(100.0, channel=PHASE)
    assert only(lab).power_w == 300.5
    assert only(lab).energy_j == pytest.approx(300.5)


def test_the_register_of_a_meter_counts_across_a_gap(lab: Lab) -> None:
    lab.add("wall", POWER, REGISTER)
    lab.read_all({POWER: 1000.0, REGISTER: 50.0})
    lab.clock.pass_s(1.0)
    lab.read_all({REGISTER: 50.0, POWER: 1000.5})
    lab.clock.pass_s(600.0)
    lab.read_all({POWER: 1001.0, REGISTER: 217.0})
    assert only(lab).energy_j == pytest.approx(1000.5 + 167.0 * 3600.0)


def test_another_device_under_the_same_name_does_not_bring_its_count(lab: Lab) -> None:
    lab.add("wall", POWER, REGISTER, serial="1")
    lab.read_all({POWER: 230.0, REGISTER: 10.0})
    lab.clock.pass_s(60.0)
    lab.exchange("wall", "2")
    lab.read_all({POWER: 230.0, REGISTER: 80_000.0})
    lab.clock.pass_s(60.0)
    lab.read_all({POWER: 230.0, REGISTER: 80_001.0})
    assert only(lab).energy_j == pytest.approx(3600.0)


def test_a_meter_that_leaves_the_bench_leaves_the_output(lab: Lab) -> None:
    lab.add("wall")
    lab.add("bmc", role="bmc")
    lab.seconds(230.0)
    lab.seconds(210.0, name="bmc")
    lab.hub.forget("wall")
    assert [meter.name for meter in lab.live_out.for_prometheus()] == ["bmc"]
    lab.add("wall")
    lab.seconds(100.0, 100.5)
    assert {meter.name: meter.energy_j for meter in lab.live_out.for_prometheus()}["wall"] < 200.0


def test_nothing_is_followed_until_the_bench_asks_for_it() -> None:
    lab = Lab(outputs="{}")
    lab.add()
    lab.seconds(230.0, 230.5)
    assert lab.live_out.for_prometheus() == []
    lab.bench = lab.with_outputs("{prometheus: true}")
    lab.seconds(231.0, 231.5)
    assert only(lab).energy_j == pytest.approx(231.5)
    lab.bench = lab.with_outputs("{prometheus: false}")
    assert lab.live_out.for_prometheus() == []


def test_watts_of_before_an_output_was_turned_off_are_not_shown(lab: Lab) -> None:
    lab.add()
    lab.seconds(230.0)
    on, lab.bench = lab.bench, lab.with_outputs("{}")
    lab.seconds(*(500.0 + second for second in range(60)))
    lab.bench = on
    assert (only(lab).power_w, only(lab).age_s) == (None, pytest.approx(60.0))
    lab.seconds(600.0)
    assert only(lab).power_w == 600.0


def test_a_meter_that_another_replaces_leaves_no_watts_to_it(lab: Lab) -> None:
    """The same place on the bench: the counter goes on, but the watts were those of the meter that is gone."""
    lab.add()
    lab.seconds(230.0, 230.5)
    lab.hub.forget("wall")
    lab.add()
    assert (only(lab).power_w, only(lab).energy_j) == (None, pytest.approx(230.5))
    lab.seconds(100.0, 100.5)
    assert (only(lab).power_w, only(lab).energy_j) == (100.5, pytest.approx(331.0))


@pytest.mark.parametrize(
    ("role", "server", "simulated"), [("wall", "r2", True), ("secondary", "r1", True), ("wall", "r1", False)]
)
def test_joules_of_one_place_are_none_of_another(lab: Lab, role: Role, server: str, simulated: bool) -> None:
    lab.add(simulated=True)
    lab.seconds(230.0, 230.5)
    lab.hub.forget("wall")
    lab.add(role=role, server=server, simulated=simulated)
    assert lab.live_out.for_prometheus() == []
    begun_ns = lab.clock.utc_ns() + 10**9
    lab.seconds(100.0, 100.5)
    meter = only(lab)
    assert (meter.role, meter.servers, meter.simulated) == (role, (server,), simulated)
    assert (meter.energy_j, meter.since_ns) == (pytest.approx(100.5), begun_ns)


@pytest.mark.parametrize("step_s", [-3600.0, -0.5, 1.5, 3600.0])
def test_a_clock_that_is_set_changes_no_joules(lab: Lab, step_s: float) -> None:
    lab.add()
    lab.seconds(230.0, 230.5)
    lab.clock.ahead_ns += round(step_s * 1e9)
    lab.seconds(231.0, 231.5)
    assert only(lab).energy_j == pytest.approx(230.5 + 231.0 + 231.5)
