import numpy as np
import pytest
import scipy
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.simulators.load_model import ServerModel
from wattmark_drivers.simulators.psu import EFFICIENCY_CURVES, PsuModel

LOSSLESS = PsuModel(rated_w=1000, points=((1.0, 1.0),), no_load_w=0)
SERVER = ServerModel(idle_w=180, dynamic_w=160, psu=PsuModel(rated_w=750))
UTILISATION = st.floats(0, 1)
DIMMS = st.integers(0, 16)


def test_dc_power_at_full_load_is_the_sum_of_its_parts() -> None:
    assert SERVER.dc_power_w(1.0, 8) == pytest.approx(180 + 160 + 8 * 5.5)


def test_an_idle_dimm_draws_its_full_power_less_the_load_share() -> None:
    assert SERVER.dc_power_w(0.0, 10) - SERVER.dc_power_w(0.0, 0) == pytest.approx(10 * 5.5 * 0.9)


def test_the_curve_over_load_bends_with_its_exponent() -> None:
    model = ServerModel(idle_w=100, dynamic_w=100, psu=LOSSLESS, dynamic_exponent=0.5)

    assert model.dc_power_w(0.25, 0) == pytest.approx(150)


def test_lossless_supplies_show_the_dc_power_at_the_wall() -> None:
    model = ServerModel(idle_w=100, dynamic_w=100, psu=LOSSLESS, dimm_w=5)

    assert model.wall_power_w(1.0, 4) == pytest.approx(220)
    assert model.watts_per_dimm_at_wall([2, 4, 8]) == pytest.approx(5)


def test_five_watts_behind_a_78_percent_supply_are_6_4_at_the_wall() -> None:
    """method.md 5.3: "5 W at DC and 0.78 PSU efficiency is 6.4 W" (constant efficiency)."""
    supply = PsuModel(rated_w=1000, points=((1.0, 0.78),), no_load_w=0)
    model = ServerModel(idle_w=100, dynamic_w=100, psu=supply, dimm_w=5)

    assert model.watts_per_dimm_at_wall([2, 4, 8]) == pytest.approx(6.41, abs=0.005)


def test_supplies_share_the_load_as_told() -> None:
    model = ServerModel(idle_w=100, dynamic_w=0, psu=LOSSLESS, psu_shares=(0.6, 0.4))

    assert model.psu_input_power_w(0.0, 0) == pytest.approx((60, 40))


def test_one_supply_is_more_efficient_than_two_at_light_load() -> None:
    single = ServerModel(idle_w=100, dynamic_w=100, psu=PsuModel(rated_w=750), psus_powered=1)
    two = ServerModel(idle_w=100, dynamic_w=100, psu=PsuModel(rated_w=750), psus_powered=2)

    assert single.wall_power_w(0.0, 4) < two.wall_power_w(0.0, 4)


@given(UTILISATION, UTILISATION, DIMMS)
def test_power_never_falls_with_load(first: float, second: float, dimms: int) -> None:
    low, high = sorted((first, second))

    assert SERVER.wall_power_w(low, dimms) <= SERVER.wall_power_w(high, dimms)


@given(UTILISATION, DIMMS)
def test_each_dimm_adds_power(utilisation: float, dimms: int) -> None:
    added = SERVER.wall_power_w(utilisation, dimms + 1) - SERVER.wall_power_w(utilisation, dimms)

    assert 5.5 * 0.9 < added < 2 * 5.5


@given(UTILISATION, DIMMS)
def test_the_wall_gives_more_than_the_server_uses(utilisation: float, dimms: int) -> None:
    assert SERVER.wall_power_w(utilisation, dimms) > SERVER.dc_power_w(utilisation, dimms)


@given(
    st.lists(DIMMS, min_size=2, unique=True),
    st.sampled_from(sorted(EFFICIENCY_CURVES)),
    st.floats(1, 12),
    UTILISATION,
)
def test_the_planted_slope_is_the_regression_over_noise_free_power(
    counts: list[int], curve: str, dimm_w: float, utilisation: float
) -> None:
    psu = PsuModel(rated_w=900, points=EFFICIENCY_CURVES[curve])
    model = ServerModel(idle_w=200, dynamic_w=200, psu=psu, dimm_w=dimm_w)
    power_w = np.array([model.wall_power_w(utilisation, count) for count in counts])

    expected = scipy.stats.linregress(counts, power_w).slope

    assert model.watts_per_dimm_at_wall(counts, utilisation) == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize("counts", [[], [4], [4, 4]])
def test_a_slope_needs_two_counts(counts: list[int]) -> None:
    with pytest.raises(ValueError, match="two different"):
        SERVER.watts_per_dimm_at_wall(counts)


@pytest.mark.parametrize(("utilisation", "dimms"), [(-0.1, 4), (1.1, 4), (float("nan"), 4), (0.5, -1)])
def test_states_that_cannot_be_are_refused(utilisation: float, dimms: int) -> None:
    with pytest.raises(ValueError, match="must be 0 to 1"):
        SERVER.wall_power_w(utilisation, dimms)


@pytest.mark.parametrize(
    "change",
    [
        {"idle_w": -1},
        {"dynamic_exponent": 0},
        {"dimm_load_share": 1.5},
        {"psus_powered": 0},
        {"psu_shares": (0.5, 0.4)},
        {"psu_shares": (1.0,)},
    ],
)
def test_parameters_that_contradict_each_other_are_refused(change: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=r"must|lies"):
        ServerModel(**{"idle_w": 100, "dynamic_w": 100, "psu": LOSSLESS, **change})
