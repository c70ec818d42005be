"""Worked limits: method notes on IM WT310E-02EN p. 7-7 (245 W at power factor 1) and IM WT310-02EN p. 7-7."""

from __future__ import annotations

from math import sqrt

import pytest
from wattmark.importers.mlperf.yokogawa import power_limits
from wattmark.importers.ptdaemon.ptdaemon_console import ConsoleSettings


def limit_w(model: str, settings: ConsoleSettings, watts: float, volts: float, amps: float) -> float:
    limits = power_limits(model, settings, watts, volts, amps)
    assert limits is not None
    return limits.reading_pct / 100 * watts + limits.range_pct / 100 * limits.range_w + limits.fixed_w


@pytest.mark.parametrize(
    ("amp_range", "limit", "u"),
    [(1.0, 0.395, 0.2281), (2.0, 0.545, 0.3147), (5.0, 0.995, 0.5745), (20.0, 3.245, 1.8735)],
)
def test_wt310e_at_power_factor_one(amp_range: float, limit: float, u: float) -> None:
    # Self-heating at 230 V and 1.07 A adds 0.005 % of 245 W, which the worked figures exclude.
    computed = limit_w("WT310E", ConsoleSettings(300.0, amp_range, "3", False), 245.0, 230.0, 245 / 230)
    assert computed == pytest.approx(limit, abs=0.014)
    assert computed / sqrt(3) == pytest.approx(u, abs=0.008)


def test_power_factor_influence_is_a_share_of_the_reactive_power() -> None:
    # 245 W at power factor 0.2: tan(phi) x 0.1 % of reading = 1.2 W.
    at_one = power_limits("WT333E", ConsoleSettings(300.0, 2.0, "3", False), 245.0, 230.0, 245 / 230)
    at_fifth = power_limits("WT333E", ConsoleSettings(300.0, 2.0, "3", False), 245.0, 230.0, 245 / 230 / 0.2)
    assert at_one is not None
    assert at_fifth is not None
    assert at_fifth.fixed_w - at_one.fixed_w == pytest.approx(245 * 0.001 * sqrt(1 / 0.04 - 1), abs=0.02)


def test_wt310_has_twice_the_range_term() -> None:
    limits = power_limits("WT310", ConsoleSettings(300.0, 10.0, "3", False), 1000.0, 230.0, 1000 / 230)
    assert limits is not None
    assert (limits.reading_pct, limits.range_pct, limits.range_w) == (0.1, 0.1, 3000.0)
    assert "IM WT310-02EN" in limits.source


def test_crest_factor_six_doubles_the_range_term_and_the_filter_adds_to_the_reading() -> None:
    limits = power_limits("WT310E", ConsoleSettings(300.0, 10.0, "6", True), 1000.0, 230.0, 1000 / 230)
    assert limits is not None
    assert (limits.reading_pct, limits.range_pct) == (pytest.approx(0.4), 0.1)


@pytest.mark.parametrize(
    ("model", "settings"),
    [
        ("WT210 (760401)", ConsoleSettings(300.0, 10.0, "3", False)),
        ("WT310EH", ConsoleSettings(300.0, 10.0, "3", False)),
        ("WT310E", ConsoleSettings(None, 10.0, "3", False)),
        ("WT310E", ConsoleSettings(300.0, None, "3", False)),
        ("WT310E", ConsoleSettings(300.0, 10.0, None, False)),
        ("WT310E", ConsoleSettings(300.0, 10.0, "3", None)),
    ],
)
def test_nothing_is_invented_for_an_unknown_model_or_setting(model: str, settings: ConsoleSettings) -> None:
    assert power_limits(model, settings, 245.0, 230.0, 1.1) is None
