"""Own runs as observations of a memory population."""

from __future__ import annotations

import math

import pytest
from wattmark.analysis.parts.population_model import SIZE, Population, population_model
from wattmark.comparison.memory.populations import own_seen, with_populations
from wattmark.comparison.published.imported_groups import IDLE
from wattmark.results.issued.row_store import ComparedRun


def modules(count, module_type="RDIMM", speed_mts=3200):
    module = {"type": module_type, "capacity_gib": 16, "speed_mts": speed_mts, "ranks": 2}
    return {"modules": [{"slot": f"A{number}", **module} for number in range(count)]}


@pytest.fixture
def own(measure, record):
    """Make runs of a server by their module counts and watts, and the records with what is in the slots."""

    def make(of, **more):
        results = [measure(f"r{count}", watts=watts, dimms=count) for count, watts in of.items()]
        records = {
            r.run_id: record(r.run_id, dimms=r.dimm_count, configuration_snapshot=modules(r.dimm_count, **more))
            for r in results
        }
        return results, records

    return make


def test_a_run_is_what_its_slots_hold(own):
    results, records = own({4: 250.0, 8: 262.0})
    seen = own_seen(results, records, "all")
    assert [each.memory for each in seen.power] == [
        Population("DDR4 RDIMM", 4, 64.0, 8.0, 3200.0),
        Population("DDR4 RDIMM", 8, 128.0, 16.0, 3200.0),
    ]
    (row,) = population_model(seen.power, (SIZE,)).rows
    assert row.value == pytest.approx(3.0, abs=0.2)  # 12 W for four modules
    assert [each.value for each in seen.efficiency] == [pytest.approx(math.log(r.efficiency.value)) for r in results]


def test_modules_that_may_be_of_two_generations_make_no_observation(own):
    seen = own_seen(*own({4: 250.0, 8: 262.0}, speed_mts=1866), "all")  # DDR3 or DDR4
    assert (seen.power, seen.excluded) == ((), 2)


def test_a_run_without_an_idle_phase_says_nothing_about_idle(own):
    seen = own_seen(*own({4: 250.0, 8: 262.0}), IDLE)
    assert (seen.power, seen.excluded) == ((), 2)


def test_slots_that_contradict_the_count_are_excluded(own):
    results, records = own({4: 250.0, 8: 262.0})
    swapped = {"r4": records["r8"], "r8": records["r8"]}
    assert [each.memory.modules for each in own_seen(results, swapped, "all").power] == [8]


def ran(run_id, server, configuration, dimm_count=4, status="complete"):
    return ComparedRun(1, run_id, server, configuration, "w", "100 %", dimm_count, "2026-01-01", None, status)


def test_the_newest_runs_of_servers_with_several_configurations_are_read():
    runs = [ran(f"a{n}", "a", f"c{n % 2}") for n in range(6)]
    runs += [ran("b0", "b", "only"), ran("a6", "a", "c0", None), ran("a7", "a", "c0", status="failed")]
    assert with_populations(runs) == (["a0", "a2", "a4", "a1", "a3", "a5"], None)
    assert with_populations(runs, 3) == (["a0", "a2", "a4", "a1", "a3", "a5"], None)
    assert with_populations(runs, 2) == (["a2", "a4", "a3", "a5"], 2)
    assert with_populations([], 2) == ([], None)
