"""The memory view: watts per DIMM in words, with its reasons for not saying it."""

import numpy as np
import pytest
from wattmark.reports.memory_fit_table import memory_fit_table
from wattmark.reports.plots import memory_plot
from wattmark.results.evaluate import evaluate
from wattmark.results.memory import memory_view
from wattmark.runs.record import Phase, PhaseName, RunStatus


@pytest.fixture
def campaign(measure, rng):
    return [
        measure(f"{dimms}-{k}", watts=230 + 6.4 * dimms + rng.normal(0, 0.4), dimms=dimms)
        for k in range(3)
        for dimms in (2, 4, 8)
    ]


def test_watts_per_dimm(campaign):
    found = memory_view(campaign, "s1", "rsa", "all")
    slope = found.watts_per_dimm
    assert slope.low < 6.4 < slope.high
    assert slope.high - slope.low < 1.0
    assert found.theil_sen_w == pytest.approx(6.4, abs=0.4)
    assert found.refusal is None
    assert len(found.points) == 9
    assert found.statement.startswith(f"Each DIMM costs {slope.value:.2f} W (95 % interval ")
    assert "2, 4 and 8 DIMMs" in found.statement
    assert "channels" in found.statement


def test_line_has_a_band(campaign):
    found = memory_view(campaign, "s1", "rsa", "all")
    assert (found.line[0][0], found.line[-1][0]) == (2, 8)
    assert all(low < fit < high for _, fit, low, high in found.line)
    assert found.line[0][1] == pytest.approx(found.intercept_w + 2 * found.watts_per_dimm.value)


def test_unsteady_and_broken_runs_are_left_out(campaign, measure):
    extra = [measure("x", watts=400, dimms=2, ramp=-60.0), measure("y", watts=400, dimms=8, status=RunStatus.ABORTED)]
    found = memory_view([*campaign, *extra], "s1", "rsa", "all")
    assert len(found.points) == 9
    assert "2 runs are left out: unsteady (rules " in found.statement
    assert {one.run_id: one.dimm_count for one in found.left_out} == {"x": 2, "y": 8}


def test_other_servers_and_loads_do_not_count(campaign, measure):
    others = [measure("o", dimms=16, server="s2"), measure("p", dimms=16, level="1"), measure("q", workload="x")]
    assert len(memory_view([*campaign, *others], "s1", "rsa", "all").points) == 9


def test_curve_is_said(measure, rng):
    results = [
        measure(f"{d}-{k}", watts=w + rng.normal(0, 0.2), dimms=d)
        for k in range(3)
        for d, w in ((2, 240), (4, 270), (8, 275))
    ]
    found = memory_view(results, "s1", "rsa", "all")
    assert found.lack_of_fit_p < 0.05
    assert "do not lie on a line" in found.statement
    assert "the cost depends on the count, or fitting the modules anew changed it" in found.statement


@pytest.mark.parametrize(
    ("counts", "words"),
    [((), "No run that may be ranked by full-load power"), ((4, 4, 4), "same DIMM count"), ((2, 8), "repeat them")],
)
def test_refusals(measure, counts, words):
    found = memory_view([measure(f"r{k}", dimms=d) for k, d in enumerate(counts)], "s1", "rsa", "all")
    assert found.watts_per_dimm is None
    assert words in found.refusal
    assert found.statement == found.refusal


def test_different_unknown_meters_are_refused(measure, meter):
    results = [
        measure(f"r{d}", dimms=d, meters=(meter(name=f"m{d}", reading_pct=None, range_pct=None, fixed_w=None),))
        for d in (2, 4, 8)
    ]
    assert "different meters" in memory_view(results, "s1", "rsa", "all").refusal


def test_unknown_meter_covers_scatter_only(measure, meter, rng):
    bare = meter(reading_pct=None, range_pct=None, fixed_w=None)
    results = [measure(f"r{d}", watts=230 + 6.4 * d, dimms=d, meters=(bare,)) for d in (2, 4, 8)]
    found = memory_view(results, "s1", "rsa", "all")
    assert found.watts_per_dimm is not None
    assert "scatter only" in found.statement


def test_planted_is_passed_through_and_simulated_is_said(measure, meter, rng):
    results = [measure(f"r{d}", watts=230 + 6.4 * d, dimms=d, meters=(meter(simulated=True),)) for d in (2, 4, 8)]
    found = memory_view(results, "s1", "rsa", "all", planted={"watts_per_dimm_wall": 6.4})
    assert found.planted == {"watts_per_dimm_wall": 6.4}
    assert found.simulated
    assert found.statement.startswith("Simulated power: each DIMM costs")


@pytest.fixture
def resting(store, record, rng):
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


def test_idle_has_a_line_of_its_own(resting):
    runs = [resting(f"{dimms}-{k}", dimms) for k in range(2) for dimms in (2, 4, 8)]
    found = memory_view([*runs, resting("bare", 4, idle=False)], "s1", "rsa", "all")
    assert (found.idle.n, len(found.points)) == (6, 7)
    slope = found.idle.watts_per_dimm
    assert slope.low < 3 < slope.high
    assert slope.complete
    assert found.idle.intercept_w == pytest.approx(150, abs=1)
    assert found.watts_per_dimm.low < 6.4 < found.watts_per_dimm.high
    assert [p.power_idle_w for p in found.points if p.dimm_count == 8] == pytest.approx([174, 174], abs=0.5)
    assert all(p.power_idle_U95_w > 0 for p in found.points if p.power_idle_w)
    assert "Idle, each DIMM costs" in found.statement
    table = {row[0]: row for row in memory_fit_table(found).rows}
    assert table["Watts per DIMM when idle"][1:4] == (slope.value, slope.low, slope.high)
    assert [s.label for s in memory_plot(found).series][2:] == ["Runs, idle", "Idle, with 95 % band"]


def test_one_idle_count_is_no_line_and_no_idle_phase_is_nothing(campaign, resting):
    found = memory_view([resting("a", 2), resting("b", 2), *campaign], "s1", "rsa", "all").idle
    assert (found.watts_per_dimm, found.line) == (None, [])
    assert "same DIMM count" in found.refusal
    assert memory_view(campaign, "s1", "rsa", "all").idle is None
