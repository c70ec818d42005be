"""Extrapolation: the five clock steps of the first article by every model, intervals, refusals."""

import math

import numpy as np
import pytest
from wattmark.analysis.comparison.measured import Measured, measured
from wattmark.analysis.refusal import Refused
from wattmark.analysis.scaling.extrapolation import extrapolate

CLOCK = (2.2, 2.4)
ROWS = {
    # (y0, y1): linear, power law, proportional, time model, linear in log f; seed_vectors.json, "extrapolation"
    "mysql_dual": ((749, 805), (973.0, 968.5, 1006.25, 963.48, 948.61)),
    "mysql_quad": ((590, 622), (718.0, 712.22, 777.5, 706.27, 704.07)),
    "postgresql": ((490, 524), (626.0, 622.37, 655.0, 618.4, 611.19)),
    "jsp_peak": ((144, 154), (184.0, 182.94, 192.5, 181.77, 179.65)),
    "amp_peak": ((984, 1042), (1216.0, 1206.85, 1302.5, 1197.25, 1190.74)),
}
MODELS = ("linear", "power-law", "proportional", "time", "log")


@pytest.mark.parametrize(("values", "expected"), ROWS.values(), ids=ROWS)
def test_article_000_by_every_model(values, expected):
    extrapolation = extrapolate(CLOCK, measured(values), 3.0)
    assert [extrapolation.by(model).figure.value for model in MODELS] == [
        pytest.approx(value, abs=0.006) for value in expected
    ]
    assert extrapolation.spread == (pytest.approx(expected[4], abs=0.006), pytest.approx(expected[2]))
    assert extrapolation.envelope is None


def test_input_error_of_two_points():
    """method 5.5: k = 3; PostgreSQL 626 +- 51 (k = 2) at 1 % per point, so u = 25.6 and 1.96 u = 50.2."""
    extrapolation = extrapolate(CLOCK, measured([490.0, 524.0], [4.90, 5.24]), 3.0).by("linear")
    assert extrapolation.basis == "input error only"
    u = extrapolation.figure.U95 / 1.959964
    assert 2 * u == pytest.approx(51, abs=0.5)
    assert u == pytest.approx(math.hypot(4 * 5.24, 3 * 4.90))


def test_the_warning_of_the_method_word_by_word():
    extrapolation = extrapolate(CLOCK, measured([490.0, 524.0], 5.0), 3.0)
    assert extrapolation.warning == (
        "Extrapolated, not measured: 3 GHz lies 25 % above the highest measured point; "
        "interval covers input error only, not model error."
    )


def test_warning_below_and_without_interval():
    extrapolation = extrapolate([4, 8], measured([4.0, 7.0]), 2, axis="cores", unit="cores")
    assert "2 cores lies 50 % below the lowest measured point" in extrapolation.warning
    assert "no interval is known" in extrapolation.warning


def test_prediction_interval_against_statsmodels():
    import statsmodels.api as sm

    x = np.array([1.0, 2.0, 3.0, 4.0, 6.0])
    y = np.array([10.1, 18.7, 29.5, 38.2, 61.0])
    oracle = sm.OLS(y, sm.add_constant(x)).fit().get_prediction([[1.0, 9.0]])
    extrapolation = extrapolate(x, measured(y), 9.0, axis="cores", unit="cores").by("linear")
    assert extrapolation.figure.value == pytest.approx(oracle.predicted_mean[0])
    assert extrapolation.figure.ends == pytest.approx(tuple(oracle.conf_int(obs=True)[0]))
    assert extrapolation.basis == "prediction interval"


def test_power_law_interval_against_statsmodels_on_logarithms():
    import statsmodels.api as sm

    x = np.array([1.0, 2.0, 4.0, 8.0])
    y = np.array([1.0, 1.9, 3.4, 6.6])
    oracle = sm.OLS(np.log(y), sm.add_constant(np.log(x))).fit().get_prediction([[1.0, math.log(16)]])
    extrapolation = extrapolate(x, measured(y), 16.0).by("power-law")
    assert extrapolation.figure.ends == pytest.approx(tuple(np.exp(oracle.conf_int(obs=True)[0])))


def test_input_error_counts_where_points_agree_by_luck():
    extrapolation = extrapolate([1, 2, 3], measured([10.0, 20.0, 30.0], 3.0), 4).by("linear")
    # Line at 4: weights -2/3, 1/3, 4/3, so u = 3 sqrt(21)/3
    assert pytest.approx(1.959964 * math.sqrt(21)) == extrapolation.figure.U95


def test_the_envelope_holds_every_model_and_its_interval():
    extrapolation = extrapolate(CLOCK, measured([490.0, 524.0], 5.0), 3.0)
    low, high = extrapolation.envelope
    assert low == min(p.figure.low for p in extrapolation.predictions)
    assert high == max(p.figure.high for p in extrapolation.predictions)
    assert low < extrapolation.spread[0] < extrapolation.spread[1] < high


def test_a_time_model_that_diverges_is_excluded_and_says_so():
    extrapolation = extrapolate([1, 2], measured([10.0, 40.0]), 8.0)
    with pytest.raises(Refused, match="Time model") as refusal:
        extrapolation.by("time")
    assert refusal.value.reason == "no-model"
    assert extrapolation.by("linear").figure.value == 220


def test_an_interval_past_the_pole_is_open():
    extrapolation = extrapolate([1, 2], measured([10.0, 17.0], 2.0), 8.0).by("time")
    assert extrapolation.figure.high == math.inf
    assert extrapolation.figure.low < extrapolation.figure.value


def test_amdahl_in_cores_is_the_time_model():
    """sigma = 0.1: X(n) = n/(1 + 0.1 (n - 1)) is 1/(A + B/n) with A = 0.1, B = 0.9."""
    extrapolation = extrapolate([1, 2, 4], measured([1.0, 2 / 1.1, 4 / 1.3]), 16, axis="cores", unit="cores")
    assert extrapolation.by("time").figure.value == pytest.approx(16 / 2.5)


@pytest.mark.parametrize(
    ("x", "values", "target", "reason"),
    [
        ([2.2], [1.0], 3.0, "one-point"),
        ([2.2, 2.2], [1.0, 1.1], 3.0, "equal-levels"),
        ([2.2, 2.4], [1.0, 1.1], 2.3, "inside-range"),
        ([2.2, 2.4], [1.0, 1.1], 2.4, "inside-range"),
        ([2.2, 2.4], [1.0, 1.1], math.nan, "not-finite"),
        ([2.2, 2.4], [1.0, 1.1], 0.0, "zero"),
        ([2.2, 2.4], [1.0, 0.0], 3.0, "zero"),
        ([2.2, 2.4], [1.0, -1.0], 3.0, "negative"),
        ([2.2, math.inf], [1.0, 1.0], 3.0, "not-finite"),
        ([2.2, 2.4, 2.6], [1.0, 1.1], 3.0, "unequal-lengths"),
    ],
)
def test_what_is_not_extrapolated(x, values, target, reason):
    with pytest.raises(Refused) as refusal:
        extrapolate(x, [Measured(v) for v in values], target)
    assert refusal.value.reason == reason
