"""Efficiency points are the 80 PLUS limits of the 230 V internal redundant class (Ecova/CLEAResult table)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.simulators.psu import EFFICIENCY_CURVES, PsuModel

CURVES = st.sampled_from(sorted(EFFICIENCY_CURVES))


@pytest.mark.parametrize(("load", "efficiency"), [(0.2, 0.81), (0.5, 0.85), (1.0, 0.81)])
def test_bronze_meets_its_certified_points(load: float, efficiency: float) -> None:
    psu = PsuModel(rated_w=500)

    assert psu.input_power_w(500 * load) == pytest.approx(500 * load / efficiency)


@pytest.mark.parametrize(("load", "efficiency"), [(0.1, 0.90), (0.2, 0.94), (0.5, 0.96), (1.0, 0.91)])
def test_titanium_meets_its_certified_points(load: float, efficiency: float) -> None:
    psu = PsuModel(rated_w=1600, points=EFFICIENCY_CURVES["80plus-titanium"])

    assert psu.input_power_w(1600 * load) == pytest.approx(1600 * load / efficiency)


def test_an_idle_supply_draws_its_no_load_power() -> None:
    assert PsuModel(rated_w=750, no_load_w=8).input_power_w(0) == 8


@given(CURVES, st.floats(0, 1), st.floats(0, 1))
def test_input_power_rises_with_load_and_exceeds_it(curve: str, first: float, second: float) -> None:
    psu = PsuModel(rated_w=750, points=EFFICIENCY_CURVES[curve])
    low, high = sorted((750 * first, 750 * second))

    assert psu.input_power_w(low) > low
    assert psu.input_power_w(high) - psu.input_power_w(low) >= 0.95 * (high - low) - 1e-9


@pytest.mark.parametrize("output_w", [-1.0, 501.0, float("nan")])
def test_a_load_that_it_cannot_carry_is_refused(output_w: float) -> None:
    with pytest.raises(ValueError, match="cannot deliver"):
        PsuModel(rated_w=500).input_power_w(output_w)


@pytest.mark.parametrize(
    "points", [(), ((0.5, 0.8),), ((0.5, 0.8), (0.5, 0.8), (1.0, 0.8)), ((1.0, 1.2),), ((0.0, 0.5), (1.0, 0.8))]
)
def test_a_curve_that_contradicts_itself_is_refused(points: tuple[tuple[float, float], ...]) -> None:
    with pytest.raises(ValueError, match="PSU curve"):
        PsuModel(rated_w=500, points=points)


def test_an_efficiency_that_jumps_too_steeply_is_refused() -> None:
    with pytest.raises(ValueError, match="input power must rise"):
        PsuModel(rated_w=500, points=((0.2, 0.2), (0.3, 0.9), (1.0, 0.9)))
