"""The score of a suite against the formula by hand, and what is said where it cannot be given."""

from __future__ import annotations

import math
from typing import Any

import pytest
from wattmark.analysis.verdict import Verdict
from wattmark.comparison.scaling.scaling_views import LoadSpread, PublishedCurve, PublishedCurvesOut
from wattmark.comparison.suites.suite import Suite
from wattmark.comparison.suites.suite_report import beside, suite_ran, suite_report
from wattmark.comparison.suites.suite_table import levels_table, scores_table
from wattmark.core.errors import InputError
from wattmark.reports.suite_document import relative_power_plot, suite_document

from ...pairs import on_meter, pair, with_idle

SUITE = Suite.model_validate(
    {
        "id": "two",
        "title": "Two kinds",
        "purpose": "A test.",
        "weights": {"cpu": 0.7, "memory": 0.3},
        "formula": "exp(0.7 ln cpu + 0.3 ln memory)",
        "source": "by hand",
        "percent": [100, 50],
        "calibrate": 2,
        "measure_s": 60,
        "settle_s": 5,
        "idle_s": 900,
        "worklets": [
            {"workload": "paced.sort", "kind": "cpu", "nominal": 100},
            {"workload": "paced.lu", "kind": "cpu", "nominal": 10},
            {"workload": "paced.scan", "kind": "memory", "nominal": 1000},
        ],
    }
)
FIGURES = {
    "paced.sort": {100: (200.0, 250.0), 50: (100.0, 160.0)},
    "paced.lu": {100: (40.0, 200.0), 50: (20.0, 125.0)},
    "paced.scan": {100: (5000.0, 200.0), 50: (2500.0, 200.0)},
}
"""Work per second and watts by worklet and level."""
IDLE_W = 100.0
Z = 1.959964
BY_HAND = {
    # per kilowatt: 200/100/0.25 = 8 and 100/100/0.16 = 6.25
    "paced.sort": math.sqrt(8 * 6.25),
    # 40/10/0.2 = 20 and 20/10/0.125 = 16
    "paced.lu": math.sqrt(20 * 16),
    # 5000/1000/0.2 = 25 and 2500/1000/0.2 = 12.5
    "paced.scan": math.sqrt(25 * 12.5),
}


def task(run: Any, **facts: Any) -> Any:
    """Let a run disclose what its plan asked of it, in units per 10 s."""
    declared = {"declaration": {"level": {"asks_per_s": 0.1}}}
    disclosure = run.disclosure.changed(task=facts, workload=declared)
    return run.model_copy(update={"disclosure": disclosure})


def ran(u: float = 1e-7, gain: float = 0.0, asked: dict[Any, float] | None = None, **figures: Any) -> list[Any]:
    """Run the suite once: calibrations, levels that were asked for as they were done, and active idle."""
    pairs = []
    for workload, levels in (FIGURES | figures).items():
        for percent, (rate, watts) in levels.items():
            run, result = pair("c", rate, watts, u, workload=workload, level=f"{percent} %")
            wanted = (asked or {}).get((workload, percent), rate)
            run = task(run, task="share", percent=float(percent), level=round(10 * wanted))
            pairs.append(on_meter((run, result), gain) if gain else (run, result))
        run, result = pair("c", 500.0, 240.0, u, workload=workload, level="calibration 1")
        pairs.append((task(run, task="calibrate", level=10**8), result))
    run, result = pair("c", None, IDLE_W, u, workload="paced.scan", level="active idle")
    pairs.append((task(run, task="idle"), result))
    return pairs


def test_the_score_is_the_weighted_geometric_mean_of_all_levels() -> None:
    report = suite_report(SUITE, ran(), "s/c")
    assert {of.workload: of.score and of.score.value for of in report.worklets} == pytest.approx(BY_HAND)
    cpu = math.sqrt(BY_HAND["paced.sort"] * BY_HAND["paced.lu"])
    assert {of.kind: of.score and of.score.value for of in report.kinds} == pytest.approx(
        {"cpu": cpu, "memory": BY_HAND["paced.scan"]}
    )
    assert report.score is not None
    assert report.score.value == pytest.approx(math.exp(0.7 * math.log(cpu) + 0.3 * math.log(BY_HAND["paced.scan"])))
    assert report.score.value == pytest.approx(cpu**0.7 * BY_HAND["paced.scan"] ** 0.3)
    assert report.remarks == []
    assert (report.memory_gib, report.simulated) == (1.0, False)
    assert "6 of 6 levels were within 2 % of their target" in report.statement
    assert "Neither a SERT nor a SPECpower result" in report.statement


def test_twice_the_nominal_rates_halve_every_score_and_change_no_ratio() -> None:
    changed = SUITE.model_copy(
        update={"worklets": tuple(of.model_copy(update={"nominal": 2 * of.nominal}) for of in SUITE.worklets)}
    )
    scores = [suite_report(suite, ran(), "s/c").score for suite in (SUITE, changed)]
    assert scores[0] is not None
    assert scores[1] is not None
    assert scores[1].value == pytest.approx(scores[0].value / 2)


def test_an_error_of_the_meter_at_all_levels_counts_once_and_scatter_adds_in_quadrature() -> None:
    common = suite_report(SUITE, ran(u=1e-7, gain=0.01), "s/c").score
    assert common is not None
    assert pytest.approx(Z * 0.01 * common.value, rel=1e-3) == common.U95
    scattered = suite_report(SUITE, ran(u=0.01), "s/c").score
    assert scattered is not None
    # exponents: 0.7/2/2 for each of four levels, 0.3/2 for each of two
    expected = 0.01 * math.sqrt(4 * 0.175**2 + 2 * 0.15**2)
    assert pytest.approx(Z * expected * scattered.value, rel=1e-3) == scattered.U95


def test_a_level_off_its_target_is_said_with_how_far() -> None:
    asked = {("paced.sort", 50): 103.0, ("paced.lu", 50): 20.3}
    report = suite_report(SUITE, ran(asked=asked), "s/c")
    off = {(of.worklet, of.target_pct): (of.held, of.off_pct) for of in report.levels}
    # 100 done of 103 asked for, and 20 of 20.3
    assert off["paced.sort", 50] == (False, pytest.approx(100 * (100 / 103 - 1)))
    assert off["paced.lu", 50] == (True, pytest.approx(100 * (20 / 20.3 - 1)))
    assert report.remarks == ["Off their target by more than 2 %: paced.sort at 50 % (-2.9 %)."]
    assert "5 of 6 levels were within 2 %" in report.statement
    assert report.score is not None


def test_without_a_level_there_is_no_score_and_the_level_is_named() -> None:
    pairs = [of for of in ran() if (of[1].workload, of[1].level) != ("paced.lu", "50 %")]
    report = suite_report(SUITE, pairs, "s/c")
    assert report.score is None
    assert [of.score is None for of in report.worklets] == [False, True, False]
    assert [of.score is None for of in report.kinds] == [True, False]
    assert report.remarks == ["No score, as levels without work per joule are missing: paced.lu (50 %)."]


def test_where_no_level_is_ranked_every_worklet_is_named_as_missing() -> None:
    failed = Verdict("undisturbed", 40.0, 5.0, "%", "fail", "Other programs used 40 % of the CPU time.")
    pairs = [(run, result.model_copy(update={"verdicts": (failed,)})) for run, result in ran()]
    report = suite_report(SUITE, pairs, "s/c")
    assert (report.score, report.levels, report.idle) == (None, [], None)
    assert report.statement == "Neither a SERT nor a SPECpower result."
    assert "paced.sort (100 %, 50 %), paced.lu (100 %, 50 %), paced.scan (100 %, 50 %)" in report.remarks[0]
    assert any("6 runs excluded" in text or "1 of 1 runs excluded" in text for text in report.remarks)


def test_without_the_size_of_the_memory_there_is_no_score() -> None:
    pairs = [(run, result.model_copy(update={"memory_gib": None})) for run, result in ran()]
    report = suite_report(SUITE, pairs, "s/c")
    assert report.score is None
    assert report.remarks[0].startswith("No score, as the memory size is not known")


def test_runs_of_an_older_version_of_a_program_are_in_no_score() -> None:
    faster = ran(**{"paced.lu": {100: (80.0, 200.0), 50: (40.0, 125.0)}})
    before = [
        (run, result.model_copy(update={"program_version": "cc 11", "created": "2006-04-01T00:00:00Z"}))
        for run, result in faster
        if result.workload == "paced.lu" and "%" in result.level
    ]
    now = [(run, result.model_copy(update={"program_version": "cc 12"})) for run, result in ran()]
    report = suite_report(SUITE, [*before, *now], "s/c")
    lu = next(worklet for worklet in report.worklets if worklet.workload == "paced.lu")
    assert lu.score is not None
    assert lu.score.value == pytest.approx(BY_HAND["paced.lu"])
    assert "paced.lu: 2 runs of other versions of the load program than 'cc 12' excluded." in report.remarks


def test_idle_that_was_measured_once_serves_every_worklet() -> None:
    """EP = 2 - A/0.5 with A by trapezoids over 0, 50 and 100 %."""
    report = suite_report(SUITE, ran(), "s/c")
    for worklet in report.worklets:
        watts = [IDLE_W, FIGURES[worklet.workload][50][1], FIGURES[worklet.workload][100][1]]
        area = (0.5 * (watts[0] + watts[1]) / 2 + 0.5 * (watts[1] + watts[2]) / 2) / watts[2]
        assert worklet.curve is not None
        assert [row.load_pct for row in worklet.curve.rows] == [100, 50, 0]
        assert worklet.curve.energy_proportionality is not None
        assert worklet.curve.energy_proportionality.value == pytest.approx(2 - 2 * area)
    assert report.idle is not None
    assert report.idle.power_w.value == pytest.approx(IDLE_W)
    without = suite_report(SUITE, [of for of in ran() if of[1].level != "active idle"], "s/c")
    assert without.idle is None
    assert "Active idle was not measured, so there is no energy proportionality." in without.remarks
    phases = [with_idle(of, IDLE_W) for of in ran() if of[1].level != "active idle"]
    said = suite_report(SUITE, phases, "s/c").remarks
    assert "Active idle was not measured: energy proportionality comes from the idle phases of the runs." in said


def test_rules_of_idle_power_are_shown_with_the_interval_that_they_judge() -> None:
    verdict = Verdict("iec-62301", 5.0, 5.0, "rules", "pass", "IEC-62301-like idle power: all 5 rules are kept.")
    pairs = [
        (run, result.model_copy(update={"standards": (verdict,)}) if result.level == "active idle" else result)
        for run, result in ran()
    ]
    idle = suite_report(SUITE, pairs, "s/c").idle
    assert idle is not None
    assert [(check.outcome, check.text) for check in idle.checks] == [("pass", verdict.text)]
    assert "written without their texts at hand" in idle.note


def test_published_curves_stand_beside_by_their_quartiles() -> None:
    results = [
        PublishedCurve(
            key=f"published:{number}", name="n", year=2012, energy_proportionality=ep, idle_to_peak=1 - ep,
            linear_deviation=0.0, best_pct=100.0, best=1.0, knee_pct=None,
        )
        for number, ep in enumerate((0.2, 0.4, 0.5, 0.6, 0.9))
    ]  # fmt: skip
    spread = [
        LoadSpread(load_pct=100.0, n=5, low=1, lower_quartile=1, median=1, upper_quartile=1, high=1),
        LoadSpread(load_pct=0.0, n=5, low=0.1, lower_quartile=0.4, median=0.5, upper_quartile=0.6, high=0.8),
    ]
    curves = PublishedCurvesOut(
        workload="SPECpower_ssj2008", workloads=["SPECpower_ssj2008"], efficiency_unit="ssj_ops/J", results=results,
        spread=spread, curves=[], methods=[],
    )  # fmt: skip
    report = beside(suite_report(SUITE, ran(), "s/c"), curves)
    assert report.published is not None
    assert report.published.energy_proportionality == pytest.approx([0.4, 0.5, 0.6])
    plot = relative_power_plot(report)
    assert [(series.kind, len(series.x)) for series in plot.series] == [("band", 2), *[("line", 3)] * 3]
    assert "only the shape compares" in plot.caption


def test_an_unknown_configuration_is_answered_with_what_to_do() -> None:
    with pytest.raises(InputError, match=r"s/other has no run of the suite two. Run it: `wattmark suite run two"):
        suite_report(SUITE, ran(), "s/other")


def test_who_ran_how_much_of_a_suite() -> None:
    (row,) = suite_ran(SUITE, ran())
    assert (row.key, row.levels, row.wanted) == ("s/c", 6, 6)
    assert row.score == suite_report(SUITE, ran(), "s/c").score
    assert suite_ran(SUITE, []) == []


def test_tables_and_document_hold_every_worklet_kind_and_level() -> None:
    report = suite_report(SUITE, ran(), "s/c")
    scores = scores_table(report)
    parts = [row[scores.position("part")] for row in scores.rows]
    assert parts == ["paced.sort", "paced.lu", "paced.scan", "cpu", "memory", "suite"]
    assert scores.rows[-1][scores.position("score")] == report.score.value if report.score else None
    levels = levels_table(suite_report(SUITE, ran()[::-1], "s/c"))
    order = [(row[levels.position("worklet")], row[levels.position("target_pct")]) for row in levels.rows]
    assert order == [(workload, percent) for workload in FIGURES for percent in (100, 50)], "as the suite declares"
    assert {row[levels.position("held")] for row in levels.rows} == {True}
    chapters = [chapter.id for chapter in suite_document(report).chapters]
    assert chapters == ["score", "power", "levels", "idle", "methods"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"weights": {"cpu": 0.7, "memory": 0.2}}, "weights that add up to 1"),
        ({"weights": {"cpu": 1.0}}, "a worklet for each of the weights"),
        ({"percent": [50, 25]}, "load levels that contain 100 %"),
        ({"percent": [100, 100]}, "load levels that contain 100 %"),
        ({"worklets": [{"workload": "7zip", "kind": "cpu", "nominal": 1}], "weights": {"cpu": 1.0}}, "adjustable rate"),
        ({"worklets": 2 * [{"workload": "paced.lu", "kind": "cpu", "nominal": 1}], "weights": {"cpu": 1}}, "once"),
    ],
)
def test_a_declaration_that_contradicts_itself_is_refused(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Suite.model_validate(SUITE.model_dump() | change)
