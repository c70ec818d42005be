import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark_drivers.simulators.mains import Mains, MainsPhase
from wattmark_drivers.simulators.meter_model import MeterErrors, MeterModel
from wattmark_drivers.speakers.indication import Indication

PHASE = MainsPhase(voltage_v=230.0, power_w=460.0, reactive_var=100.0, frequency_hz=50.0)
EXACT = dict.fromkeys(("voltage", "current", "power", "apparent_power", "reactive_power", "power_factor"), 1e-09)


def meter(errors: MeterErrors = MeterErrors(), period_s: float = 1.0, **settings: object) -> MeterModel:  # noqa: B008
    return MeterModel(errors, period_s, np.random.default_rng(1), **settings)


def indication(model: MeterModel) -> Indication:
    assert model.indication is not None
    return model.indication


def test_it_shows_the_mean_over_its_update_period() -> None:
    model = meter()

    updates = [model.add([MainsPhase(230.0, power_w, 0.0, 50.0)], 0.25) for power_w in (100.0, 200.0, 300.0, 400.0)]

    assert updates == [False, False, False, True]
    assert indication(model).total["power"] == pytest.approx(250.0)


def test_steps_of_unequal_length_weigh_by_their_length() -> None:
    model = meter()

    model.add([MainsPhase(230.0, 100.0, 0.0, 50.0)], 0.2)
    model.add([MainsPhase(230.0, 300.0, 0.0, 50.0)], 0.8)

    assert indication(model).total["power"] == pytest.approx((100 * 0.2 + 300 * 0.8) / 1.0)


def test_an_update_falls_on_the_step_nearest_to_the_period() -> None:
    model = meter()

    updates = [model.add([PHASE], 0.1999) for _ in range(10)]

    assert [i for i, updated in enumerate(updates) if updated] == [4, 9]


def test_values_rest_on_the_steps_of_the_display() -> None:
    model = meter(resolution={"power": 5.0, "voltage": 1.0})

    model.add([MainsPhase(230.4, 463.0, 0.0, 50.0)], 1.0)

    assert indication(model).total["power"] == 465.0
    assert indication(model).total["voltage"] == 230.0


@given(st.floats(50, 1500), st.floats(0, 500), st.integers(0, 2**32))
def test_indicated_quantities_fit_each_other(power_w: float, reactive_var: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    model = MeterModel(MeterErrors.inside_class(1.0, rng), 1.0, rng, resolution=EXACT)

    model.add([MainsPhase(230.0, power_w, reactive_var, 50.0)], 1.0)

    shown = indication(model).phases[0]
    assert shown["voltage"] * shown["current"] * shown["power_factor"] == pytest.approx(shown["power"], rel=1e-6)
    assert shown["apparent_power"] ** 2 == pytest.approx(shown["power"] ** 2 + shown["reactive_power"] ** 2, rel=1e-6)


@given(st.floats(0.1, 3.0), st.integers(0, 2**32), st.floats(50, 1500))
def test_every_specimen_stays_inside_its_class(limit_pct: float, seed: int, power_w: float) -> None:
    rng = np.random.default_rng(seed)
    model = MeterModel(MeterErrors.inside_class(limit_pct, rng), 1.0, rng, resolution=EXACT)

    for _ in range(20):
        model.add([Mains().phase([(power_w, 0.95)])], 1.0)
        assert abs(indication(model).total["power"] / power_w - 1) * 100 <= limit_pct


def test_specimens_differ_and_a_seed_repeats_them() -> None:
    draws = [MeterErrors.inside_class(1.0, np.random.default_rng(seed)).power_gain for seed in (1, 2, 1)]

    assert draws[0] == draws[2] != draws[1]


def test_noise_varies_from_update_to_update_with_its_standard_deviation() -> None:
    model = meter(MeterErrors(noise=0.001), resolution=EXACT)
    shown = []

    for _ in range(4000):
        model.add([PHASE], 1.0)
        shown.append(indication(model).total["power"])

    assert np.std(shown) / np.mean(shown) == pytest.approx(0.001, rel=0.1)


@given(st.lists(st.floats(0, 2000), min_size=1, max_size=60))
def test_the_energy_register_is_the_integral_of_the_indicated_power(powers_w: list[float]) -> None:
    model = meter(MeterErrors(power_gain=1.01, noise=0.001), resolution={"power": 1e-9}, energy_start_wh=1000.0)
    energy_wh = 1000.0

    for power_w in powers_w:
        model.add([MainsPhase(230.0, power_w, 0.0, 50.0)], 1.0)
        energy_wh += indication(model).total["power"] / 3600

    assert energy_wh - 1.0 - 1e-6 <= indication(model).energy_wh <= energy_wh + 1e-6


def test_phases_add_up_and_missing_ones_read_zero() -> None:
    model = meter(phase_count=3)

    model.add([PHASE, PHASE], 1.0)

    shown = indication(model)
    assert [phase["voltage"] for phase in shown.phases] == [230.0, 230.0, 0.0]
    assert shown.phases[2]["current"] == shown.phases[2]["frequency"] == 0.0
    assert shown.total["power"] == pytest.approx(920.0)
    assert shown.total["voltage"] == pytest.approx(230.0)
    assert shown.total["power_factor"] == pytest.approx(shown.phases[0]["power_factor"])


def test_before_the_first_update_there_is_nothing_to_show() -> None:
    model = meter()

    model.add([PHASE], 0.2)

    assert model.indication is None
