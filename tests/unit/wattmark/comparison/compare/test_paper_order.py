"""Configurations in the order of an article: best first, server by server, only the best; what all share said once.

The servers are those of AnandTech 2006 (T2000: 10722 signs/s at 188 W; S5000: 6240 signs/s at 245 W), the figures of
their other configurations are made up.
"""

from __future__ import annotations

import pytest
from wattmark.comparison.compare.compare import compare
from wattmark.comparison.compare.compare_table import compare_table
from wattmark.comparison.compare.order import in_order
from wattmark.comparison.compare.views import CompareGroup, CompareOut
from wattmark.core.interval import Interval95
from wattmark.tables.formats import write
from wattmark.tables.layouts import arranged

from ...pairs import pair

FIGURES = {
    "s5000/eight": 24.1,
    "s5000/four": 25.47,
    "t2000/eight": 57.03,
    "t2000/sixteen": 20.0,
    "x/idle": None,
}


def group(key: str, value: float | None, **changes: object) -> CompareGroup:
    server, configuration = key.split("/")
    figure = None if value is None else Interval95(value=value, low=value - 1, high=value + 1, u=0.5)
    fields: dict[str, object] = {
        "key": key, "title": configuration, "server": server, "configuration": configuration, "dimm_count": 8,
        "kind": "measured", "workload": "rsa", "level": "all", "runs": ["a"], "n": 3, "efficiency": figure,
        "power_w": Interval95(value=200.0 + 10 * len(key), low=190, high=290, u=1), "throughput": None,
        "efficiency_unit": "signs/J", "throughput_unit": "signs/s", "steady": True, "full_load": True,
        "traceable": True, "source": "measured",
    }  # fmt: skip
    return CompareGroup.model_validate(fields | changes)


def compared(**changes: object) -> CompareOut:
    groups = [group(key, value) for key, value in FIGURES.items()]
    groups.insert(0, group("sun/printed", 40.0, kind="published", traceable=False))
    fields: dict[str, object] = {
        "workload": "rsa", "level": "all", "title": "rsa, all", "efficiency_unit": "signs/J",
        "throughput_unit": "signs/s", "direction": "higher", "baseline": "s5000/eight", "groups": groups, "pairs": [],
        "statement": "The T2000 does more.",
    }  # fmt: skip
    return CompareOut.model_validate(fields | changes)


@pytest.mark.parametrize(
    ("sort", "keys"),
    [
        ("rank", "t2000/eight sun/printed s5000/four s5000/eight t2000/sixteen x/idle"),
        ("server", "t2000/eight t2000/sixteen s5000/four s5000/eight x/idle sun/printed"),
        ("name", "sun/printed s5000/eight s5000/four t2000/eight t2000/sixteen x/idle"),
    ],
)
def test_rows_stand_by_rank_by_server_or_by_name(sort: str, keys: str) -> None:
    assert [each.key for each in in_order(compared(), sort).groups] == keys.split()
    table = compare_table(compared(), sort)
    at = table.position("key")
    assert [row[at] for row in table.rows] == keys.split()
    assert table.rows[table.baseline][at] == "s5000/eight"


def test_least_power_is_the_best() -> None:
    ordered = in_order(compared(compared_by="power", direction="lower")).groups
    watts = [each.power_w.value for each in ordered]
    assert watts == sorted(watts)


def test_only_the_best_and_the_baseline_are_shown_and_the_statement_says_so() -> None:
    cut = in_order(compared(), "rank", 2)
    assert [each.key for each in cut.groups] == ["t2000/eight", "s5000/four", "s5000/eight"]
    assert cut.statement == (
        "The T2000 does more. Shown: the best 2 of 6 configurations, those that are measured and ranked first, and the "
        "baseline."
    )
    alone = in_order(compared(baseline="t2000/eight"), "name", 1)
    assert [each.key for each in alone.groups] == ["t2000/eight"]
    assert alone.statement.endswith("Shown: the best of 6 configurations, those that are measured and ranked first.")
    assert in_order(compared(), "rank", 6).statement == "The T2000 does more."


def test_the_best_three_are_ranked_measured_ones_before_any_other() -> None:
    """A printed, a simulated and a single-run figure are higher than the three that are ranked."""
    whole = compared(
        groups=[
            group("p/printed", 90.0, kind="published", traceable=False),
            group("m/model", 80.0, kind="simulated", rank_low=1, rank_high=1),
            group("a/once", 70.0, n=1),
            *(group(f"a/{key}", 60.0 - rank, rank_low=rank, rank_high=rank) for rank, key in enumerate("xyz", 1)),
        ],
        baseline="a/x",
    )
    shown = {top: {each.key for each in in_order(whole, "rank", top).groups} for top in (3, 4, 5)}
    assert shown[3] == {"a/x", "a/y", "a/z"}
    assert shown[4] == shown[3] | {"a/once"}
    assert shown[5] == shown[4] | {"m/model"}
    assert in_order(whole, "rank", 2).statement.endswith(
        "the best 2 of 6 configurations, those that are measured and ranked first."
    )


def test_a_cut_table_keeps_the_names_of_the_whole() -> None:
    """All that is left is of one server; the sentence above names it, so the rows do."""
    table = compare_table(compared(baseline="t2000/eight"), "rank", 1)
    assert [row[table.position("label")] for row in table.rows] == ["t2000 · eight"]


def test_what_the_caption_says_of_each_is_no_note_of_every_row() -> None:
    """Three runs of each configuration, all of one installation: the sentence stands once in the file."""
    runs = [
        pair(name, rate * (1 + k / 1000), 200.0, repeat=k)[1]
        for name, rate in (("a", 1000.0), ("b", 1500.0), ("c", 1700.0))
        for k in range(1, 4)
    ]
    comparison = compare(runs, "mysql", "20 users")
    once = "the effect of re-seating"
    assert comparison.statement.count(once) == 1
    assert all(once in " ".join(each.remarks) for each in comparison.groups)
    table = arranged(compare_table(comparison))
    assert write(table, "tex").decode().replace(r"\allowbreak{}", "").count(once) == 1
    assert write(table, "md").decode().count(once) == 1


def test_where_it_is_true_of_some_only_their_rows_say_it() -> None:
    """One of three configurations was re-seated between its runs."""
    runs = [
        pair(name, rate * (1 + k / 1000), 200.0, repeat=k)[1].model_copy(
            update={"installation": f"{name} {k if name == 'c' else 1}"}
        )
        for name, rate in (("a", 1000.0), ("b", 1500.0), ("c", 1700.0))
        for k in range(1, 4)
    ]
    notes = compare_table(compare(runs, "mysql", "20 users")).row_notes
    assert [any("re-seating" in note for note in of_row) for of_row in notes] == [False, True, True]
