from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pytest
from wattmark.comparison.published.library import load_published, published_groups

VECTORS = Path(__file__).parents[5] / "../shared/data/seed_vectors.json"
GROUPS = {group.key.removeprefix("published:"): group for group in published_groups(load_published())}
BOARD_NOT_NAMED = {"ppw.mysql_all_cores.opteron275"}
"""A quotient of the vectors that rests on a guess: the power row of the Opteron 275 names no board."""
OURS = {
    "mysql_all_cores.t2000": "mysql.t2000.all",
    "mysql_all_cores.opteron275": "mysql.opteron275.all",
    "mysql_all_cores.xeon5160": "mysql.xeon5160.all",
    "mysql_all_cores.opteron275he": "mysql.opteron275he.all",
    "mysql_one_cpu.opteron275.lower_bound": "mysql.opteron275.one",
    "mysql_one_cpu.xeon5160.lower_bound": "mysql.xeon5160.one",
    "postgresql.irwindale": "pg.irwindale",
    "postgresql.opteron275.lower_bound": "pg.opteron275",
    "postgresql.xeon5160.lower_bound": "pg.xeon5160",
    "jsp.opteron275.lower_bound": "jsp.opteron275",
    "jsp.xeon5160.lower_bound": "jsp.xeon5160",
    "amp.opteron275.lower_bound": "amp.opteron275",
    "amp.xeon5160.lower_bound": "amp.xeon5160",
}


@pytest.mark.parametrize(
    ("key", "per_watt", "low", "high"),
    [
        ("rsa512.t2000", 189.4309, 188.9257, 189.9387),
        ("rsa1024.t2000", 57.0319, 56.878, 57.1867),
        ("rsa1024.xeon5160", 25.4694, 25.4155, 25.5235),
        ("rsa4096.t2000", 0.0053, 0.0027, 0.008),
        ("mysql.xeon5160.all", 3.6898, 3.6802, 3.6994),
        ("pg.irwindale", 1.1979, 1.1949, 1.2008),
    ],
)
def test_what_belongs_together_gives_performance_per_watt(key: str, per_watt: float, low: float, high: float) -> None:
    interval = GROUPS[key].efficiency
    assert interval is not None
    assert (interval.value, interval.low, interval.high) == pytest.approx((per_watt, low, high), abs=5.1e-5)
    assert GROUPS[key].energy_per_op.value == pytest.approx(1 / interval.value)
    assert interval.dof is None


def test_t2000_keeps_its_188_watts_and_says_that_its_memory_differs() -> None:
    group = GROUPS["rsa1024.t2000"]
    assert group.power_w is not None
    assert (group.power_w.value, group.power_w.low, group.power_w.high) == (188, 187.5, 188.5)
    assert any("32 GB" in remark and "8 GB" in remark for remark in group.remarks)
    assert group.dimm_count is None
    assert GROUPS["rsa1024.xeon5160"].dimm_count == 4


@pytest.mark.parametrize(
    ("key", "reason"),
    [
        ("mysql.opteron275.all", "names a dual Opteron 275 but not its board"),
        ("pg.xeon5160", "from one CPU, the power from two CPUs"),
        ("mysql.t2000.half", "from four cores, the power from all eight"),
        ("rsa1024.opteron", "that of the 275 must not be borrowed"),
        ("mysql.opteron275he.all", "taken from the plain Opteron 275"),
        ("mysql.opteron3000.all", "extrapolated by the author, not measured"),
        ("jsp.t2000", "printed as a picture only"),
        ("pg.dl385", "no power was published for this server"),
        ("mysql4.opteron252-single", "no power was measured in this article"),
    ],
)
def test_pairs_that_do_not_belong_together_are_refused_with_the_reason(key: str, reason: str) -> None:
    group = GROUPS[key]
    assert reason in (group.refusal or "")
    assert group.efficiency is None
    assert group.power_w is None
    assert group.energy_per_op is None


def test_every_figure_is_marked_as_published_not_traceable_and_sourced() -> None:
    for group in GROUPS.values():
        assert group.kind == "published"
        assert not group.traceable
        assert group.source
        assert (group.efficiency is None) == (group.refusal is not None)
        assert group.runs == []


def test_figures_of_live_workloads_stand_under_their_keys() -> None:
    for bits in (512, 1024, 2048, 4096):
        groups = published_groups(load_published(), f"openssl.rsa{bits}-sign")
        assert {group.server for group in groups} >= {"sun-t2000", "xeon5160-s5000", "opteron-2400"}
        assert {group.efficiency_unit for group in groups} == {"signs/J"}
    assert published_groups(load_published(), "nothing") == []


def test_figures_of_one_workload_stand_under_one_level() -> None:
    for bits in (512, 1024, 2048, 4096):
        assert {group.level for group in published_groups(load_published(), f"openssl.rsa{bits}-sign")} == {"full load"}
    assert {group.level for group in published_groups(load_published(), "jsp-peak")} == {"peak"}


def test_titles_tell_figures_of_one_machine_apart() -> None:
    titles = Counter((group.workload, group.title) for group in GROUPS.values())
    assert titles.most_common(1)[0][1] == 1
    assert GROUPS["rsa1024.t2000"].title == "Sun Fire T2000 (32 threads with crypto units)"


@pytest.mark.skipif(not VECTORS.is_file(), reason="the vectors are not beside the checkout")
def test_all_published_pairs() -> None:
    rows = json.loads(VECTORS.read_text())["perf_per_watt"]["rows"]
    assert len(rows) == 21
    for row in rows:
        name = row["id"].removeprefix("ppw.")
        group = GROUPS[OURS.get(name, name)]
        assert group.throughput is not None
        assert group.throughput.value == row["throughput"]
        if row["class"] in ("lower_bound_only", "assumption") or row["id"] in BOARD_NOT_NAMED:
            assert group.refusal, row["id"]
            continue
        assert group.efficiency is not None
        assert group.power_w is not None
        assert group.power_w.value == row["watts"]
        assert round(group.efficiency.value, 4) == row["perf_per_watt"]
        assert [round(group.efficiency.low, 4), round(group.efficiency.high, 4)] == row["interval_from_rounding"]
        assert round(group.energy_per_op.value, 6) == row["energy_per_op_J"]
        flagged = any("its power was taken with" in remark for remark in group.remarks)
        assert flagged == (row["class"] == "comparable_with_flag"), row["id"]
