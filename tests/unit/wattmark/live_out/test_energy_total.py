"""Joules from watts and from registers: expected values are products of watts and seconds."""

from __future__ import annotations

import pytest
from wattmark.live_out.energy_total import EnergyTotal
from wattmark_drivers.reading import Kind

SECOND_NS = 10**9


def integrated(watts: list[float | None], kind: Kind, step_s: float = 1.0, longest_s: float = 3.0) -> float:
    total = EnergyTotal()
    for place, value in enumerate(watts):
        total.add(value, int(place * step_s * SECOND_NS), kind, longest_s)
    return total.energy_j


def test_ten_averaged_readings_cover_nine_seconds() -> None:
    assert integrated([100.0] * 10, Kind.AVERAGED) == pytest.approx(900.0)


def test_an_averaged_reading_stands_for_the_time_before_it() -> None:
    assert integrated([0.0, 100.0, 300.0], Kind.AVERAGED) == pytest.approx(400.0)


def test_a_ramp_of_instantaneous_readings_is_a_triangle() -> None:
    assert integrated([float(watts) for watts in range(11)], Kind.INSTANTANEOUS) == pytest.approx(10 * 10 / 2)


def test_a_gap_is_not_filled() -> None:
    assert integrated([100.0] * 3, Kind.AVERAGED, step_s=60.0) == 0.0


@pytest.mark.parametrize(("kind", "seconds"), [(Kind.AVERAGED, 3), (Kind.INSTANTANEOUS, 2)])
def test_a_reading_that_must_not_be_used_is_a_gap(kind: Kind, seconds: int) -> None:
    """Averaged ones cover the seconds that end at readings 1, 3 and 4; two instantaneous ones are needed for one."""
    assert integrated([100.0, 100.0, None, 100.0, 100.0], kind) == pytest.approx(100.0 * seconds)


def test_power_given_back_does_not_lower_a_counter() -> None:
    assert integrated([100.0, 100.0, -50.0, 100.0], Kind.AVERAGED) == pytest.approx(200.0)


def test_a_clock_that_is_set_back_adds_nothing() -> None:
    total = EnergyTotal()
    for t_s in (100, 101, 41, 42):
        total.add(10.0, t_s * SECOND_NS, Kind.AVERAGED, 3.0)
    assert total.energy_j == pytest.approx(20.0)


def counted(counts_wh: list[float | None], wraps_at: float | None = None) -> float:
    """Count by a register alone: every reading comes an hour after the one before."""
    total = EnergyTotal()
    for place, count in enumerate(counts_wh):
        total.add(100.0, place * 3600 * SECOND_NS, Kind.AVERAGED, 3.0, count, wraps_at)
    return total.energy_j


def test_across_a_gap_the_register_counts_3600_joules_a_watt_hour() -> None:
    assert counted([5000.0, 5000.0, 5001.5]) == pytest.approx(1.5 * 3600.0)


def test_a_register_counts_nothing_that_was_integrated_already() -> None:
    """A step of 1 Wh comes while the power is known: 100 W for 9 s are 900 J."""
    total = EnergyTotal()
    for second in range(10):
        total.add(100.0, second * SECOND_NS, Kind.AVERAGED, 3.0, 5000.0 if second < 5 else 5001.0)
    assert total.energy_j == pytest.approx(900.0)


def test_a_register_that_was_not_read_before_the_gap_does_not_fill_it() -> None:
    assert counted([5000.0, None, 5001.5, None]) == 0.0


def test_a_register_that_rolls_over_goes_on() -> None:
    assert counted([99_999.0, 2.0], wraps_at=100_000.0) == pytest.approx(3.0 * 3600.0)


@pytest.mark.parametrize("wraps_at", [None, 100_000.0])
def test_a_register_that_is_reset_adds_nothing_until_it_counts_again(wraps_at: float | None) -> None:
    assert counted([20_000.0, 0.0, 1.0], wraps_at) == pytest.approx(3600.0)


def test_another_device_adds_what_it_counts_itself() -> None:
    total = EnergyTotal()
    for place, count in enumerate((1.0, 2.0, 900_000.0, 900_001.0)):
        if place == 2:
            total.begin_again()
        total.add(100.0, place * 3600 * SECOND_NS, Kind.AVERAGED, 3.0, count)
    assert total.energy_j == pytest.approx(2 * 3600.0)


def test_a_register_that_jumps_is_of_another_device_or_was_set() -> None:
    """100 W for an hour are 100 Wh; a meter without a serial number is exchanged for one that counted 50 kWh more."""
    assert counted([1000.0, 1100.0, 51_100.0, 51_200.0]) == pytest.approx(200.0 * 3600.0)
