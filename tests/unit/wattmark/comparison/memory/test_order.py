"""DIMM counts in the order of their time: a slope over counts that only rise with it confirms and rejects nothing."""

import pytest
from wattmark.comparison.memory.break_even import break_even_view
from wattmark.comparison.memory.memory import memory_view

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
def test_counts_that_only_rise_or_fall_with_time_decide_no_claim(campaign, order):
    view = memory_view(campaign(order), "s1", "rsa", "all")
    assert view.turns == "one after the other"
    assert view.watts_per_dimm is not None
    assert (view.claim.p, view.claim.refuted, view.claim.equivalent) == (None, False, False)
    assert "neither confirmed nor rejected: the DIMM counts were measured one after the other" in view.statement
    assert "room temperature" in view.statement


@pytest.mark.parametrize("order", [(2, 4, 8, 8, 4, 2), (2, 4, 8, 2, 4, 8, 2, 4, 8), (6, 2, 8, 4)])
def test_sweeps_and_random_orders_decide(campaign, order):
    view = memory_view(campaign(order), "s1", "rsa", "all")
    assert view.turns == "in turns"
    assert view.claim.p is not None
    assert "one after the other" not in view.statement


def test_runs_of_one_time_decide_no_claim(campaign, measure):
    results = [measure(f"x{d}", watts=230 + 5.0 * d, dimms=d, created_ns=BEGIN_NS) for d in (2, 4, 6, 8)]
    view = memory_view(results, "s1", "rsa", "all")
    assert view.turns == "not recorded"
    assert view.claim.p is None
    assert "when the runs were made is not recorded" in view.statement


def test_break_even_of_servers_measured_one_after_the_other_says_so(campaign):
    first, later = campaign((2, 4, 8, 8, 4, 2)), campaign((2, 2, 4, 4, 8, 8), server="s2", begin=10)
    statement = break_even_view([*first, *later], ("s1", "s2"), "rsa", "all").statement
    assert "s2: the DIMM counts were measured one after the other" in statement
    assert "s1: the DIMM counts" not in statement
    assert "The two servers: measured one after the other" in statement
