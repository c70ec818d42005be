"""Configurations that were measured one after the other: what a comparison says, and what it does not."""

import math

import pytest
from wattmark.comparison.compare.compare import compare
from wattmark.comparison.compare.compare_table import compare_table
from wattmark.comparison.factors.deltas import deltas_view
from wattmark.comparison.factors.matrix import matrix

BEGIN_NS, TURN_NS = 1_700_000_000_000_000_000, 600 * 10**9


@pytest.fixture
def campaign(measure):
    """Make runs of configurations named by their DIMM count in the order of the digits, with equal watts and work."""

    def make(order, watts=None):
        return [
            measure(
                f"{place}-{count}",
                watts=(watts or {}).get(count, 240.0) + 0.2 * (place % 3),
                dimms=int(count),
                repeat=order[: place + 1].count(count),
                created_ns=BEGIN_NS + place * TURN_NS,
            )
            for place, count in enumerate(order)
        ]

    return make


def test_five_percent_in_blocks_is_shown_and_not_called_significant(campaign):
    comparison = compare(campaign("222444", {"4": 252.0}), "rsa", "all")
    (pair,) = comparison.pairs
    assert pair.significant is None
    assert pair.p_adjusted is None
    assert pair.equivalent is None
    assert pair.turns == "one after the other"
    assert pair.ratio.low < 240 / 252 < pair.ratio.high < 1
    assert "not called significant: measured one after the other, so that everything that changed" in pair.verdict
    assert "room temperature, time of day, wear of fans, firmware" in pair.verdict
    assert [(group.rank_low, group.rank_high) for group in comparison.groups] == [(None, None)] * 2
    assert "They were measured one after the other: everything that changed in between" in comparison.statement
    assert comparison.statement.count("random blocks") == 1


def test_the_same_in_turns_is_called_significant(campaign):
    comparison = compare(campaign("244224", {"4": 252.0}), "rsa", "all")
    (pair,) = comparison.pairs
    assert pair.significant is True
    assert pair.turns == "in turns"
    assert "one after the other" not in pair.verdict + comparison.statement
    assert [(group.rank_low, group.rank_high) for group in comparison.groups] == [(1, 1), (2, 2)]


def test_runs_that_state_one_time_have_no_order(measure):
    results = [
        measure(f"{count}-{k}", watts=watts, dimms=count, repeat=k + 1, created_ns=BEGIN_NS)
        for count, watts in ((2, 240.0), (4, 252.0))
        for k in range(3)
    ]
    comparison = compare(results, "rsa", "all")
    assert comparison.pairs[0].turns == "not recorded"
    assert comparison.pairs[0].significant is None
    assert "it is not recorded when the runs were made" in comparison.statement.replace("It is", "it is")


def test_a_campaign_a_month_later_shares_its_ranks_with_the_one_before(measure, campaign):
    """2 and 4 in turns, then 5 and 6 in turns: 4 is worse than 2, 6 than 5; between the campaigns nothing is known."""
    later = [
        measure(
            f"later-{place}-{count}",
            watts={"5": 241.0, "6": 253.0}[count],
            dimms=int(count),
            repeat=1 + place // 2,
            created_ns=BEGIN_NS + (4000 + place) * TURN_NS,
        )
        for place, count in enumerate("565656")
    ]
    groups = compare([*campaign("242424", {"4": 252.0}), *later], "rsa", "all").groups
    assert [(group.rank_low, group.rank_high) for group in groups] == [(1, 3), (2, 4), (1, 3), (2, 4)]


def test_the_budget_of_the_ratio_names_the_trend(campaign):
    """In blocks the distance in time is most of it; 0.5 W from run to run in turns is next to nothing."""
    blocks, turns = (compare(campaign(order), "rsa", "all").pairs[0].budget for order in ("222444", "242424"))
    share = {name: sum(line.share_pct for line in lines if line.name == "Trend over time")
             for name, lines in (("blocks", blocks), ("turns", turns))}  # fmt: skip
    assert share["blocks"] > share["turns"]


def test_the_table_marks_the_row(campaign):
    table = compare_table(compare(campaign("222444", {"4": 252.0}), "rsa", "all"))
    notes = " ".join(note for notes in table.row_notes for note in notes)
    assert "is not called significant: measured one after the other" in notes
    assert "not tested" not in notes


def test_tables_of_factors_say_it_too(campaign, record):
    results = campaign("222444", {"4": 252.0})
    pairs = [
        (record(r.run_id, dimms=r.dimm_count, configuration_snapshot={"dimm_count": r.dimm_count}), r) for r in results
    ]
    cell = matrix(pairs, ["s1/fbdimm-4"], "s1/fbdimm-2").rows[0].cells[0]
    assert cell.significant is None
    assert cell.ratio.low is not None
    assert "Not called significant: measured one after the other" in cell.remark
    row = deltas_view(pairs, "memory.dimm_count").rows[0]
    assert "Not called significant: measured one after the other" in row.remark


@pytest.mark.parametrize("order", ["242424242424", "222444222444"])
def test_a_trend_over_all_runs_is_said_with_its_size(measure, order):
    """Power rises by 0.1 % from run to run: work per joule falls by 1 - 1.001^-11 = 1.09 %."""
    results = [
        measure(f"{k}", watts=240 * 1.001**k, dimms=int(n), noise_w=0.02, created_ns=BEGIN_NS + k * TURN_NS)
        for k, n in enumerate(order)
    ]
    statement = compare(results, "rsa", "all").statement
    assert "Trend over time: work per joule fell by 1.09" in statement
    assert "from the first to the last run, all configurations together." in statement


@pytest.mark.parametrize(
    ("order", "runs_each", "said"), [("242424242424", 12, True), ("242424242424", 4, False), ("24242424", 8, False)]
)
def test_repeats_that_follow_each_other_alike_are_said(measure, order, runs_each, said):
    """Two slow swings of 1 % over the campaign, no trend. What runs of an installation share is in the ± already."""
    results = [
        measure(
            f"{k}",
            watts=240 * (1 + 0.01 * math.sin(4 * math.pi * (k + 0.5) / len(order) + math.pi / 2)),
            dimms=int(n),
            noise_w=0.02,
            created_ns=BEGIN_NS + k * TURN_NS,
            disclosure={"installation": f"{n} {k // runs_each}"},
        )
        for k, n in enumerate(order)
    ]
    statement = compare(results, "rsa", "all").statement
    assert "Trend over time" not in statement
    words = "Repeats that follow each other in time are alike (correlation 0."
    assert (words in statement) is said
    assert ("takes them for independent and is too small" in statement) is said


def test_without_a_trend_nothing_is_said(measure):
    watts = (240.1, 240.0, 240.2, 240.2, 240.0, 240.1)
    results = [
        measure(f"{k}", watts=w, dimms=int(n), noise_w=0.02, created_ns=BEGIN_NS + k * TURN_NS)
        for k, (n, w) in enumerate(zip("242424", watts, strict=True))
    ]
    statement = compare(results, "rsa", "all").statement
    assert "Trend over time" not in statement
    assert "follow each other" not in statement
