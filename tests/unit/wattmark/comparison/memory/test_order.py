"""DIMM counts in the order of their time: a slope over counts that only rise with it has no ± and decides nothing."""

import pytest
from wattmark.comparison.memory.break_even import break_even_view
from wattmark.comparison.memory.memory import memory_view
from wattmark.comparison.memory.memory_table import memory_table
from wattmark.comparison.memory.module_kinds import DIMMS
from wattmark.comparison.parts.break_even_table import break_even_table
from wattmark.comparison.parts.fit_table import fit_table
from wattmark.comparison.parts.slopes import part_slopes

CLAIM = (5.0, 1.0)
BEGIN_NS, TURN_NS = 1_700_000_000_000_000_000, 600 * 10**9


@pytest.fixture
def campaign(measure):
    """Make runs of DIMM counts in an order: 5 W per DIMM, and 0.3 W more from each run to the next."""

    def make(order, server="s1", begin=0):
        return [
            measure(
                f"{server}-{place}",
                watts=230 + 5.0 * count + 0.3 * (begin + place),
                dimms=count,
                server=server,
                created_ns=BEGIN_NS + (begin + place) * TURN_NS,
                disclosure={"installation": f"{server} {place}"},
            )
            for place, count in enumerate(order)
        ]

    return make


@pytest.mark.parametrize("order", [(2, 2, 2, 4, 4, 4, 8, 8, 8), (8, 8, 4, 4, 2, 2), (2, 4, 6, 8)])
def test_counts_that_only_rise_or_fall_with_time_have_no_interval_and_decide_no_claim(campaign, order):
    """The slope is off by 0.3 W per run, and its scatter about the line does not show it."""
    results = campaign(order)
    view = memory_view(results, "s1", "rsa", "all", claim=CLAIM)
    assert view.turns == "one after the other"
    assert view.watts_per_part.complete is False
    assert view.line == []
    assert (view.claim.p, view.claim.refuted, view.claim.equivalent) == (None, False, False)
    assert "neither confirmed nor rejected: the DIMM counts were measured one after the other" in view.claim.text
    assert view.statement.startswith("Each DIMM costs ")
    assert "interval" not in view.statement
    assert "There is no ±: the DIMM counts were measured one after the other: time and the number of DIMMs changed" in (
        view.statement
    )
    assert "room temperature" in view.statement
    assert "neither confirmed nor rejected" in view.statement
    (slope,) = part_slopes(results, DIMMS, {r.run_id: r.run_id for r in results})
    assert slope.watts_per_part.complete is False
    assert slope.remark == view.remark
    assert "time and the number of DIMMs changed together" in slope.remark


def test_tables_of_counts_that_only_rise_have_no_plus_minus_and_say_why(campaign):
    """Every export is made of these tables."""
    results = [*campaign((2, 4, 6, 8)), *campaign((8, 6, 4, 2), server="s2", begin=4)]
    fit = fit_table("memory-fit", memory_view(results, "s1", "rsa", "all"))
    (row,) = (row for row in fit.rows if row[0] == "Watts per DIMM at the wall")
    assert row[2:5] == (None, None, None)
    assert "time and the number of DIMMs changed together" in row[-1]
    notes = " ".join(memory_table(memory_view(results, "s1", "rsa", "all")).footnotes)
    assert "time and the number of DIMMs changed together" in notes
    assert "(95 %)" not in notes
    both = break_even_view(results, ("s1", "s2"), "rsa", "all")
    assert both.slope_difference is None
    assert "Watts per DIMM are not compared: The DIMM counts were measured one after the other" in both.statement
    rows = break_even_table("break-even", both).rows
    assert all(row[4:7] == (None, None, None) for row in rows)
    assert sum("time and the number of DIMMs changed together" in (row[-1] or "") for row in rows) == 2


def test_idle_watts_of_counts_that_only_rise_have_no_interval(measure):
    results = [
        measure(
            f"r{place}",
            watts=230 + 5.0 * count,
            dimms=count,
            created_ns=BEGIN_NS + place * TURN_NS,
            phases=({"name": "idle", "begin_ns": BEGIN_NS - 20 * 10**9, "end_ns": BEGIN_NS},),
        )
        for place, count in enumerate((2, 4, 6, 8))
    ]
    idle = memory_view(results, "s1", "rsa", "all").idle
    assert idle.watts_per_part.complete is False
    assert idle.line == []
    assert idle.statement.endswith("there is no ±: time and the number of DIMMs changed together.")
    assert "room temperature" in idle.remark


@pytest.mark.parametrize("order", [(2, 4, 8, 8, 4, 2), (2, 4, 8, 2, 4, 8, 2, 4, 8), (6, 2, 8, 4)])
def test_sweeps_and_random_orders_decide(campaign, order):
    view = memory_view(campaign(order), "s1", "rsa", "all", claim=CLAIM)
    assert view.turns == "in turns"
    assert view.claim.p is not None
    assert "one after the other" not in view.statement


def test_runs_of_one_time_decide_no_claim(campaign, measure):
    results = [measure(f"x{d}", watts=230 + 5.0 * d, dimms=d, created_ns=BEGIN_NS) for d in (2, 4, 6, 8)]
    view = memory_view(results, "s1", "rsa", "all", claim=CLAIM)
    assert view.turns == "not recorded"
    assert view.claim.p is None
    assert "when the runs were made is not recorded" in view.statement


def test_break_even_of_servers_measured_one_after_the_other_says_so(campaign):
    first, later = campaign((2, 4, 8, 8, 4, 2)), campaign((2, 2, 4, 4, 8, 8), server="s2", begin=10)
    statement = break_even_view([*first, *later], ("s1", "s2"), "rsa", "all").statement
    assert "s2: the DIMM counts were measured one after the other" in statement
    assert "s1: the DIMM counts" not in statement
    assert "The two servers: measured one after the other" in statement
