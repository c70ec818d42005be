"""Energy proportionality on published power curves; expected figures from published_vectors.json."""

import math

import numpy as np
import pytest
from wattmark.analysis.refusal import Refused
from wattmark.analysis.scaling.proportionality import proportionality

LOAD = tuple(range(0, 101, 10))
CURVES = {
    "Xeon 5160": ([216, 221, 227, 235, 245, 258, 270, 282, 294, 307, 315], 0.826825, 0.346349, 0.685714, -0.043549),
    "Xeon E5345": ([220, 235, 249, 261, 273, 286, 298, 309, 319, 327, 334], 0.848503, 0.302994, 0.658683, 0.033287),
    "Xeon E5440": ([166, 179, 191, 200, 212, 224, 235, 245, 252, 259, 265], 0.834906, 0.330189, 0.626415, 0.042591),
    "Xeon X5650": ([80, 121, 135, 146, 157, 170, 185, 204, 224, 242, 258], 0.679457, 0.641085, 0.310078, 0.237219),
    "XR8620T": ([230, 244, 260, 273, 301, 340, 372, 385, 400, 416, 420], 0.789524, 0.420952, 0.547619, 0.081395),
    "R830": ([86.4, 181, 215, 253, 287, 315, 340, 377, 421, 483, 562], 0.568719, 0.862562, 0.153737, 0.35115),
    "R740": ([52.3, 129, 147, 170, 195, 224, 255, 292, 344, 408, 457], 0.529245, 0.94151, 0.114442, 0.390536),
    "R640": ([55, 125, 151, 176, 202, 232, 261, 301, 357, 421, 469], 0.53049, 0.939019, 0.117271, 0.29668),
    "R940": ([106, 245, 292, 336, 383, 437, 502, 583, 694, 820, 915], 0.524863, 0.950273, 0.115847, 0.310861),
    "R620": ([54.1, 78.4, 88.5, 99.5, 115, 126, 143, 165, 196, 226, 243], 0.57035, 0.8593, 0.222634, -0.151801),
    "R720": ([51, 75, 84.5, 95, 110, 120, 137, 159, 187, 217, 231], 0.57381, 0.852381, 0.220779, -0.148936),
    "RX300 S7": ([53.1, 74.9, 85.3, 94.9, 105, 117, 134, 156, 187, 217, 245], 0.538837, 0.922327, 0.216735, -0.215029),
}


@pytest.mark.parametrize(("watts", "area", "ep", "ipr", "ldr"), CURVES.values(), ids=CURVES)
def test_published_curves(watts, area, ep, ipr, ldr):
    curve = proportionality(LOAD, watts)
    assert curve.area == pytest.approx(area, abs=6e-7)
    assert curve.ep == pytest.approx(ep, abs=6e-7)
    assert curve.idle_to_peak == pytest.approx(ipr, abs=6e-7)
    assert curve.dynamic_range == pytest.approx(1 - ipr, abs=6e-7)
    assert curve.linear_deviation == pytest.approx(ldr, abs=6e-7)
    assert curve.doubts == ()


def test_limits_of_the_figure():
    assert proportionality([0, 50, 100], [1e-9, 50, 100]).ep == pytest.approx(1)
    assert proportionality([0, 50, 100], [100, 100, 100]).ep == pytest.approx(0)


def test_order_of_levels_does_not_matter():
    watts = CURVES["Xeon X5650"][0]
    assert proportionality(LOAD[::-1], watts[::-1]) == proportionality(LOAD, watts)


def test_uncertainty_against_simulation():
    watts = np.array(CURVES["Xeon 5160"][0], dtype=float)
    u_w = np.linspace(0.5, 2.0, 11)
    rng = np.random.default_rng(6)
    simulated = [proportionality(LOAD, watts + rng.normal(0, u_w)).ep for _ in range(4000)]
    weights = np.array(proportionality(LOAD, watts).weights)
    assert np.linalg.norm(weights * u_w / watts) == pytest.approx(np.std(simulated), rel=0.04)


def test_what_scales_all_watts_alike_leaves_the_proportionality_as_it_is():
    assert sum(proportionality(LOAD, CURVES["Xeon 5160"][0]).weights) == pytest.approx(0, abs=1e-12)


def test_a_bad_copy_of_a_result_page():
    """SE7520AF2, Xeon 3.6 GHz: idle overwritten with 0, 288 and 263 W swapped."""
    copied = [0, 170, 181, 194, 207, 225, 241, 288, 263, 308, 336]
    with pytest.raises(Refused) as refusal:
        proportionality(LOAD, copied)
    assert refusal.value.reason == "zero"
    (doubt,) = proportionality(LOAD, [159, *copied[1:]]).doubts
    assert doubt.startswith("Power falls from 288 W at 70 % to 263 W at 80 %")


@pytest.mark.parametrize(
    ("load", "watts", "reason"),
    [
        ([10, 100], [1, 2], "no-idle-or-full"),
        ([0, 90], [1, 2], "no-idle-or-full"),
        ([0, 100, 100], [1, 2, 2], "equal-levels"),
        ([100], [1], "one-point"),
        ([0, 100], [1, -2], "negative"),
        ([0, 100], [1, math.nan], "not-finite"),
        ([0, math.nan], [1, 2], "not-finite"),
        ([0, 50, 100], [1, 2], "unequal-lengths"),
    ],
)
def test_curves_that_are_refused(load, watts, reason):
    with pytest.raises(Refused) as refusal:
        proportionality(load, watts)
    assert refusal.value.reason == reason
