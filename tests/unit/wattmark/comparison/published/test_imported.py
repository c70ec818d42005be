"""Imported results on Compare, over DIMM counts and over load levels.

Three published results of one server with 4 and with 8 FB-DIMMs, as printed in their full disclosure texts.

Sun Netra X4250, SPECpower_ssj2008, published 2009-03-30 (number 00128) and 2009-05-06 (00144, 00145), www.spec.org.
"""

from __future__ import annotations

from itertools import pairwise

import pytest
from wattmark.comparison.compare.compare import choices, compare
from wattmark.comparison.comparisons import Comparisons
from wattmark.comparison.memory.published_memory import published_memory
from wattmark.comparison.published.imported import ImportedResults
from wattmark.comparison.published.imported_groups import ImportedGroups, imported_groups
from wattmark.comparison.published.library import load_published
from wattmark.comparison.published.published_result import (
    PublishedLevel,
    PublishedMemory,
    PublishedResult,
    PublishedSummary,
    PublishedSupplies,
)
from wattmark.comparison.scaling.published_levels import published_curves, published_load_levels
from wattmark.core.errors import InputError
from wattmark.reports.product_tables import product_table
from wattmark.reports.sources import Sources
from wattmark.reports.table_query import TableQuery
from wattmark.results.data_folder import Storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.runs.disclosure import SourceFileNote

TARGETS = (*range(100, 0, -10), 0)


def summary(
    number: str,
    tested: str,
    modules: int,
    module_gib: float,
    overall: int,
    ops: tuple[int, ...],
    watts: tuple[int, ...],
) -> PublishedSummary:
    """Make the summary of a text from its printed levels, 100 % first and active idle last."""
    return PublishedSummary(
        id=f"specpower-{number}",
        kind="specpower",
        collection="SPECpower_ssj2008",
        title="Sun Microsystems, Inc. Sun Netra X4250",
        source=f"power_ssj2008-{number}.txt",
        submitter="Sun Microsystems, Inc.",
        maker="Sun Microsystems, Inc.",
        model="Sun Netra X4250",
        tested_on=tested,
        published_on=f"{tested[:7]}-30",
        available_on="2008-07-01",
        cpu="Intel Xeon L5408",
        cpus=2,
        cores=8,
        memory=PublishedMemory(total_gib=modules * module_gib, modules=modules, module_gib=module_gib, kind="FB-DIMM"),
        supplies=PublishedSupplies(count=2, rating_w=658),
        workload="specpower.ssj2008",
        unit="ssj_ops",
        levels=tuple(
            PublishedLevel(target_pct=target, actual_pct=None, ops_per_s=rate, power_w=power, printed_ratio=None)
            for target, rate, power in zip(TARGETS, ops, watts, strict=True)
        ),
        stated_overall=overall,
        overall=sum(ops) / sum(watts),
    )


WATTS = (226, 223, 220, 218, 215, 210, 203, 197, 190, 181, 174)
FILE = SourceFileNote(file="text", bytes=1, sha256="0" * 64)
FOUR = summary(
    "20090310-00128", "2009-03-10", 4, 2, 600,
    (244_832, 221_632, 198_107, 172_051, 148_433, 121_828, 99_037, 74_202, 49_752, 24_150, 0),
    WATTS,
)  # fmt: skip
EIGHT = summary(
    "20090421-00144", "2009-04-17", 8, 4, 478,
    (251_555, 227_379, 202_405, 177_124, 152_296, 126_345, 101_941, 75_224, 50_394, 25_021, 0),
    (294, 290, 285, 280, 274, 267, 261, 253, 244, 235, 226),
)  # fmt: skip
EIGHT_AGAIN = summary(
    "20090421-00145", "2009-04-20", 8, 4, 437,
    (229_828, 208_601, 184_875, 162_384, 138_548, 115_284, 92_768, 68_959, 45_752, 22_866, 0),
    (296, 291, 286, 280, 273, 267, 259, 251, 243, 235, 225),
)  # fmt: skip
RESULTS = (FOUR, EIGHT, EIGHT_AGAIN)
SSJ = "specpower.ssj2008"


def test_each_level_and_the_overall_figure_stand_beside_measured_runs_as_printed() -> None:
    overall, full, idle = (imported_groups([FOUR], SSJ, level)[0] for level in ("overall", "100 %", "active idle"))
    assert overall.efficiency is not None
    assert (overall.efficiency.value, overall.efficiency.low, overall.efficiency.high) == (600, 599.5, 600.5)
    assert overall.power_w is not None
    assert overall.power_w.value == pytest.approx(2257 / 11, abs=0.05)
    assert full.throughput is not None
    assert full.throughput.value == 244_832
    assert full.efficiency is not None
    assert full.efficiency.low < 1083.3 < full.efficiency.high, "printed: 1,083"
    assert idle.power_w is not None
    assert (idle.power_w.value, idle.efficiency, idle.throughput) == (174, None, None)
    assert idle.refusal is not None
    assert {group.kind for group in (overall, full, idle)} == {"published"}
    assert not overall.traceable
    assert overall.efficiency_unit == "ssj_ops/W"
    assert overall.title == "Sun Netra X4250"
    assert overall.configuration == "2 × Intel Xeon L5408, 4 × 2 GiB FB-DIMM, 2009-03-10"
    facts = overall.facts
    assert (facts.maker, facts.cpu, facts.memory_type) == ("Sun Microsystems", "Intel Xeon L5408", "FB-DIMM")
    assert (overall.dimm_count, facts.year, facts.available_on) == (4, 2009, "2008-07-01")
    assert facts.collection == "SPECpower_ssj2008"


def test_they_are_never_ranked_or_tested() -> None:
    compared = compare([], SSJ, "100 %", published=imported_groups(RESULTS, SSJ, "100 %"))
    assert len(compared.groups) == 3
    assert {(group.rank_low, group.rank_high) for group in compared.groups} == {(None, None)}
    assert {pair.significant for pair in compared.pairs} == {None}
    assert len({group.name for group in compared.groups}) == 3
    assert compared.statement.startswith("Published figures only")


def test_every_level_can_be_chosen_the_overall_figure_first(storage: Storage) -> None:
    imported = ImportedResults(storage.runs)
    groups = ImportedGroups(imported)
    assert groups.standing() == []
    for result in RESULTS:
        imported.keep(PublishedResult(**dict(result), file=FILE))
    offered = choices([], groups.standing())
    assert [choice.level for choice in offered][:3] == ["overall", "10 %", "20 %"]
    assert {choice.published for choice in offered} == {3}
    assert groups.of(SSJ, "overall") is groups.of(SSJ, "overall")
    comparisons = Comparisons(Evaluations(storage), load_published, imported=imported)
    query = TableQuery(configuration=f"published:{FOUR.id}", workload=SSJ)
    table = product_table(Sources.of(storage), "load-levels", query)
    assert [row[0] for row in table.rows] == list(TARGETS)
    first = comparisons.compare(SSJ, "overall")
    assert comparisons.compare(SSJ, "overall", server="Sun Microsystems Sun Netra X4250").groups == first.groups
    imported.keep(PublishedResult(**{**dict(FOUR), "stated_overall": 601}, file=FILE))
    again = {group.key: group for group in comparisons.compare(SSJ, "overall").groups}
    assert again["published:specpower-20090310-00128"].efficiency.value == 601


def test_watts_per_fb_dimm_of_one_server() -> None:
    """12.9 W idle (10.1 to 15.6) and 17.25 W at full load, by hand: t(1) s / sqrt(32/3), s from the two with 8."""
    view = published_memory(RESULTS)
    assert (view.kind, view.level, len(view.points), view.left_out) == ("FB-DIMM", "active idle", 3, 0)
    (server,) = view.servers
    assert (server.key, server.counts) == ("Sun Netra X4250, 2 × Intel Xeon L5408", [4, 8])
    full, *_, idle = server.slopes
    assert idle.watts_per_dimm.value == pytest.approx((225.5 - 174) / 4)
    assert idle.watts_per_dimm.ends == pytest.approx((10.1, 15.6), abs=0.05)
    assert full.watts_per_dimm.value == pytest.approx((295 - 226) / 4)
    assert full.watts_per_dimm.ends == pytest.approx((11.75, 22.75), abs=0.05)
    assert "12.9 W (95 % interval 10.1 to 15.6 W) at active idle" in server.statement
    agreeing = [slope.level for slope in server.slopes if slope.watts_per_dimm.low is None]
    assert agreeing == ["70 %", "50 %", "10 %"], "both with 8 draw the same"
    assert "size of the modules changes too (4 × 2 GiB, 8 × 4 GiB)" in server.statement


def test_a_count_that_does_not_come_to_the_amount_is_left_out_of_lines() -> None:
    doubted = FOUR.changed(memory=FOUR.memory.changed(doubt="The text prints 8 GB, its modules come to 4 GiB."))
    view = published_memory([doubted, *RESULTS[1:]])
    assert (len(view.points), view.left_out, view.servers) == (2, 1, [])


def test_two_results_have_a_slope_without_interval() -> None:
    (server,) = published_memory([FOUR, EIGHT], "FB-DIMM", "100 %").servers
    assert server.slopes[0].watts_per_dimm.value == (294 - 226) / 4
    assert {slope.watts_per_dimm.low for slope in server.slopes} == {None}
    assert "no interval" in server.statement


@pytest.mark.parametrize(("kind", "level"), [("RDIMM", None), (None, "55 %")])
def test_what_no_result_has_is_refused(kind: str | None, level: str | None) -> None:
    with pytest.raises(InputError, match="No published result has"):
        published_memory(RESULTS, kind, level)


def test_proportionality_idle_share_and_best_level() -> None:
    levels = published_load_levels(FOUR)
    area = sum((a + b) / 2 for a, b in pairwise(WATTS)) / 10 / 226
    assert levels.energy_proportionality is not None
    assert levels.energy_proportionality.value == pytest.approx(2 - 2 * area)
    assert levels.idle_to_peak is not None
    assert levels.idle_to_peak.value == pytest.approx(174 / 226)
    assert levels.best is not None
    assert (levels.best.load_pct, levels.best.ops_per_joule.value) == (100, pytest.approx(1083.3, abs=0.05))
    assert levels.knee_pct is None, "work per joule rises almost straight: 4 % above the chord at most"
    assert levels.rows[-1].ops_per_joule is None
    assert levels.remarks == ["Published figures: no ± is known."]


def test_all_results_of_a_workload_stand_in_figures_and_those_asked_for_in_full() -> None:
    key = f"published:{EIGHT.id}"
    out = published_curves(RESULTS, None, [key, "published:none"])
    assert (out.workload, out.workloads, out.efficiency_unit) == (SSJ, [SSJ], "ssj_ops/W")
    assert [curve.key for curve in out.curves] == [key]
    assert {(row.year, row.best_pct) for row in out.results} == {(2009, 100)}
    assert len({row.name for row in out.results}) == 3
    assert [row.idle_to_peak for row in out.results] == pytest.approx([174 / 226, 226 / 294, 225 / 296])
    assert out.spread == [], "three results have no quartiles"
    assert published_curves(RESULTS, "other", []).results == []


def test_the_year_of_a_published_curve_is_that_of_a_date_that_can_be() -> None:
    """Published in 2090 after a test in 2009 is a misprint: the year of availability stands."""
    dates = {"tested_on": "2009-03-10", "published_on": "2090-03-30", "available_on": "2008-07-01"}
    (row,) = published_curves([EIGHT.model_copy(update=dates)], None, []).results
    assert row.year == 2008


def test_published_results_in_several_units_of_work_are_no_one_list() -> None:
    other = EIGHT.model_copy(update={"id": "other", "unit": "transactions/s"})
    out = published_curves([*RESULTS, other], None, [])
    assert (out.workload, len(out.results), out.efficiency_unit) == (f"{SSJ} (ssj_ops)", 3, "ssj_ops/W")
    assert out.workloads == [f"{SSJ} (ssj_ops)", f"{SSJ} (transactions/s)"]
    apart = published_curves([*RESULTS, other], f"{SSJ} (transactions/s)", [])
    assert [row.key for row in apart.results] == ["published:other"]


def test_the_spread_of_published_watts_is_their_quartiles() -> None:
    """Idle watts of 10 to 50 W by 100 W at full load: the quartiles of five numbers are the second and the fourth."""
    machines = [
        FOUR.changed(
            id=f"r{idle}",
            levels=tuple(
                PublishedLevel(target_pct=target, actual_pct=None, ops_per_s=rate, power_w=watts, printed_ratio=None)
                for target, rate, watts in ((100, 1000, 100), (0, 0, idle))
            ),
        )
        for idle in (50, 10, 40, 20, 30)
    ]
    idle, full = published_curves(machines, SSJ, []).spread
    assert (idle.load_pct, idle.n, full.median) == (0, 5, 1)
    quartiles = (idle.low, idle.lower_quartile, idle.median, idle.upper_quartile, idle.high)
    assert quartiles == pytest.approx((0.1, 0.2, 0.3, 0.4, 0.5))
