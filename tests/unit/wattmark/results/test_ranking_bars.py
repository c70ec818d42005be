"""Which verdict bars what: the doubtful configurations of the review, one by one, on every output that ranks."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from wattmark.analysis.verdict import Verdict
from wattmark.comparison.compare.cells import repeated
from wattmark.comparison.compare.compare import compare
from wattmark.comparison.compare.compare_table import compare_table, group_marks
from wattmark.comparison.compare.yardstick import yardstick
from wattmark.comparison.memory.break_even import break_even_view
from wattmark.comparison.memory.memory import memory_view
from wattmark.comparison.memory.memory_table import memory_table
from wattmark.comparison.scaling.scaling import scaling_view
from wattmark.comparison.scaling.scaling_table import scaling_table
from wattmark.reports.figures.plots import compare_plot, line_plot, scaling_plot
from wattmark.results.evaluate import evaluate
from wattmark.results.pages.inclusions import Inclusions
from wattmark.results.ranking_bars import (
    BARS,
    CLAIMS,
    TABLE,
    Claim,
    bars,
    includable_rules,
    inclusion_text,
    not_ranked_explanation,
    not_ranked_text,
    ranking,
    why_not_ranked,
)
from wattmark.results.result import Result
from wattmark.results.tables.marks import INCLUDED, NOT_RANKED, result_marks
from wattmark.results.tables.results_table import results_table
from wattmark.runs.annotations.inclusion import Inclusion
from wattmark.runs.annotations.views import InclusionOrder
from wattmark.runs.record import RunStatus
from wattmark_drivers.clock import SystemClock

ROOT = Path(__file__).parents[4]
GUIDE = ROOT / "backend/docs/guide/read-a-result.md"
DOUBTFUL = {
    "stale-90pct": "stale",
    "over-range-50pct": "over-range",
    "bad-samples-20pct": "bad-samples",
    "frozen": "frozen",
    "throttled": "thermal-limit",
    "gaps-by-mlperf": "gaps",
    "below-full-load": "full-load",
    "drifting": "drift",
    "disturbed": "undisturbed",
    "limit-of-the-bench": "alarms",
    "log-contradicts-itself": "import-daemon-count",
}
"""The eleven doubtful configurations of the review (A4), each with the rule that fails."""
WATTS = {
    "gaps",
    "bad-samples",
    "over-range",
    "stale",
    "frozen",
    "flat-top",
    "lone-readings",
    "aliasing",
    "register",
    "window-length",
} | {
    "supply-rating",
    "cross-check",
    "metered-supplies",
    "recording",
}
STEADINESS = {"warm-up", "drift", "half-split", "block-scatter", "effective-samples", "change-point"}
CHOICE = Inclusion(by="K. Berg", reason="Checked by hand.", rules=("gaps",), at="2026-11-23T08:00:00+00:00")
Spoil = Callable[..., Result]


def failing(rule: str) -> Verdict:
    return Verdict(
        rule=rule, value=2.0, limit=1.0, unit="", outcome="fail", text=f"Rule {rule} says why. Repeat the run."
    )


def spoilt(result: Result, *rules: str, inclusion: Inclusion | None = None) -> Result:
    verdicts = (*result.verdicts, *map(failing, rules))
    return result.model_copy(update={"verdicts": verdicts, "inclusion": inclusion})


@pytest.fixture
def doubtful(measure) -> list[Result]:
    """Build three runs each of eleven doubtful configurations, named before two clean ones."""
    runs = [
        spoilt(measure(f"{name}-{k}", watts=230.0 + k / 5, dimms=1, configuration=name), rule)
        for name, rule in DOUBTFUL.items()
        for k in range(3)
    ]
    clean = [measure(f"z{d}-{k}", watts=240.0 + 5 * d + k / 5, dimms=d) for d in (2, 4) for k in range(3)]
    return [*runs, *clean]


def test_the_table_is_the_one_that_was_agreed() -> None:
    everything = frozenset(CLAIMS)
    expected = {
        **dict.fromkeys(WATTS, frozenset({"efficiency", "power"})),
        **dict.fromkeys({*STEADINESS, "full-load", "settled"}, frozenset({"power"})),
        **dict.fromkeys(
            {"asked-length", "standstill", "bottleneck", "undisturbed", "own-share", "alarms", "thermal-limit"},
            everything,
        ),
        **dict.fromkeys({"power-settings", "memory-slots", "server-clock"}, everything),
        "clock-step": frozenset({"throughput", "efficiency"}),
        **dict.fromkeys(
            {"started together", "cross-check-indicative", "idle-drift", "cool-down"}
            | {"power-limit", "current-limit", "clock-limit"},
            frozenset(),
        ),
    }
    assert expected == BARS
    assert bars("import-watts") == bars("a rule that nobody knows") == everything


@pytest.mark.parametrize("claim", CLAIMS)
def test_none_of_the_doubtful_ones_is_ranked_by_what_it_may_not(doubtful, claim: Claim) -> None:
    comparison = compare(doubtful, "rsa", "all", by=yardstick(claim))
    for group in comparison.groups:
        rule = DOUBTFUL.get(group.configuration)
        barred = rule is not None and claim in bars(rule)
        assert (group.rank_low is None) == barred, group.configuration
        assert (claim in group.not_ranked) == barred
        if rule is not None:
            assert (NOT_RANKED in group_marks(group, claim)) == barred
            assert any(rule in remark for remark in group.remarks)
    assert comparison.baseline not in {f"s1/{name}" for name, rule in DOUBTFUL.items() if claim in bars(rule)}
    for name, rule in DOUBTFUL.items():
        if claim in bars(rule):
            assert f"({name})" not in comparison.statement
            assert all(pair.key != f"s1/{name}" for pair in comparison.pairs)


def test_who_is_barred_says_why_and_what_to_do(doubtful) -> None:
    group = next(g for g in compare(doubtful, "rsa", "all").groups if g.configuration == "stale-90pct")
    assert group.refusal.startswith("No run can be ranked: stale readings (rule stale). Rule stale says why. Repeat")
    assert "signs/J at 230" in group.refusal


def test_readings_that_are_missing_bar_power_by_the_rule_of_others_too(store, record, rng) -> None:
    """By the rule "mlperf" power is given although a quarter of the samples is gone: shown, and not ranked."""
    t = np.arange(-20.0, 121)
    watts = 250 + rng.normal(0, 0.5, len(t))
    lost = (t > 30) & (t <= 55)
    store.add("r1", "outlet", "power", t[~lost], watts[~lost])
    result = evaluate(record(), store, "mlperf")
    assert result.power.value == pytest.approx(250.0, abs=0.5)
    assert why_not_ranked(result, "power") == "readings are missing (rule gaps)"
    assert why_not_ranked(result, "efficiency") == "readings are missing (rule gaps)"
    assert why_not_ranked(result, "throughput") is None


def test_bad_readings_are_ranked_by_no_watts_whether_these_are_given_or_withheld(store, record, rng) -> None:
    t = np.arange(-20.0, 121)
    watts = 250 + rng.normal(0, 0.5, len(t))
    store.add("r1", "outlet", "power", t, watts, quality=(np.arange(len(t)) % 5 == 0).astype(int))
    for rule in ("complete", "mlperf"):
        by_claim = {entry.claim: entry for entry in ranking(evaluate(record(), store, rule))}
        assert [by_claim[claim].ranked for claim in CLAIMS] == [True, False, False]
        assert by_claim["power"].cause.startswith("no power: ") or "rule" in by_claim["power"].cause


def test_a_meter_that_stands_still_bars_watts(store, record) -> None:
    t = np.arange(-20.0, 121)
    store.add("r1", "outlet", "power", t, np.full(len(t), 250.0))
    result = evaluate(record(), store)
    assert result.power.value == pytest.approx(250.0)
    assert why_not_ranked(result, "efficiency") == "the reading never changed (rule frozen)"


def test_a_run_that_did_not_complete_is_ranked_by_nothing(measure) -> None:
    result = measure("a", status=RunStatus.ABORTED, reason="The lamp fell over.")
    chosen = result.model_copy(update={"inclusion": CHOICE})
    assert {why_not_ranked(chosen, claim) for claim in CLAIMS} == {"aborted"}
    assert not_ranked_explanation(chosen, "power") == "Aborted. The lamp fell over."
    assert includable_rules(spoilt(result, "gaps")) == []
    assert not_ranked_text(chosen) == "aborted"


def test_simulated_is_no_bar(measure) -> None:
    assert not_ranked_text(measure("a", simulated=True)) is None


def test_what_concerns_no_figure_of_the_run_bars_nothing(measure) -> None:
    assert not_ranked_text(spoilt(measure("a"), "started together", "idle-drift")) is None


def test_memory_refuses_disturbed_runs_and_lists_them(measure) -> None:
    """The demo on a busy machine: nine of nine disturbed, and no word about watts per DIMM."""
    runs = [spoilt(measure(f"{d}-{k}", watts=230 + 6 * d, dimms=d), "undisturbed") for d in (2, 4, 8) for k in range(3)]
    view = memory_view(runs, "s1", "rsa", "all")
    assert (view.watts_per_part, view.claim, view.points, view.line) == (None, None, [], [])
    assert "9 runs are excluded: disturbed by other programs (rule undisturbed)." in view.statement
    assert [run.count for run in view.excluded] == [2] * 3 + [4] * 3 + [8] * 3
    reason = "Disturbed by other programs (rule undisturbed). Rule undisturbed says why. Repeat the run."
    assert {run.reason for run in view.excluded} == {reason}
    table = memory_table(view)
    assert [row[table.position("reason")] for row in table.rows] == [reason] * 9
    assert math.isclose(table.rows[0][table.position("power_w")], 242.0, rel_tol=0.01)
    (apart,) = [series for series in line_plot("memory", view).series if series.apart]
    assert len(apart.x) == 9


def test_break_even_says_who_is_excluded(measure) -> None:
    runs = [
        spoilt(measure(f"{s}-{d}-{k}", watts=230 + 6 * d, dimms=d, server=s), *(["gaps"] if s == "s2" else []))
        for s in ("s1", "s2")
        for d in (2, 4, 8)
        for k in range(2)
    ]
    statement = break_even_view(runs, ("s1", "s2"), "rsa", "all").statement
    assert statement.startswith("No break-even of s1 and s2: ")
    assert "s2: 6 runs are excluded: readings are missing (rule gaps)." in statement


@pytest.mark.parametrize("claim", CLAIMS)
def test_tables_leave_out_by_their_figure(measure, record, claim: Claim) -> None:
    runs = [measure(f"r{k}") for k in range(3)]
    bad = spoilt(measure("bad"), "drift")
    pairs = [(record(result.run_id), result) for result in (*runs, bad)]
    (group,), remarks = repeated(pairs, claim)
    assert group.n == (3 if claim == "power" else 4)
    remarks = [remark for remark in remarks if "of one installation" not in remark]
    assert remarks == (["s1/fbdimm-4, rsa, all: 1 of 4 runs excluded: unsteady (rule drift)."] * (claim == "power"))


def test_a_person_lifts_the_rules_that_are_named_and_no_others(measure) -> None:
    both = spoilt(measure("a"), "gaps", "undisturbed", inclusion=CHOICE)
    assert why_not_ranked(both, "power") == "disturbed by other programs (rule undisturbed)"
    assert inclusion_text(both) is None
    gappy = spoilt(measure("b"), "gaps", inclusion=CHOICE)
    assert why_not_ranked(gappy, "power") is None
    words = "Ranked by override of K. Berg although rule gaps failed: Checked by hand"
    assert inclusion_text(gappy, "efficiency") == words
    assert inclusion_text(gappy, "throughput") is None
    assert [(c.claim, c.ranked, c.inclusion) for c in ranking(gappy)] == [
        ("throughput", True, None),
        ("efficiency", True, words),
        ("power", True, words),
    ]


def test_a_run_whose_power_was_withheld_is_named_in_its_group(campaign) -> None:
    nothing = {"power": None, "efficiency": None, "notes": ("Power is withheld: no good reading for 9 s.",)}
    withheld = campaign[0].model_copy(update={"run_id": "w", **nothing})
    group = next(g for g in compare([*campaign, withheld], "rsa", "all").groups if withheld.run_id in g.runs)
    assert "1 of 4 runs excluded of work per joule and full-load power: without the figure." in group.remarks
    (excluded,) = memory_view([*campaign, withheld], "s1", "rsa", "all").excluded
    assert (excluded.run_id, excluded.reason) == ("w", "Power is withheld: no good reading for 9 s.")


def test_a_figure_that_is_not_given_cannot_be_ranked_by_anybody(measure) -> None:
    nothing = {"power": None, "efficiency": None}
    result = spoilt(measure("a"), "gaps").model_copy(update=nothing)
    assert includable_rules(result) == []
    chosen = result.model_copy(update={"inclusion": CHOICE})
    assert [(claim.claim, claim.ranked) for claim in ranking(chosen)] == [
        ("throughput", True),
        ("efficiency", False),
        ("power", False),
    ]


def test_the_choice_stands_beside_every_ranking(measure) -> None:
    words = "Ranked by override of K. Berg although rule gaps failed: Checked by hand"
    chosen = [
        spoilt(measure(f"a{k}", watts=230 + k / 5, dimms=1), "gaps", inclusion=CHOICE.model_copy()) for k in range(3)
    ]
    clean = [measure(f"b{d}-{k}", watts=230 + 6 * d + k / 5, dimms=d) for d in (2, 4) for k in range(3)]
    compared = compare([*chosen, *clean], "rsa", "all")
    group = compared.groups[0]
    assert group.rank_low == 1
    assert compared.baseline == "s1/fbdimm-1"
    assert words in compared.statement
    assert any(words in remark for remark in group.remarks)
    assert INCLUDED in group_marks(group, "efficiency")
    assert INCLUDED not in group_marks(group, "throughput")
    plot = compare_plot(compared)
    assert {series.label for series in plot.series} == {"measured", "measured, ranked by override"}
    assert words in plot.caption
    by_rate = compare([*chosen, *clean], "rsa", "all", by=yardstick("throughput"))
    assert words not in by_rate.statement
    memory = memory_view([*chosen, *clean], "s1", "rsa", "all")
    assert words in memory.statement
    assert [point.inclusion for point in memory.points[:4]] == [words] * 3 + [None]
    for table in (compare_table(compared), memory_table(memory), results_table([*chosen, *clean])):
        assert any(words in str(cell) for row in table.rows for cell in row)
        assert any(words in note for note in table.footnotes)
    assert INCLUDED in result_marks(chosen[0])


def test_the_choice_stands_under_the_figure_of_levels(measure) -> None:
    words = "Ranked by override of K. Berg although rule gaps failed: Checked by hand"
    levels = {1: "1 process", 2: "2 processes", 4: "4 processes"}
    runs = [measure(f"l{n}", work=1000.0 * n, level=level) for n, level in levels.items()]
    view = scaling_view([*runs[:2], spoilt(runs[2], "gaps", inclusion=CHOICE)], "s1/fbdimm-4", "rsa")
    plot = scaling_plot(view)
    assert words in plot.caption
    assert [len(series.x) for series in plot.series] == [3]
    assert any(words in note for note in scaling_table(view).footnotes)


def test_the_guide_shows_the_table() -> None:
    text = GUIDE.read_text()
    rows = [line.strip("|").split("|") for line in text.splitlines() if line.startswith("| `")]
    shown = {rule.strip(): (claims.strip(), why.strip()) for rule, claims, why in rows}
    titles = {"throughput": "work/s", "efficiency": "work/J", "power": "full-load power"}
    expected = {
        f"`{bar.rule}`": (", ".join(titles[claim] for claim in bar.claims) or "nothing", bar.why) for bar in TABLE
    }
    assert {rule: shown.get(rule) for rule in expected} == expected
    assert shown.keys() - expected.keys() == {"`import-…`, and any other"}


def test_overrides_of_several_rules_stand_together_and_one_is_chosen_anew(measure, storage) -> None:
    run = spoilt(measure("a"), "gaps", "undisturbed")
    inclusions = Inclusions(storage.annotations, lambda _: run, SystemClock())

    ranked: list[list[bool]] = []

    def words(by: str, reason: str, *rules: str) -> str | None:
        inclusions.include("a", InclusionOrder(by=by, reason=reason, rules=list(rules)))
        both = run.model_copy(update={"inclusion": storage.annotations.inclusions()["a"]})
        ranked.append([claim.ranked for claim in ranking(both)])
        return inclusion_text(both, "efficiency")

    words("Research", "Checked by hand.", "gaps")
    assert words("Research and Development", "A backup ran.", "undisturbed") == (
        "Ranked by override of Research although rule gaps failed: Checked by hand; "
        "and by Research and Development although rule undisturbed failed: A backup ran"
    )
    assert words("L. Ohm", "Seen again.", "gaps") == (
        "Ranked by override of Research and Development although rule undisturbed failed: A backup ran; "
        "and by L. Ohm although rule gaps failed: Seen again"
    )
    assert words("L. Ohm", "Seen again.", "undisturbed") == (
        "Ranked by override of L. Ohm although rules gaps and undisturbed failed: Seen again"
    )
    assert ranked[1:] == 3 * [[True, True, True]]
    inclusions.exclude("a")
    assert storage.annotations.inclusions() == {}
