"""The memory view: watts per DIMM in words, with its reasons for not saying it."""

import numpy as np
import pytest
from wattmark.comparison.memory.memory import memory_view
from wattmark.comparison.parts.fit_table import fit_table
from wattmark.reports.figures.plots import line_plot
from wattmark.results.evaluate import evaluate
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import Phase, RunStatus


@pytest.fixture
def campaign(measure, rng):
    return [
        measure(f"{dimms}-{k}", watts=230 + 6.4 * dimms + rng.normal(0, 0.4), dimms=dimms)
        for k in range(3)
        for dimms in (2, 4, 8)
    ]


def test_watts_per_dimm(campaign):
    view = memory_view(campaign, "s1", "rsa", "all")
    slope = view.watts_per_part
    assert slope.low < 6.4 < slope.high
    assert slope.high - slope.low < 1.0
    assert view.theil_sen_w == pytest.approx(6.4, abs=0.4)
    assert view.refusal is None
    assert len(view.points) == 9
    assert view.statement.startswith(f"Each DIMM costs {slope.value:.2f} W (95 % interval ")
    assert "2, 4 and 8 DIMMs" in view.statement
    assert "channels" not in view.statement


def test_line_has_a_band(campaign):
    view = memory_view(campaign, "s1", "rsa", "all")
    assert (view.line[0][0], view.line[-1][0]) == (2, 8)
    assert all(low < fit < high for _, fit, low, high in view.line)
    assert view.line[0][1] == pytest.approx(view.intercept_w + 2 * view.watts_per_part.value)


def test_two_counts_say_what_they_cannot_show(campaign):
    """4 and 8 DIMMs in turns, another setting at 8: nothing in the data tells it from the cost of four DIMMs."""
    two = [run for run in campaign if run.dimm_count != 2]
    sentence = "Two counts cannot show whether each DIMM costs the same, nor what else changed with the count."
    assert sentence in memory_view(two, "s1", "rsa", "all").statement
    assert sentence not in memory_view(campaign, "s1", "rsa", "all").statement


def test_unsteady_and_broken_runs_are_excluded(campaign, measure):
    extra = [measure("x", watts=400, dimms=2, ramp=-60.0), measure("y", watts=400, dimms=8, status=RunStatus.ABORTED)]
    view = memory_view([*campaign, *extra], "s1", "rsa", "all")
    assert len(view.points) == 9
    assert "2 runs are excluded: unsteady (rules " in view.statement
    assert {point.run_id: point.count for point in view.excluded} == {"x": 2, "y": 8}


def test_other_servers_and_loads_do_not_count(campaign, measure):
    others = [measure("o", dimms=16, server="s2"), measure("p", dimms=16, level="1"), measure("q", workload="x")]
    assert len(memory_view([*campaign, *others], "s1", "rsa", "all").points) == 9


def test_curve_is_said(measure, rng):
    results = [
        measure(f"{d}-{k}", watts=w + rng.normal(0, 0.2), dimms=d)
        for k in range(3)
        for d, w in ((2, 240), (4, 270), (8, 275))
    ]
    view = memory_view(results, "s1", "rsa", "all")
    assert view.lack_of_fit_p < 0.05
    assert "do not lie on a line" in view.statement
    assert "the cost depends on the count, or re-installing the modules changed it" in view.statement


@pytest.mark.parametrize(
    ("counts", "words"),
    [((), "No run that is ranked by full-load power"), ((4, 4, 4), "same DIMM count"), ((2, 8), "repeat both")],
)
def test_refusals(measure, counts, words):
    view = memory_view([measure(f"r{k}", dimms=d) for k, d in enumerate(counts)], "s1", "rsa", "all")
    assert view.watts_per_part is None
    assert words in view.refusal
    assert view.statement == view.refusal


def test_different_unknown_meters_are_refused(measure, meter):
    results = [
        measure(f"r{d}", dimms=d, meters=(meter(name=f"m{d}", reading_pct=None, range_pct=None, fixed_w=None),))
        for d in (2, 4, 8)
    ]
    assert "different meters" in memory_view(results, "s1", "rsa", "all").refusal


def test_unknown_meter_covers_scatter_only(measure, meter, rng):
    bare = meter(reading_pct=None, range_pct=None, fixed_w=None)
    results = [measure(f"r{d}", watts=230 + 6.4 * d, dimms=d, meters=(bare,)) for d in (2, 4, 8)]
    view = memory_view(results, "s1", "rsa", "all")
    assert view.watts_per_part is not None
    assert "only scatter" in view.statement


def test_planted_is_passed_through_and_simulated_is_said(measure, meter, rng):
    results = [measure(f"r{d}", watts=230 + 6.4 * d, dimms=d, meters=(meter(simulated=True),)) for d in (2, 4, 8)]
    view = memory_view(results, "s1", "rsa", "all", planted={"watts_per_dimm_wall": 6.4})
    assert view.planted == {"watts_per_dimm_wall": 6.4}
    assert view.simulated
    assert view.statement.startswith("Simulated power: each DIMM costs")


@pytest.fixture
def idle_run(store, record, rng):
    """Runs of 230 W + 6.4 W per DIMM under load after a minute of 150 W + 3 W per DIMM without."""

    def make(run_id, dimms, idle=True):
        second = 10**9
        run = record(run_id, dimms=dimms)
        begin_ns = run.window_begin_ns
        phase = Phase(name=PhaseName.IDLE, begin_ns=begin_ns - 100 * second, end_ns=begin_ns - 30 * second)
        run = run.model_copy(update={"phases": (phase,) if idle else ()})
        t = np.arange(-110.0, 121.0)
        watts = np.where(t <= 0, 150 + 3 * dimms, 230 + 6.4 * dimms) + rng.normal(0, 0.3, len(t))
        store.add(run_id, "outlet", "power", t, watts)
        return evaluate(run, store)

    return make


def test_idle_has_a_line_of_its_own(idle_run):
    runs = [idle_run(f"{dimms}-{k}", dimms) for k in range(2) for dimms in (2, 4, 8)]
    view = memory_view([*runs, idle_run("bare", 4, idle=False)], "s1", "rsa", "all")
    assert (view.idle.n, len(view.points)) == (6, 7)
    slope = view.idle.watts_per_part
    assert slope.low < 3 < slope.high
    assert slope.complete
    assert view.idle.intercept_w == pytest.approx(150, abs=1)
    assert view.watts_per_part.low < 6.4 < view.watts_per_part.high
    assert [p.idle_power.value for p in view.points if p.count == 8] == pytest.approx([174, 174], abs=0.5)
    assert all(p.idle_power.U95 > 0 for p in view.points if p.idle_power)
    assert "Idle, each DIMM costs" in view.statement
    table = {row[0]: row for row in fit_table("memory-fit", view).rows}
    assert table["Watts per DIMM when idle"][1:4] == (slope.value, slope.low, slope.high)
    assert [s.label for s in line_plot("memory", view).series][2:] == ["Runs, idle", "Idle, with 95 % band"]


def test_one_idle_count_is_no_line_and_no_idle_phase_is_nothing(campaign, idle_run):
    view = memory_view([idle_run("a", 2), idle_run("b", 2), *campaign], "s1", "rsa", "all").idle
    assert (view.watts_per_part, view.line) == (None, [])
    assert "same DIMM count" in view.refusal
    assert memory_view(campaign, "s1", "rsa", "all").idle is None
