"""Latencies built into a meter's trace: estimated from the run's pulses, from an earlier run, or stated."""

import math

import numpy as np
import pytest
from wattmark.results.evaluate import evaluate
from wattmark.results.latency import with_latencies
from wattmark.results.meters import guard_s
from wattmark.runs.disclosure import MeterLatency
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import Phase, Pulse

from ..conftest import BEGIN_NS

PULSES_S = ((-57.0, -53.0), (-48.0, -41.0), (-37.0, -34.0), (-27.0, -22.0))
SYNC_S = (-60.0, -19.0)


def ns(t_s):
    return BEGIN_NS + round(t_s * 1e9)


def sync_phase(offset_s=0.0, there_s=None):
    """A sync pattern whose pulses are noted ``offset_s`` late here, and ``there_s`` off by the load's own clock."""
    pulses = []
    for begin, end in PULSES_S:
        marks = [ns(begin + offset_s), ns(end + offset_s)]
        there = {} if there_s is None else {"begin_there_ns": ns(begin + there_s), "end_there_ns": ns(end + there_s)}
        pulses.append(Pulse(begin_ns=marks[0], end_ns=marks[1], begin_monotonic_ns=0, end_monotonic_ns=1, **there))
    return Phase(name=PhaseName.SYNC, begin_ns=ns(SYNC_S[0]), end_ns=ns(SYNC_S[1]), pulses=tuple(pulses))


def late_trace(store, name, latency_s, rng, *, pulses=True, idle_w=150.0, load_w=250.0, **key):
    """A 1 Hz meter that shows the mean of the last second, ``latency_s`` late; load in the pulses and from 0 to 100."""
    t = np.arange(-70.0, 121) + 0.37
    spans = [*(PULSES_S if pulses else ()), (-15.0, 100.0)]
    seen = t - latency_s
    share = sum(np.clip(np.minimum(seen, end) - np.maximum(seen - 1, begin), 0, None) for begin, end in spans)
    store.add("r1", name, "power", t, idle_w + (load_w - idle_w) * share + rng.normal(0, 0.5, len(t)), **key)


@pytest.mark.parametrize("latency_s", [0.0, 0.4, 1.3, 2.6])
def test_the_window_is_shifted_by_the_latency_of_the_runs_own_pulses(store, record, rng, latency_s):
    late_trace(store, "outlet", latency_s, rng)
    result = evaluate(record(phases=(sync_phase(),)), store)
    (latency,) = result.latencies
    assert (latency.meter, latency.basis, latency.run_id, latency.reason) == ("outlet", "pattern", "r1", None)
    assert latency.latency_s == pytest.approx(latency_s, abs=0.05)
    assert 0.005 < latency.u_latency_s < 0.1
    assert any("measured from the load pulses of this run" in note for note in result.notes)
    line = next(line for line in result.power.budget if line.name == "Latency and clock of outlet")
    assert line.value == latency.latency_s
    assert line.u == pytest.approx(np.hypot(latency.u_latency_s, np.sqrt(2) * 0.002), rel=1e-6)
    assert result.power.value == pytest.approx(250, abs=0.3), "the end at 100 s shows only when it is shifted"
    assert guard_s(with_latencies(record(), result.latencies)) == latency.u_latency_s


def test_the_measured_latency_replaces_the_stated_one(store, record, meter, rng):
    late_trace(store, "outlet", 1.3, rng)
    stated = (meter(latency_s=4.0, u_latency_s=0.5),)
    result = evaluate(record(phases=(sync_phase(),), meters=stated), store)
    assert result.latencies[0].latency_s == pytest.approx(1.3, abs=0.05)


def test_each_wall_meter_has_its_own(store, record, meter, rng):
    late_trace(store, "psu1", 0.3, rng)
    late_trace(store, "psu2", 1.7, rng, idle_w=70.0, load_w=120.0)
    store.add("r1", "bmc", "power", np.arange(-70.0, 121), np.full(191, 210.0))
    bmc = meter(name="bmc", role="bmc", indicative=True, reading_pct=None, fixed_w=None, range_pct=None)
    result = evaluate(record(phases=(sync_phase(),), meters=(meter(name="psu1"), meter(name="psu2"), bmc)), store)
    assert [(latency.meter, round(latency.latency_s, 1)) for latency in result.latencies] == [
        ("psu1", 0.3),
        ("psu2", 1.7),
    ]


def test_pulses_that_cannot_be_seen_leave_what_the_bench_states(store, record, meter, rng):
    late_trace(store, "outlet", 1.3, rng, pulses=False)
    for stated, basis, u_s in (
        (meter(latency_s=1.0, u_latency_s=0.2), "stated", 0.2),
        (meter(), "assumed", pytest.approx(1 / math.sqrt(3))),
    ):
        result = evaluate(record(phases=(sync_phase(),), meters=(stated,)), store)
        (latency,) = result.latencies
        assert (latency.latency_s, latency.u_latency_s, latency.basis) == (stated.latency_s, u_s, basis)
        assert "does not show the load pulses" in latency.reason
        assert any(latency.reason in note for note in result.notes)


def test_a_later_run_takes_the_newest_earlier_estimate_and_says_which(store, record, rng):
    late_trace(store, "outlet", 1.3, rng, pulses=False)
    earlier = [
        MeterLatency(meter="outlet", latency_s=1.1, u_latency_s=0.03, basis="pattern", run_id="r-old"),
        MeterLatency(meter="outlet", latency_s=1.3, u_latency_s=0.02, basis="pattern", run_id="r-new"),
    ]
    facts = {"earlier_latencies": earlier}
    for phases in ((), (sync_phase(),)):
        result = evaluate(record(phases=phases, disclosure=facts), store)
        (latency,) = result.latencies
        assert (latency.latency_s, latency.u_latency_s, latency.basis, latency.run_id) == (
            1.3,
            0.02,
            "earlier pattern",
            "r-new",
        )
        assert any("from the load pulses of run r-new" in note for note in result.notes)


def test_a_counter_is_told_to_be_too_coarse(store, record, meter):
    t = np.arange(-70.0, 121)
    store.add("r1", "outlet", "energy_import", t, 500 + 250 * t / 3600, quantity="energy", unit="Wh")
    result = evaluate(record(phases=(sync_phase(),), meters=(meter(kind="counter", resolution_w=None),)), store)
    assert "too coarse" in result.latencies[0].reason


def exchanges(offset_s, delay_s=0.001, every_s=10):
    """Exchanges with a machine whose clock is ahead; half of the delay is on either way."""
    made = []
    for t_s in np.arange(-65, 111, every_s):
        there = ns(t_s + delay_s / 2 + offset_s)
        made.append([ns(t_s), there, there, ns(t_s + delay_s)])
    return made


def test_pulses_on_another_machine_are_taken_by_its_own_stamps(store, record, rng):
    """The marks taken here are 0.4 s late; the server's clock is 7 s ahead and its stamps are right."""
    late_trace(store, "outlet", 1.3, rng)
    facts = {"clock": {"exchanges": exchanges(7.0)}}
    result = evaluate(record(phases=(sync_phase(0.4, there_s=7.0),), disclosure=facts), store)
    assert result.latencies[0].latency_s == pytest.approx(1.3, abs=0.05)
