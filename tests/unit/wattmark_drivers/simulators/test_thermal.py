import math

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.simulators.thermal import ThermalModel, ThermalState


def test_an_idle_chassis_stays_at_its_idle_state() -> None:
    state = ThermalState(ThermalModel())

    state.step(0.0, 60)

    assert state.cpu_c == pytest.approx(23 + 18)
    assert state.fan_rpm == pytest.approx(5400)


def test_after_one_time_constant_63_percent_of_the_step_is_done() -> None:
    state = ThermalState(ThermalModel(cpu_time_constant_s=12))

    state.step(1.0, 12)

    assert (state.cpu_c - 41) / (68 - 41) == pytest.approx(1 - math.exp(-1))


def test_the_fans_end_at_full_speed_under_full_load() -> None:
    state = ThermalState(ThermalModel())

    for _ in range(600):
        state.step(1.0, 0.2)

    assert state.cpu_c == pytest.approx(68, abs=0.1)
    assert state.fan_rpm == pytest.approx(10800, rel=0.01)


@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 100)), max_size=30))
def test_nothing_leaves_its_physical_range(history: list[tuple[float, float]]) -> None:
    state = ThermalState(ThermalModel())

    for utilisation, dt_s in history:
        state.step(utilisation, dt_s)

        assert 41 - 1e-9 <= state.cpu_c <= 68 + 1e-9
        assert 5400 - 1e-6 <= state.fan_rpm <= 10800 + 1e-6
