"""One run from marks and traces to efficiency: nothing is silently wrong."""

import math

import numpy as np
import pytest
from wattmark.analysis.efficiency.run import analyse_run


def test_whole_run(make_run):
    analysis = analyse_run(make_run())
    assert analysis.window.duration_s == 100
    assert analysis.work.throughput.value == 1000
    assert analysis.work.efficiency.value == pytest.approx(1000 / analysis.power.mean.value)
    assert analysis.work.energy_per_op.value == pytest.approx(1 / analysis.work.efficiency.value)
    assert analysis.work.efficiency.complete
    assert (analysis.power.steady, analysis.full_load, analysis.utilisation_pct) == (True, True, 99.0)
    assert analysis.notes == ()


def test_no_window_gives_nothing_but_the_reason(make_run, make_marks):
    analysis = analyse_run(make_run(marks=make_marks()))
    assert analysis.power is analysis.work.throughput is analysis.work.efficiency is analysis.window is None
    assert "did not mark" in analysis.notes[0]


def test_no_power_leaves_throughput(make_run):
    analysis = analyse_run(make_run(power=()))
    assert analysis.work.throughput.value == 1000
    assert analysis.power is analysis.work.efficiency is None
    assert analysis.notes == ("Power is withheld: No power was recorded for this run.",)


def test_bad_work_leaves_power(make_run, make_marks):
    analysis = analyse_run(make_run(marks=make_marks(0, 100, [(0, 100, np.nan)])))
    assert analysis.power is not None
    assert analysis.work.throughput is analysis.work.efficiency is None
    assert "Throughput is withheld" in analysis.notes[0]


def test_low_utilisation_is_said(make_run):
    analysis = analyse_run(make_run(utilisation_pct=np.full(141, 80.0)))
    assert analysis.full_load is False
    verdict = next(v for v in analysis.verdicts if v.rule == "full-load")
    assert (verdict.outcome, verdict.value, verdict.limit) == ("fail", 80.0, 95.0)


@pytest.mark.parametrize(
    "changes",
    [{"utilisation_t_ns": np.zeros(0, dtype=np.int64), "utilisation_pct": np.zeros(0)}, {"full_load_limit_pct": None}],
)
def test_unknown_load_is_not_claimed(make_run, changes):
    analysis = analyse_run(make_run(**changes))
    assert analysis.full_load is None


def test_unsteady_run_makes_no_claim_of_full_load(make_run, make_trace):
    t = np.arange(-20.0, 121.0)
    analysis = analyse_run(make_run(power=(make_trace(t, 250 - 0.5 * np.clip(t, 0, 100)),)))
    assert analysis.power.steady is False
    assert analysis.full_load is False
    assert analysis.power.process is None
    assert analysis.work.efficiency.complete, "the work has its energy all the same"
    assert any("no full-load power of this server" in note for note in analysis.notes)


def test_secondary_meter_is_shown_and_not_added(make_run, make_trace):
    t = np.arange(-20.0, 121.0)
    bmc = make_trace(t, np.full(len(t), 230.0), name="bmc", specification=None, indicative=True, kind="instantaneous")
    alone, analysis = analyse_run(make_run()), analyse_run(make_run(secondary_traces=(bmc,)))
    assert analysis.power.mean.value == alone.power.mean.value
    assert analysis.notes[0].startswith("bmc showed 230 W, -8")


def test_broken_secondary_meter_does_not_matter(make_run, make_trace):
    analysis = analyse_run(make_run(secondary_traces=(make_trace([], [], name="bmc"),)))
    assert analysis.work.efficiency is not None
    assert "bmc is not shown" in analysis.notes[0]


def test_latency_type_result(make_run, make_marks):
    analysis = analyse_run(make_run(marks=make_marks(0, 100), stated_operations=50_000.0))
    assert analysis.work.throughput is None
    assert analysis.work.energy_per_op.value == pytest.approx(analysis.power.energy_j / 50_000)


def test_no_operations_is_a_reason(make_run, make_marks):
    analysis = analyse_run(make_run(marks=make_marks(0, 100), stated_operations=0.0))
    assert analysis.work.efficiency is None
    assert analysis.notes[-1] == "Efficiency is withheld: The source states no number of operations for the window."


def test_mlperf_rule_differs_only_in_averaging(make_run):
    complete, mlperf = (analyse_run(make_run(rule=rule)) for rule in ("complete", "mlperf"))
    assert mlperf.power.mean.value == pytest.approx(complete.power.mean.value, rel=1e-3)
    assert mlperf.window.rule.name == "mlperf"


def test_hundred_seconds_of_constant_drift_are_found_by_words(make_run, make_trace):
    t = np.arange(-20.0, 121.0)
    analysis = analyse_run(make_run(power=(make_trace(t, 250 + 0.06 * np.clip(t, 0, 100)),)))
    assert any(v.rule == "drift" and v.outcome == "fail" and "drifts by +2.4 %" in v.text for v in analysis.verdicts)


def test_one_span_of_work_is_said_to_tell_no_scatter(make_run, make_marks):
    analysis = analyse_run(make_run(marks=make_marks(0, 100, [(0, 100, 100_000)])))
    assert analysis.work.rate_term is None
    assert analysis.work.throughput.u == pytest.approx(1 / math.sqrt(6) / 100)
    assert any("counted in one span" in note for note in analysis.notes)


def test_no_interval_reaches_below_no_work(make_run, make_marks):
    """Of two operations a fifth lies in the window: 0.004/s with 0.004/s for counting and cutting."""
    fraction = analyse_run(make_run(marks=make_marks(0, 100, [(-80, 20, 1.0), (80, 180, 1.0)]), rule="mlperf"))
    assert not fraction.work.throughput.complete
    assert any("as large as the value itself" in note for note in fraction.notes)


def test_a_quotient_is_never_surer_than_its_parts(make_run):
    analysis = analyse_run(make_run())
    parts = (analysis.work.throughput, analysis.power.mean)
    assert analysis.work.efficiency.u / analysis.work.efficiency.value >= max(part.u / part.value for part in parts)
