"""Power of a server: meters joined on time, budget terms, completeness."""

import math

import numpy as np
import pytest
from wattmark.analysis.efficiency.window import MLPERF
from wattmark.analysis.energy.power import SCATTER_BOUND, analyse_power
from wattmark.analysis.refusal import Refused
from wattmark.analysis.verdict import Limits

LIMITS = Limits()


@pytest.fixture
def noisy():
    return np.random.default_rng(4).normal(0, 1, 400)


def term(power, start):
    return next(c for c in power.mean.contributions if c.name.startswith(start))


def test_one_meter(make_trace, make_window, noisy):
    t = np.arange(-20.0, 121.0)
    value = 250 + noisy[: len(t)]
    power = analyse_power([make_trace(t, value)], make_window(100), LIMITS)
    inside = (t > 0) & (t <= 100)
    assert power.mean.value == pytest.approx(value[inside].mean())
    assert power.energy_j == pytest.approx(value[inside].sum())
    assert power.mean.complete
    assert term(power, "Specification").u == pytest.approx(0.005 * power.mean.value / math.sqrt(3))
    assert term(power, "Specification").correlation_group == "meter A"
    assert power.scatter_term.dof == pytest.approx(min(power.scatter.n_eff, power.scatter.n) - 1)
    assert power.process.contributions == (power.scatter_term, *power.mean.contributions)


def test_two_meters_are_joined_on_time_not_by_line(make_trace, make_window):
    """Two feeds, 1 s and 5 s rhythm, different offsets; a common ramp. Sums by line number would be far off."""
    fine, slow = np.arange(-20.3, 121), np.arange(-22.0, 131, 5)

    def ramp_mean(end, width):
        return 100 + (end - width / 2)

    power = analyse_power(
        [
            make_trace(fine, ramp_mean(fine, 1.0), name="feed 1", group="meter 1"),
            make_trace(slow, ramp_mean(slow, 5.0), name="feed 2", group="meter 2", period_s=5.0),
        ],
        make_window(100),
        LIMITS,
    )
    assert power.mean.value == pytest.approx(2 * 150.0, rel=1e-3)
    groups = {c.correlation_group for c in power.mean.contributions if c.name.startswith("Specification")}
    assert groups == {"meter 1", "meter 2"}


def test_power_steps_that_two_meters_share_are_added_at_the_right_time(make_trace, make_window):
    """Feed 1 falls when feed 2 rises: the sum is flat, so the scatter of the sum is near zero."""
    t1, t2 = np.arange(-20.0, 121.0), np.arange(-19.75, 121.0)
    swing = 40 * np.sin(t1 / 7), 40 * np.sin(t2 / 7)
    power = analyse_power(
        [make_trace(t1, 200 + swing[0], name="a"), make_trace(t2, 200 - swing[1], name="b")], make_window(100), LIMITS
    )
    assert power.scatter.sd < 3.0


def test_missing_second_meter_withholds_the_sum(make_trace, make_window):
    t = np.arange(-20.0, 121.0)
    with pytest.raises(Refused, match="feed 2"):
        analyse_power(
            [make_trace(t, np.full(len(t), 250.0)), make_trace([], [], name="feed 2")], make_window(100), LIMITS
        )


def test_unloaded_second_feed_adds_nothing(make_trace, make_window, noisy):
    t = np.arange(-20.0, 121.0)
    power = analyse_power(
        [make_trace(t, 250 + noisy[: len(t)]), make_trace(t, np.zeros(len(t)), name="feed 2")],
        make_window(100),
        LIMITS,
    )
    assert power.mean.value == pytest.approx(250, abs=0.5)


def test_no_specification_no_uncertainty(make_trace, make_window, noisy):
    t = np.arange(-20.0, 121.0)
    power = analyse_power([make_trace(t, 250 + noisy[: len(t)], specification=None)], make_window(100), LIMITS)
    assert not power.mean.complete
    assert "not traceable" in power.notes[0]


def test_unknown_range_no_uncertainty(make_trace, make_window, noisy):
    from wattmark_calibration import Specification

    t = np.arange(-20.0, 121.0)
    wt310 = Specification(reading_pct=0.1, range_pct=0.1)
    trace = make_trace(t, 250 + noisy[: len(t)], specification=wt310)
    power = analyse_power([trace], make_window(100), LIMITS)
    assert not power.mean.complete
    assert "range of meter is not recorded" in power.notes[0]


def test_window_edge_term(make_trace, make_window):
    """method 1: a 600 W step known to 35 ms over 868 s is 0.024 W; 1.3 s over 60 s is 13 W."""
    for u_latency_s, duration_s, expected_w in ((0.035, 868, 0.024), (1.3, 60, 13.0)):
        t = np.arange(-20.0, duration_s + 21.0)
        value = np.where((t > 0) & (t <= duration_s), 1100.0, 500.0)
        power = analyse_power([make_trace(t, value, u_latency_s=u_latency_s)], make_window(duration_s), LIMITS)
        assert term(power, "Latency").u_result == pytest.approx(expected_w, rel=0.01)


def test_cut_cells_err_as_their_term_says(make_trace, make_window):
    """Load exactly between the marks, stamps at any phase: root mean square error of clipped averages."""
    errors, terms = [], []
    for phase in np.linspace(0, 1, 101):
        t = np.arange(-20.0, 121.0) + phase
        loaded = np.clip(np.minimum(t, 100) - np.maximum(t - 1, 0), 0, 1)
        power = analyse_power([make_trace(t, 150 + 100 * loaded)], make_window(100), LIMITS)
        errors.append(power.mean.value - 250)
        terms.append(term(power, "Cells").u_result)
    assert max(errors) <= 1e-9
    assert np.mean(terms) == pytest.approx(np.sqrt(np.mean(np.square(errors))), rel=0.15)


def test_nothing_outside_the_window_counts_as_a_full_step(make_trace, make_window, noisy):
    t = np.arange(1.0, 101.0)
    power = analyse_power([make_trace(t, 250 + noisy[:100], u_latency_s=0.1)], make_window(100), LIMITS)
    assert term(power, "Latency").sensitivity == pytest.approx(power.mean.value / 100)


def test_unrecorded_edge_takes_the_largest_step_seen_outside(make_trace, make_window, noisy):
    """Recording stops with the window; the idle level of 150 W before it bounds what may have come after."""
    t = np.arange(-20.0, 101.0)
    value = np.where(t > -10, 250.0, 150.0) + np.where(t > -10, noisy[: len(t)], 0)
    power = analyse_power([make_trace(t, value, u_latency_s=0.1)], make_window(100), LIMITS)
    assert term(power, "Latency").sensitivity == pytest.approx((power.mean.value - 150) / 100)


def test_unknown_latency_is_up_to_a_period(make_trace, make_window, noisy):
    t = np.arange(-20.0, 121.0)
    trace = make_trace(t, np.where(t > 0, 250.0, 150.0) + noisy[: len(t)], u_latency_s=None, period_s=1.0)
    power = analyse_power([trace], make_window(100), LIMITS)
    assert term(power, "Latency").u == pytest.approx(1 / math.sqrt(3))
    assert term(power, "Latency").distribution == "rectangular"


def test_resolution_is_dithered_by_noise_only(make_trace, make_window, noisy):
    t = np.arange(-20.0, 421.0)[:400]
    loud = analyse_power([make_trace(t, np.round(250 + noisy), resolution=1.0)], make_window(300), LIMITS)
    flat = analyse_power([make_trace(t, np.full(len(t), 250.0), resolution=1.0)], make_window(300), LIMITS)
    assert term(flat, "Last digit").u == pytest.approx(1 / math.sqrt(12))
    assert term(loud, "Last digit").u < 0.2 * term(flat, "Last digit").u
    assert flat.mean.complete


def test_constant_readings_of_unknown_resolution_are_suspect(make_trace, make_window):
    t = np.arange(-20.0, 121.0)
    power = analyse_power([make_trace(t, np.full(len(t), 250.0))], make_window(100), LIMITS)
    assert not power.mean.complete
    assert "may be frozen" in power.notes[0]


def test_unsteady_power_has_a_mean_over_its_window_and_is_no_full_load_power(make_trace, make_window):
    t = np.arange(-20.0, 621.0)
    value = 550 + 30 * np.sin(t / 60)
    power = analyse_power([make_trace(t, value)], make_window(600), LIMITS)
    assert power.steady is False
    assert power.mean.complete, "an averaging meter leaves nothing of the window unmeasured"
    assert power.process is power.scatter_term is None
    assert "not steady" in power.process_reason


def test_short_window_is_bounded_by_single_readings(make_trace, make_window):
    """Twelve drifting samples: too few to judge or to average, so their own spread is the bound."""
    t = np.arange(-20.0, 41.0)
    value = 250 + np.clip(t, 0, 12) * 0.3
    power = analyse_power([make_trace(t, value)], make_window(12), LIMITS)
    assert power.steady is None
    assert (power.scatter_term.name, power.scatter_term.u) == (SCATTER_BOUND, pytest.approx(power.scatter.sd))


def test_step_at_the_edge_does_not_rule_a_short_window(make_trace, make_window, noisy):
    """The first cell reaches into idle by an unknown latency; that is the latency's term, not scatter."""
    t = np.arange(-20.0, 41.0) + 0.3
    value = np.where((t > 1) & (t <= 16), 250 + noisy[: len(t)], 150.0)
    power = analyse_power([make_trace(t, value, u_latency_s=0.25)], make_window(15), LIMITS)
    assert power.scatter.sd < 2.0
    assert power.samples == 15


@pytest.mark.parametrize("n", [1, 2])
def test_one_or_two_samples_give_no_uncertainty(make_trace, make_window, n):
    t = np.arange(-30.0, 61.0, 30.0) if n == 1 else np.arange(-15.0, 61.0, 15.0)
    power = analyse_power([make_trace(t + 14, np.full(len(t), 250.0), period_s=30.0 / n)], make_window(29), LIMITS)
    assert power.mean.value == pytest.approx(250.0)
    assert not power.mean.complete
    assert "three are needed" in " ".join(power.notes)


def test_mlperf_is_the_plain_mean_of_positive_samples_strictly_inside(make_trace, make_window):
    power = analyse_power(
        [make_trace([0, 1, 2, 3, 4, 5], [9, 200, -1, 300, 310, 9], latency_s=0.5)], make_window(5, MLPERF), LIMITS
    )
    assert power.mean.value == pytest.approx((200 + 300 + 310) / 3)
    assert (power.samples, power.excluded) == (3, 1)


def test_bad_samples_beyond_five_percent_fail(make_trace, make_window, noisy):
    t = np.arange(-20.0, 121.0)
    value = np.where(np.arange(len(t)) % 10 == 0, -1.0, 250 + noisy[: len(t)])
    power = analyse_power([make_trace(t, value)], make_window(100, MLPERF), LIMITS)
    verdict = next(v for v in power.verdicts if v.rule == "bad-samples")
    assert (verdict.outcome, verdict.value) == ("fail", pytest.approx(100 * 9 / 99))
    assert verdict.text == "9 of 99 samples of meter were bad and excluded: 9 negative."


def test_no_power_is_refused(make_trace, make_window):
    t = np.arange(-20.0, 121.0)
    with pytest.raises(Refused, match="0 W"):
        analyse_power([make_trace(t, np.zeros(len(t)))], make_window(100), LIMITS)


def test_no_meter_is_refused(make_window):
    with pytest.raises(Refused, match="No power was recorded"):
        analyse_power([], make_window(100), LIMITS)


def test_register_gives_the_power_between_its_readings(make_trace, make_window):
    t = np.arange(-20.0, 641.0, 10)
    trace = make_trace(t, 1000 + 250 * t / 3600, kind="counter", unit="Wh", resolution=0.01, period_s=10.0)
    power = analyse_power([trace], make_window(600), LIMITS)
    assert power.mean.value == pytest.approx(250)
    assert term(power, "Register").u_result == pytest.approx(0.01 * 3600 / math.sqrt(6) / 600)
