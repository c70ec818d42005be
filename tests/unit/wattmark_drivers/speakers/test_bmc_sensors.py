"""Layout of the FRU data: IPMI Platform Management FRU Information Storage Definition v1.0, clauses 8 and 12."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.speakers.ipmi.sensors import (
    chassis_sensors,
    emulator_commands,
    fru_data,
    meter_sensors,
    sdr_source,
    watt_step,
)


@pytest.mark.parametrize(("largest_w", "step"), [(200, 1), (255, 1), (256, 2), (1020, 4), (2000, 8)])
def test_an_eight_bit_sensor_gets_the_smallest_step_that_reaches(largest_w: float, step: int) -> None:
    """drivers.md 1.2: step 4 W ends at 1020 W, a 2 kW sensor steps 8 W."""
    assert watt_step(largest_w) == step


def test_each_powered_supply_has_its_sensor() -> None:
    names = [sensor.name for sensor in chassis_sensors(2, 500)]

    assert names[-2:] == ["PSU1 Input Power", "PSU2 Input Power"]
    assert {"CPU1 Temp", "Inlet Temp", "FAN1", "FAN2", "Pwr Consumption"} <= set(names)


@pytest.mark.parametrize(
    ("largest_w", "step_w"),
    [(250, 1), (255, 1), (256, 1.2), (100, 0.4), (3680, 15), (2500, 10), (7200, 30), (0.5, 0.002), (1_000_000, 4000)],
)
def test_a_meter_gets_the_finest_round_step_that_reaches_its_range(largest_w: float, step_w: float) -> None:
    """255 steps must reach: 3680/255 = 14.4 -> 15, 256/255 -> 1.2, 100/255 = 0.392 -> 0.4."""
    power = meter_sensors(largest_w)[0]
    assert power.step == pytest.approx(step_w)
    assert power.most >= largest_w * (1 - 1e-12)
    assert (1 <= power.multiplier <= 511, -8 <= power.exponent <= 7) == (True, True)  # 10 and 4 bits, signed (43.1)


@given(st.floats(1, 1e6), st.floats(0, 1))
def test_a_sensor_shows_the_nearest_value_that_it_has(largest_w: float, share: float) -> None:
    power, value = meter_sensors(largest_w)[0], share * largest_w
    assert abs(power.raw(value) * power.step - value) <= 0.5 * power.step * (1 + 1e-9)
    assert power.shows(value)


@given(st.floats(-1e6, 1e6))
def test_values_beyond_the_range_stick_at_its_end(value: float) -> None:
    sensor = chassis_sensors(1, 500)[4]

    assert 0 <= sensor.raw(value) <= 255
    assert (sensor.raw(-1.0), sensor.raw(1e6)) == (0, 255)


def test_every_polled_sensor_is_told_to_scan() -> None:
    """Without it a polled sensor silently reads 0 with state ok (drivers.md 1.2)."""
    commands = emulator_commands(chassis_sensors(3, 800)).splitlines()

    added = [line.split()[3] for line in commands if line.startswith("sensor_add")]
    scanned = [
        line.split()[3] for line in commands if line.startswith("sensor_set_event_support") and "scanning" in line
    ]
    assert added == scanned == [str(n) for n in range(1, 9)]


def test_sensor_records_carry_the_multiplier() -> None:
    source = sdr_source(chassis_sensors(1, 800))

    assert source.count("endsdr") == 1 + 6
    assert "    m 60\n" in source
    assert "    m 4\n" in source
    assert "    m 4\n" in sdr_source(meter_sensors(100), None)
    assert "    r_exp -1\n" in sdr_source(meter_sensors(100), None)


def test_the_inventory_says_simulated_and_sums_to_zero() -> None:
    data = fru_data()

    product = data[8 * data[4] :]
    assert b"SIMULATED" in product
    assert sum(data[:8]) % 256 == 0
    assert len(product) == 8 * product[1]
    assert sum(product) % 256 == 0
