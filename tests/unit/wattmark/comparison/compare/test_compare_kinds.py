"""What a comparison says of figures that are not alike: published, simulated, imported, disturbed, of power."""

import math

import pytest
from wattmark.analysis.verdict import Verdict
from wattmark.comparison.compare.compare import choices, compare
from wattmark.comparison.compare.views import CompareGroup
from wattmark.comparison.compare.yardstick import yardstick
from wattmark.core.errors import InputError
from wattmark.core.interval import Interval95


def halved(figure):
    return figure.model_copy(update={"value": figure.value / 2})


def published(**changes):
    fields = {
        "key": "published:x5160",
        "title": "Xeon 5160",
        "server": "x5160",
        "configuration": "published",
        "dimm_count": None,
        "kind": "published",
        "workload": "rsa",
        "level": "all",
        "runs": [],
        "n": 1,
        "efficiency": Interval95(value=16.0, low=15.9, high=16.1, u=0.05),
        "power_w": None,
        "throughput": None,
        "efficiency_unit": "signs/J",
        "throughput_unit": "signs/s",
        "steady": None,
        "full_load": None,
        "traceable": False,
        "source": "an article",
    }
    return CompareGroup(**fields | changes)


def test_published_figures_stand_beside_untested(campaign):
    comparison = compare(campaign, "rsa", "all", published=[published(), published(key="published:y", level="16")])
    assert [g.kind for g in comparison.groups] == ["measured"] * 3 + ["published"]
    pair = next(p for p in comparison.pairs if p.key == "published:x5160")
    assert pair.significant is None
    assert "not tested" in pair.verdict
    assert comparison.groups[-1].rank_low is None


def test_published_figures_of_another_load_are_listed_apart(campaign):
    """Full-load figures do not stand in a comparison at 80 % load."""
    at_80 = [r.model_copy(update={"level": "80 %"}) for r in campaign]
    comparison = compare(at_80, "rsa", "80 %", published=[published(level="full load")])
    assert {g.kind for g in comparison.groups} == {"measured"}
    (figure,) = comparison.at_another_load
    assert (figure.key, figure.level, figure.figure.value, figure.unit) == (
        "published:x5160", "full load", 16.0, "signs/J",
    )  # fmt: skip
    assert "Not compared: 1 published figure" in comparison.statement


def test_published_only():
    comparison = compare([], "rsa", "all", published=[published(), published(key="published:z", efficiency=None)])
    assert comparison.statement.startswith("Published figures only")
    assert comparison.baseline == "published:x5160"
    assert comparison.pairs == []


def test_other_unit_is_not_compared(campaign, measure):
    odd = [measure(f"o-{k}", dimms=8, unit="queries") for k in range(3)]
    comparison = compare([*campaign, *odd], "rsa", "all")
    group = comparison.groups[-1]
    assert group.rank_low is None
    assert "Not compared: its unit is queries/J." in group.remarks
    assert all(p.key != group.key for p in comparison.pairs)


def test_simulated_is_said(measure, meter):
    results = [
        measure(f"{d}-{k}", watts=w, dimms=d, meters=(meter(simulated=True),))
        for d, w in ((2, 240), (4, 260))
        for k in range(3)
    ]
    comparison = compare(results, "rsa", "all")
    assert comparison.statement.startswith("Simulated power: ")
    assert {g.kind for g in comparison.groups} == {"simulated"}


def test_imported_is_said(measure):
    (group,) = compare([measure(source="imported: MLPerf v1.0")], "rsa", "all").groups
    assert (group.kind, group.source) == ("imported", "imported: MLPerf v1.0")


def test_one_group_has_nothing_to_be_compared_with(measure):
    comparison = compare([measure(f"r{k}") for k in range(3)], "rsa", "all")
    assert "nothing to compare it with" in comparison.statement
    assert comparison.groups[0].rank_low is None
    unchecked, installed = comparison.groups[0].remarks
    assert unchecked == "Not checked for other programs."
    assert "one installation and boot" in installed


def test_a_row_says_once_for_what_its_runs_were_not_checked(measure):
    """Without a word, a row of unchecked runs reads like one that was checked."""
    checked = {"disclosure": {"window": {"load_cpu_share_pct": 99.0}}}
    runs = [
        measure("a0"),
        measure("a1", **checked),
        measure("b0", dimms=2, **checked),
        measure("b1", dimms=2, **checked),
    ]
    remarks = {g.configuration: g.remarks for g in compare(runs, "rsa", "all").groups}
    assert [text for text in remarks["fbdimm-4"] if "checked" in text] == [
        "1 of 2 runs not checked for other programs."
    ]
    assert not [text for text in remarks["fbdimm-2"] if "checked" in text]
    blind = [run.model_copy(update={"cpu_utilisation_pct": None, "verdicts": ()}) for run in runs[:2]]
    (group,) = compare(blind, "rsa", "all").groups
    assert "Not checked for other programs and full load." in group.remarks


@pytest.mark.parametrize(("workload", "baseline"), [("none", None), ("rsa", "s9/x")])
def test_what_does_not_exist_is_an_input_error(campaign, workload, baseline):
    with pytest.raises(InputError):
        compare(campaign, workload, "all", baseline)


def test_choices(campaign):
    options = choices(campaign, [published(), published(key="published:y", workload="igen", level="16")])
    assert [(c.workload, c.level, c.measured, c.published) for c in options] == [
        ("rsa", "all", 3, 1),
        ("igen", "16", 0, 1),
    ]


def test_work_that_other_programs_disturbed_is_not_compared(campaign):
    """A run whose CPU time others took counts neither its throughput nor its power as its own."""
    verdict = Verdict(rule="undisturbed", value=40.0, limit=5.0, unit="%", outcome="fail", text="Other programs ...")
    spoilt = [
        r.model_copy(
            update={
                "verdicts": (*r.verdicts, verdict),
                "efficiency": r.efficiency.model_copy(update={"value": r.efficiency.value / 2}),
            }
        )
        if (r.dimm_count, r.repeat) == (2, 1)
        else r
        for r in campaign
    ]
    group = next(g for g in compare(spoilt, "rsa", "all").groups if g.dimm_count == 2)
    clean = next(g for g in compare(campaign, "rsa", "all").groups if g.dimm_count == 2)
    assert (clean.n, group.n) == (3, 2)
    assert group.efficiency.value == pytest.approx(clean.efficiency.value, rel=0.01)
    assert "1 of 3 runs excluded: disturbed by other programs (rule undisturbed)." in group.remarks


def test_nothing_is_compared_where_every_run_was_disturbed(campaign):
    verdict = Verdict(rule="undisturbed", value=40.0, limit=5.0, unit="%", outcome="fail", text="Other programs ...")
    spoilt = [r.model_copy(update={"verdicts": (*r.verdicts, verdict)}) for r in campaign]
    compared = compare(spoilt, "rsa", "all")
    assert all(g.efficiency is None and "disturbed by other programs" in g.refusal for g in compared.groups)
    assert compared.pairs == []


def test_of_power_less_is_better(campaign):
    comparison = compare(campaign, "rsa", "all", by=yardstick("power"))
    assert comparison.direction == "lower"
    assert [(g.rank_low, g.rank_high) for g in comparison.groups] == [(1, 1), (2, 3), (2, 3)]
    assert comparison.statement.startswith(
        "“2 FB-DIMMs” draws the least power of 3 configurations; the next, “4 FB-DIMMs”, draws 5.0 % more than "
        "“2 FB-DIMMs” (95 % interval "
    )


def test_of_equal_work_no_throughput_is_better(campaign):
    comparison = compare(campaign, "rsa", "all", by=yardstick("throughput"))
    assert {(g.rank_low, g.rank_high) for g in comparison.groups} <= {(1, 3), (None, None)}


def test_a_difference_below_what_is_of_interest_is_named(campaign):
    """5 % more watts are 5 % less work per joule: smaller than 10 %, larger than 2 %."""
    wide = {p.key: p for p in compare(campaign, "rsa", "all", by=yardstick(smallest_pct=10.0)).pairs}["s1/fbdimm-4"]
    assert (wide.significant, wide.equivalent, wide.repeats_needed) == (True, True, 0)
    assert wide.verdict.partition("; significant, but smaller than the 10 % that matter")[2] != ""
    usual = {p.key: p for p in compare(campaign, "rsa", "all").pairs}["s1/fbdimm-4"]
    assert (usual.significant, usual.equivalent) == (True, False)


def test_a_finer_yardstick_asks_for_repeats(measure, meter):
    """A meter of 0.02 %: its curve leaves less than 0.05 % in a ratio, and the repeats scatter by more."""
    fine = meter(reading_pct=0.02, fixed_w=0.0, resolution_w=0.001)
    results = [
        measure(f"{dimms}-{k}", watts=base + 0.2 * k, dimms=dimms, meters=(fine,))
        for k in range(3)
        for dimms, base in ((4, 252.0), (5, 252.1))
    ]
    comparison = compare(results, "rsa", "all", "s1/fbdimm-4", by=yardstick(smallest_pct=0.05))
    pair = {p.key: p for p in comparison.pairs}["s1/fbdimm-5"]
    assert (pair.significant, pair.equivalent) == (False, False)
    assert pair.repeats_needed > 0
    assert f"about {pair.repeats_needed} more repeat" in pair.verdict
    assert "of each would resolve 0.05 %" in pair.verdict


@pytest.mark.parametrize("smallest_pct", [0.0, -1.0, 51.0, math.nan, math.inf])
def test_a_yardstick_must_tell_something(smallest_pct):
    with pytest.raises(InputError, match="must not be"):
        yardstick(smallest_pct=smallest_pct)
