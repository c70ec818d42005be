"""Sources with planted errors beside a wall meter: differences, lag, limits and verdicts."""

from __future__ import annotations

import numpy as np
import pytest
from wattmark.analysis.cross_check.cross_check import UNSPECIFIED_PCT, Checked, PowerSource, Stretch, cross_check
from wattmark.analysis.efficiency.window import COMPLETE, Window
from wattmark.analysis.energy.power import analyse_power
from wattmark.analysis.verdict import Limits
from wattmark_calibration import Specification

from ..conftest import BEGIN_NS

IDLE_W, LOAD_W, SECONDS = 150.0, 300.0, 120
NS = 10**9
WINDOW = Window(BEGIN_NS, BEGIN_NS + SECONDS * NS, COMPLETE)
IDLE = Window(BEGIN_NS - 160 * NS, BEGIN_NS - 60 * NS, COMPLETE)
T_S = np.arange(-200.0, SECONDS + 40)
CLASS_ONE = Specification(reading_pct=1.0)


def load_w(t_s):
    """Return the power at instants: the load begins 50 s before the window."""
    return np.where(t_s <= -50, IDLE_W, LOAD_W)


@pytest.fixture
def check(make_trace):
    """Compare sources with a wall meter of class 0.5; each is (name, place, watts, and what describes it)."""

    def make(*sources, seed=3, wall_w=None) -> list[Checked]:
        rng = np.random.default_rng(seed)
        wall_w = load_w(T_S) + rng.normal(0, 0.4, len(T_S)) if wall_w is None else wall_w
        wall = make_trace(T_S, wall_w, name="wall")
        mean, idle = (analyse_power((wall,), span, Limits()).mean for span in (WINDOW, IDLE))
        stretches = [Stretch("window", WINDOW, (wall,), mean), Stretch("idle", IDLE, (wall,), idle)]
        made = []
        for name, measured_at, watts, described in sources:
            known = described.pop("latency_known", True)
            noisy = watts + rng.normal(0, described.pop("noise_w", 0.4), len(T_S))
            digit = described.get("resolution")
            shown = noisy if digit is None else np.round(noisy / digit) * digit
            trace = make_trace(T_S, shown, name=name, **{"specification": None, **described})
            made.append(PowerSource(name, name, measured_at, ((trace,), (trace,)), known))
        return list(cross_check(stretches, mean, made))

    return make


def test_a_pdu_within_its_class_and_one_beyond_it(check) -> None:
    good, bad = check(
        ("good", "inlet", 1.004 * load_w(T_S), {"specification": CLASS_ONE}),
        ("bad", "inlet", 1.03 * load_w(T_S), {"specification": CLASS_ONE}),
    )
    assert good.verdict.outcome == "pass"
    assert good.verdict.value == pytest.approx(0.4, abs=0.05)
    # half width of two rectangles, 1 % and 0.5 %: more than the larger alone, less than their sum
    assert 1.0 < good.verdict.limit < 1.5
    assert "% high against wall, within 1.2 %" in good.verdict.text
    assert bad.verdict.outcome == "fail"
    assert "beyond" in bad.verdict.text
    assert good.difference_pct.complete
    assert abs(good.difference_pct.value - 0.4) <= good.difference_pct.expanded_u


def test_a_bmc_without_stated_accuracy_keeps_our_own_limit(check) -> None:
    near, off = check(
        ("near", "server", 1.022 * load_w(T_S), {"resolution": 1.0, "indicative": True}),
        ("off", "server", 0.9 * load_w(T_S), {"resolution": 1.0, "indicative": True}),
    )
    assert near.verdict.outcome == "pass"
    assert near.verdict.limit == pytest.approx(UNSPECIFIED_PCT, rel=1e-3)
    assert "2.2 % high" in near.verdict.text
    assert off.verdict.outcome == "fail"


def test_gain_offset_and_difference_hold_the_planted_ones(check) -> None:
    """The source shows (wall - 6)/0.95, so wall = 6 W + 0.95 x source."""
    planted_pct = 100 * ((LOAD_W - 6) / 0.95 / LOAD_W - 1)
    trials, line_inside, difference_inside = 24, 0, 0
    for seed in range(trials):
        (checked,) = check(("bmc", "server", (load_w(T_S) - 6) / 0.95, {}), seed=seed)
        line, difference = checked.line, checked.difference_pct
        line_inside += abs(line.gain.value - 0.95) <= line.gain.U95 and abs(line.offset.value - 6) <= line.offset.U95
        difference_inside += abs(difference.value - planted_pct) <= difference.expanded_u
    # 95 % of 24 are 22.8; fewer than 20 happen in 1 of 150 by chance
    assert line_inside >= 20
    assert difference_inside >= 20


def test_a_source_that_comes_late_is_moved_by_the_lag_of_the_recording(check) -> None:
    late = {"latency_known": False, "u_latency_s": None}
    (checked,) = check(("bmc", "server", load_w(T_S - 4.0), late))
    assert checked.lag_s == pytest.approx(4.0, abs=0.6)
    assert abs(checked.difference_pct.value) < 0.2


def test_parts_of_the_power_must_be_below_the_wall(check) -> None:
    output, processors, above = check(
        ("psu", "supply output", 0.91 * load_w(T_S), {}),
        ("rapl", "processors", 0.4 * load_w(T_S), {}),
        ("gpu", "gpu", 1.2 * load_w(T_S), {}),
    )
    assert output.verdict.value == pytest.approx(91, abs=0.2)
    assert processors.verdict.outcome == output.verdict.outcome == "pass"
    assert above.verdict.outcome == "fail"
    assert "more than the whole server draws" in above.verdict.text
    assert processors.limit_w is None


def test_levels_too_close_give_the_difference_only(check) -> None:
    flat = np.full(len(T_S), LOAD_W) + np.random.default_rng(1).normal(0, 0.4, len(T_S))
    (checked,) = check(("pdu", "inlet", np.full(len(T_S), 1.01 * LOAD_W), {}), wall_w=flat)
    assert checked.line is None
    assert checked.no_line
    assert checked.difference_pct.value == pytest.approx(1.0, abs=0.1)


def test_a_source_without_samples_is_not_compared(check, make_trace) -> None:
    (checked,) = check(("bmc", "server", np.full(len(T_S), np.nan), {}))
    assert checked.verdict.outcome == "not-checked"
    assert "no usable sample" in checked.verdict.text
