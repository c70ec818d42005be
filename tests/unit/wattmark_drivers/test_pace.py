"""How often meters are polled, and what their readings leave uncovered. Figures are those of the manuals."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from wattmark_drivers.catalogue import find_model
from wattmark_drivers.pace import (
    averaging_s,
    default_period_s,
    random_offsets,
    uncovered_remark,
    uncovered_share,
)
from wattmark_drivers.settings import MeterSettings


def test_places_are_uniform_independent_and_told_by_their_key():
    offset = random_offsets(b"a key")
    places = np.array([offset(period) for period in range(20_000)])
    assert 0 <= places.min() < 0.001 < 0.999 < places.max() < 1
    # A uniform variable has mean 1/2 and variance 1/12; 5 standard deviations of both.
    assert abs(places.mean() - 0.5) < 5 / np.sqrt(12 * len(places))
    assert abs(places.var() - 1 / 12) < 5 * np.sqrt(1 / 180 / len(places))
    assert abs(np.corrcoef(places[:-1], places[1:])[0, 1]) < 5 / np.sqrt(len(places))
    again, other = random_offsets(b"a key"), random_offsets(b"another key")
    assert [again(period) for period in range(5)] == list(places[:5])
    assert [other(period) for period in range(5)] != list(places[:5])
    assert random_offsets()(1) != random_offsets()(1)


@pytest.mark.parametrize(
    ("averages_s", "period_s", "share"),
    [(0.25, 1.0, 0.75), (0.2, 1.0, 0.8), (0.5, 1.0, 0.5), (1.0, 1.0, 0), (1.0, 1.005, 0), (2.0, 1.0, 0), (None, 9, 0)],
)
def test_the_uncovered_share_is_what_no_mean_holds(averages_s, period_s, share):
    assert uncovered_share(averages_s, period_s) == pytest.approx(share)


@pytest.mark.parametrize(
    ("model", "url", "options", "averages_s", "period_s"),
    [
        ("yokogawa.wt310e", "scpi-tcp://a:5025", {}, 0.25, 0.25),  # IM WT310E-02EN 4.1: 250 ms after initialisation
        ("yokogawa.wt310e", "scpi-tcp://a:5025", {"update_period_s": 0.1}, 0.1, 0.1),
        ("yokogawa.wt310e", "scpi-tcp://a:5025", {"update_period_s": 5}, 5.0, 1.0),
        ("voltech.pm1000", "scpi-tcp://a:5025", {}, 0.5, 0.5),  # manual: results are updated every 0.5 s
        ("hioki.pw3335", "scpi-tcp://a:3300", {}, 0.2, 0.2),
        ("janitza.umg96", "modbus-tcp://a:502/1", {}, 0.2, 0.2),  # address list 1.040.034, page 6: 200 ms
        ("janitza.umg96", "modbus-rtu:///dev/ttyUSB0/1", {}, 0.2, 1.0),  # a line that meters share
        ("eastron.sdm120", "modbus-tcp://a:502/1", {}, 1.0, 1.0),
        ("shelly.plus1pm", "http://a/0", {}, None, 1.0),
        ("apc.rpdu2", "snmp://a/1", {}, None, 1.0),
        ("linux.rapl", "rapl:///sys", {}, None, 1.0),
        ("nvidia.gpu", "nvml:0", {}, None, 1.0),
        ("amd.gpu", "amdgpu:///sys", {}, None, 1.0),
    ],
)
def test_a_meter_is_polled_as_often_as_it_averages(model, url, options, averages_s, period_s):
    declaration = find_model(model)
    assert averaging_s(declaration, options) == averages_s
    assert default_period_s(declaration, url, options) == period_s


def test_polling_slower_than_the_meter_averages_is_told_with_the_remedy():
    hioki = MeterSettings("wall", "hioki.pw3335", "scpi-tcp://a:3300", period_s=1.0)
    assert uncovered_remark(hioki) == (
        "Meter wall averages over 0.2 s and is polled every 1 s: 80 % of the time is not measured. Set period_s: 0.2."
    )
    for model, url, period_s in (
        ("hioki.pw3335", "scpi-tcp://a:3300", 0.2),
        ("zes.lmg95", "scpi-tcp://a:5025", 1.0),  # every cycle is pushed, whatever the period
        ("shelly.plus1pm", "http://a/0", 1.0),
        ("linux.rapl", "rapl:///sys", 10.0),
    ):
        assert uncovered_remark(MeterSettings("wall", model, url, period_s=period_s)) is None


def test_every_declared_window_fits_into_its_update_period():
    """A longer one would be a sliding mean; none is declared, and the default period relies on it."""
    from wattmark_drivers.catalogue import load_catalogue

    rhythms = [declaration.rhythm for declaration in load_catalogue().values()]
    assert not [a for a in rhythms if a.window_s is not None and a.window_s > a.update_period_s]
    assert len(list(itertools.chain(rhythms))) > 50
