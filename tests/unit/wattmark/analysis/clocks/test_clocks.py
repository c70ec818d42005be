"""Clock exchanges of real MLPerf runs (their client.json and server.json), and latencies that were planted."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from wattmark.analysis.clocks.clocks import Exchange, fit_clock, meter_latency
from wattmark.analysis.refusal import Refused

R7525 = (
    (1616120010.3532677, 1616120010.3543317, 1616120010.3543317, 1616120010.3540795),
    (1616120010.359322, 1616120010.3603735, 1616120010.3604255, 1616120010.35988),
    (1616120936.617836, 1616120936.5826387, 1616120936.5826387, 1616120936.6183498),
)
"""DellEMC R7525, resnet50 Offline, MLPerf Power v1.0: offsets +0.66, +0.80 and -35.45 ms, "-39 ppm"."""
R7525_BEFORE = (1616120002.2300372, 1616120001.9651148, 1616120001.9655132, 1616120002.230551)
"""The exchange before the first two, 265 ms off: the clock was set in between."""
AGX_LAST = (1616039264.5938857, 1616039264.5365522, 1616039264.552118, 1616039264.5954967)
"""NVIDIA AGX Xavier: a delay of -13.95 ms, which no network has."""


def exchange(stamps: tuple[float, float, float, float]) -> Exchange:
    return Exchange(*(round(stamp * 1e9) for stamp in stamps))


def test_offset_and_delay_of_a_real_exchange() -> None:
    timing = exchange(R7525[2])
    assert timing.offset_s == pytest.approx(-0.0354542, abs=1e-6)
    assert timing.delay_s == pytest.approx(0.0005138, abs=1e-6)


def test_drift_over_a_real_run() -> None:
    fit = fit_clock([exchange(stamps) for stamps in R7525])
    assert fit.drift == pytest.approx(-39e-6, abs=0.5e-6)
    assert not fit.stepped
    assert fit.offset_at(round(R7525[2][0] * 1e9)) == pytest.approx(-0.03545, abs=5e-4)
    middle_ns = round(1616120500 * 1e9)
    assert fit.to_ours(fit.to_theirs(middle_ns)) == pytest.approx(middle_ns, abs=2000)


def test_a_clock_that_was_set_is_noticed() -> None:
    assert fit_clock([exchange(stamps) for stamps in (R7525_BEFORE, *R7525)]).stepped


def test_an_impossible_delay_is_rejected() -> None:
    fit = fit_clock([exchange(R7525[0]), exchange(AGX_LAST)])
    assert (fit.used, fit.rejected) == (1, 1)
    with pytest.raises(Refused, match="too coarse"):
        fit_clock([exchange(AGX_LAST)])


@given(
    st.floats(-1e3, 1e3),
    st.floats(-2e-4, 2e-4),
    st.lists(st.tuples(st.floats(0, 3600), st.floats(1e-4, 0.01), st.floats(0, 1)), min_size=3, max_size=20),
)
def test_offsets_are_found_within_half_the_delay(
    offset_s: float, drift: float, asked: list[tuple[float, float, float]]
) -> None:
    made = []
    for at_s, delay_s, share in asked:
        there_s = at_s + delay_s * share + offset_s + drift * at_s
        made.append(exchange((at_s, there_s, there_s, at_s + delay_s)))
    fit = fit_clock(made)
    assert not fit.stepped
    for item in made:
        if item.delay_s <= 0.002:
            true_s = offset_s + drift * item.t0_ns / 1e9
            assert abs(fit.offset_at(item.t0_ns) - true_s) < 0.012


def trace(latency_s: float, averaging_s: float, *, period_s: float, noise_w: float, seed: int) -> tuple:
    """A meter that averages over some time and shows its value late; watts 200 idle, 400 under load."""
    pulses = [(5.0, 8.0), (12.3, 16.7), (21.1, 26.5), (33.8, 40.2)]
    rng = np.random.default_rng(seed)
    t_s = np.arange(0, 50, period_s) + rng.uniform(0, period_s)
    fine = np.linspace(0, 1, 200)[None, :] * averaging_s
    seen = (t_s - latency_s)[:, None] - fine
    load = np.mean(sum(((seen >= begin) & (seen < end)).astype(float) for begin, end in pulses), axis=1)
    return t_s, 200 + 200 * load + rng.normal(0, noise_w, len(t_s)), pulses


@pytest.mark.parametrize("latency_s", [0.0, 0.4, 1.3, 2.6])
@pytest.mark.parametrize(("period_s", "averaging_s"), [(1.0, 1.0), (0.5, 0.5), (1.0, 0.25)])
def test_the_planted_latency_is_found_within_50_ms(latency_s: float, period_s: float, averaging_s: float) -> None:
    off, covered = [], 0
    for seed in range(6):
        t_s, watts, pulses = trace(latency_s, averaging_s, period_s=period_s, noise_w=1.5, seed=seed)
        latency = meter_latency(t_s, watts, pulses, averaging_s=averaging_s)
        off.append(latency.latency_s - latency_s)
        covered += abs(off[-1]) <= 2.5 * latency.u_s
    assert math.sqrt(np.mean(np.square(off))) < (0.05 if averaging_s == period_s else 0.15)
    assert covered == 6


def test_a_trace_without_the_pulses_is_refused() -> None:
    t_s, _, pulses = trace(1.0, 1.0, period_s=1.0, noise_w=1.0, seed=1)
    flat = np.full(len(t_s), 200.0)
    for watts in (flat, flat + np.random.default_rng(2).normal(0, 1, len(t_s))):
        with pytest.raises(Refused, match="does not show the load pulses"):
            meter_latency(t_s, watts, pulses, averaging_s=1.0)
    with pytest.raises(Refused, match="at least two"):
        meter_latency(t_s, flat, pulses[:1], averaging_s=1.0)


def test_a_latency_beyond_the_search_is_refused() -> None:
    t_s, watts, pulses = trace(4.5, 1.0, period_s=1.0, noise_w=1.0, seed=3)
    with pytest.raises(Refused):
        meter_latency(t_s, watts, pulses, averaging_s=1.0, longest_s=2.0)


def test_a_step_in_a_long_run_is_not_taken_for_drift() -> None:
    """Eight exchanges at either end and one in between, 0.2 s set after 150 s: a line alone leaves 20 ms."""
    made = []
    for at_s in (*np.linspace(0, 0.01, 8), 100.0, 160.0, *np.linspace(300, 300.01, 8)):
        there_s = at_s + 0.0005 + (0.2 if at_s > 150 else 0.0)
        made.append(exchange((float(at_s), there_s, there_s, at_s + 0.001)))
    assert fit_clock(made).stepped
