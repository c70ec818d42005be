"""Power of an idle server by IEC 62301: limits by hand from the formulas of the standard."""

import numpy as np
import pytest
from wattmark.analysis.energy.idle_state import current_ratio, slope_share, uncertainty_limit_w
from wattmark.analysis.refusal import Refused

HOUR_S = 3600.0


@pytest.mark.parametrize(
    ("power_w", "slope_w_per_h", "share"),
    [
        (100.0, 1.0, 1.0),  # 1 % of 100 W per hour
        (100.0, -0.5, -0.5),
        (250.0, 1.0, 0.4),  # of 2.5 W/h
        (0.5, 0.010, 1.0),  # up to 1 W: 10 mW/h
        (0.5, 0.004, 0.4),
    ],
)
def test_the_trend_of_the_last_two_thirds_over_its_limit(power_w: float, slope_w_per_h: float, share: float) -> None:
    """A line through the middle of the judged part, and a first third that fell by a half and does not count."""
    t_s = np.arange(1.0, 901.0)
    watts = power_w + slope_w_per_h * (t_s - 600.5) / HOUR_S
    watts[t_s <= 300] *= 1.5
    assert slope_share(t_s, watts, 900.0) == pytest.approx(share, rel=1e-4)


def test_noise_is_fitted_by_least_squares() -> None:
    """By hand: slope = sum (t - mean)(P - mean) / sum (t - mean)^2."""
    rng = np.random.default_rng(7)
    t_s = np.sort(rng.uniform(0, 900, 700))
    watts = 200 + rng.normal(0, 0.5, 700)
    judged = t_s > 300
    t, w = t_s[judged] - t_s[judged].mean(), watts[judged] - watts[judged].mean()
    slope_w_per_h = float((t * w).sum() / (t * t).sum()) * HOUR_S
    assert slope_share(t_s, watts, 900.0) == pytest.approx(slope_w_per_h / (0.01 * watts[judged].mean()), rel=1e-9)


@pytest.mark.parametrize(
    ("power_w", "ratio", "limit_w"),
    [
        (100.0, None, 2.0),
        (100.0, 1.5, 2.0),
        (100.0, 10.0, 2.0),
        (100.0, 20.0, 3.6),  # 2 % x (1 + 0.08 x 10)
        (1.0, 15.0, 0.028),  # 2 % x 1.4
        (0.5, 5.0, 0.02),
        (0.5, 20.0, 0.02),  # 3.6 % of 0.5 W is less
        (0.9, 30.0, 0.0468),  # 5.2 % of 0.9 W is more
    ],
)
def test_the_limit_of_uncertainty_by_current_ratio(power_w: float, ratio: float | None, limit_w: float) -> None:
    assert uncertainty_limit_w(power_w, ratio) == pytest.approx(limit_w)


def test_the_current_ratio_is_crest_factor_over_power_factor() -> None:
    assert current_ratio(3.0, 0.6) == pytest.approx(5.0)


def test_too_few_readings_give_no_trend() -> None:
    with pytest.raises(Refused, match="too few readings"):
        slope_share([10.0, 400.0, 500.0], [100.0, 100.0, 100.0], 900.0)
