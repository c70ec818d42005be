import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.simulators.mains import Mains, MainsPhase, power_factor


@given(st.floats(1, 3000), st.floats(0.5, 1.0))
def test_volts_times_amps_times_power_factor_are_watts(power_w: float, factor: float) -> None:
    phase = Mains().phase([(power_w, factor)])

    assert phase.voltage_v * phase.current_a * phase.power_factor == pytest.approx(power_w)
    assert phase.power_factor == pytest.approx(factor)
    assert phase.apparent_va**2 == pytest.approx(phase.power_w**2 + phase.reactive_var**2)


@given(st.floats(1, 3000))
def test_voltage_falls_by_current_times_source_resistance(power_w: float) -> None:
    mains = Mains(voltage_v=230, source_ohm=0.25)

    phase = mains.phase([(power_w, 1.0)])

    assert phase.voltage_v == pytest.approx(230 - 0.25 * phase.current_a)


def test_loads_on_one_phase_add_up_vectorially() -> None:
    phase = Mains(source_ohm=0).phase([(100, 0.8), (100, 1.0)])

    assert phase.power_w == 200
    assert phase.reactive_var == pytest.approx(75)  # tan(acos 0.8) = 0.75
    assert phase.apparent_va == pytest.approx(math.hypot(200, 75))


def test_an_unloaded_phase_has_voltage_and_no_current() -> None:
    phase = Mains().phase([])

    assert (phase.voltage_v, phase.current_a, phase.power_factor) == (230, 0, 1)


@given(st.floats(0, 1), st.floats(0, 1))
def test_power_factor_rises_with_load(first: float, second: float) -> None:
    low, high = sorted((first, second))

    assert 0 < power_factor(low) <= power_factor(high) < 1


def test_power_factor_of_a_given_phase() -> None:
    assert MainsPhase(230, 80, 60, 50).power_factor == pytest.approx(0.8)
