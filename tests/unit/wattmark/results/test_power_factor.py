"""The power factor over the window comes from the meter itself, or is not known."""

import numpy as np
import pytest
from wattmark.analysis.efficiency.window import RULES, Window
from wattmark.results.series import measures_one_phase, power_factor, read, window_means
from wattmark_drivers.reading import Quality

BEGIN_NS = 1_700_000_000_000_000_000
WINDOW = Window(BEGIN_NS, BEGIN_NS + 10 * 10**9, RULES["complete"])
T = np.arange(-5.0, 16.0)


def over_the_window(meter, store):
    series = store.list_series("r1")
    means = window_means(meter, read(series, store, None, None), WINDOW)
    return power_factor(means, one_phase=measures_one_phase(meter, series))


@pytest.fixture
def factor(store, meter):
    """Return a function that records channels and computes the power factor over the window."""

    def read(**channels):
        for channel, value in channels.items():
            quantity = channel.partition("_l")[0]
            store.add("r1", "outlet", channel, T, np.broadcast_to(value, T.shape), quantity=quantity, unit="?")
        return over_the_window(meter(), store)

    return read


def test_the_meters_own_comes_first(factor):
    assert factor(power_factor=0.95, power=190.0, apparent_power=400.0) == pytest.approx(0.95)


def test_active_over_apparent_power(factor):
    assert factor(power=190.0, apparent_power=200.0) == pytest.approx(0.95)


def test_active_power_over_volts_times_amperes_of_one_phase(factor):
    assert factor(power=190.0, voltage=200.0, current=1.0) == pytest.approx(0.95)


def test_three_phases_have_no_single_product_of_volts_and_amperes(factor):
    assert factor(power=190.0, voltage=200.0, current=1.0, current_l1=0.4) is None


@pytest.mark.parametrize(("shown", "taken"), [(-0.9, 0.9), (1.01, 1.0), (0.0, None), (95.0, None), (np.nan, None)])
def test_what_cannot_be_a_power_factor_is_not_taken_for_one(factor, shown, taken):
    assert factor(power_factor=shown) == taken


def test_only_the_window_counts(factor):
    inside = (T >= 0) & (T <= 10)
    assert factor(power_factor=np.where(inside, 0.8, 0.5)) == pytest.approx(0.8)


def test_unusable_samples_do_not_count(store, meter):
    quality = np.where(T % 2 == 0, int(Quality.INVALID), 0)
    value = np.where(T % 2 == 0, 0.1, 0.9)
    store.add("r1", "outlet", "power_factor", T, value, quantity="power_factor", unit="1", quality=quality)
    assert over_the_window(meter(), store) == pytest.approx(0.9)


def test_nothing_recorded_is_not_known(factor):
    assert factor(power=190.0) is None
