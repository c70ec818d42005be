"""Configurations side by side: groups, ranks, pairs and words."""

import math

import pytest
from wattmark.errors import InputError
from wattmark.results.compare import choices, compare
from wattmark.results.views import CompareGroup, Interval95
from wattmark.results.yardstick import yardstick
from wattmark.runs.record import RunStatus
from wattmark.runs.result import Verdict


@pytest.fixture
def campaign(measure):
    """Three repeats each: 2 and 4 DIMMs differ by 5 %, 4 and 5 hardly."""
    watts = {2: 240.0, 4: 252.0, 5: 252.1}
    return [
        measure(f"{dimms}-{k}", watts=base + 0.2 * k, dimms=dimms, repeat=k + 1)
        for k in range(3)
        for dimms, base in watts.items()
    ]


def published(**changes):
    known = {
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
        "energy_per_op_j": 1 / 16,
        "steady": None,
        "full_load": None,
        "traceable": False,
        "source": "an article",
    }
    return CompareGroup(**known | changes)


def test_groups_in_order_with_ranks(campaign):
    found = compare(campaign, "rsa", "all")
    assert [g.key for g in found.groups] == ["s1/fbdimm-2", "s1/fbdimm-4", "s1/fbdimm-5"]
    assert [(g.rank_low, g.rank_high) for g in found.groups] == [(1, 1), (2, 3), (2, 3)]
    assert [g.n for g in found.groups] == [3, 3, 3]
    assert found.baseline == "s1/fbdimm-2"
    assert found.direction == "higher"


def test_interval_of_a_group_holds_the_meter(campaign):
    """Class 1.5 %: the interval of one group is far wider than that of the ratio, where the meter cancels."""
    found = compare(campaign, "rsa", "all")
    group, pair = found.groups[0].efficiency, found.pairs[0]
    limit = 0.0094 * math.sqrt(3)
    assert 2 * 0.95 * limit < (group.high - group.low) / group.value < 2 * 1.1 * limit
    assert (pair.high - pair.low) / pair.ratio < 0.01


def test_pair_in_words(campaign):
    found = compare(campaign, "rsa", "all")
    pair = found.pairs[0]
    assert pair.ratio == pytest.approx(240.2 / 252.2, rel=1e-3)
    assert pair.low < 240.2 / 252.2 < pair.high
    assert pair.significant is True
    assert pair.verdict.startswith("“4 FB-DIMMs” does 4.75 % less work per joule than “2 FB-DIMMs” (95 % interval 4.")
    assert found.statement.startswith("“2 FB-DIMMs” does 5.")


def test_tie_in_words(campaign):
    found = compare(campaign, "rsa", "all", baseline="s1/fbdimm-4")
    pair = next(p for p in found.pairs if p.key == "s1/fbdimm-5")
    assert pair.significant is False
    assert pair.verdict == "“5 FB-DIMMs” and “4 FB-DIMMs” are equal within 2 % in work per joule."


def test_wide_tie_says_how_many_repeats_would_help(measure):
    results = [
        measure(f"{dimms}-{k}", watts=base, dimms=dimms)
        for dimms, series in {2: (240, 252, 246), 4: (243, 255, 249)}.items()
        for k, base in enumerate(series)
    ]
    pair = compare(results, "rsa", "all").pairs[0]
    assert pair.significant is False
    assert "are not distinguishable: " in pair.verdict
    assert "more repeats of each would resolve 2 %." in pair.verdict
    assert compare(results, "rsa", "all").statement.startswith("No configuration stands out")


def test_hopeless_scatter_is_said(measure):
    results = [
        measure(f"{dimms}-{k}", work=work, dimms=dimms)
        for dimms in (2, 4)
        for k, work in enumerate((2000, 5000, 16000))
    ]
    verdict = compare(results, "rsa", "all").pairs[0].verdict
    assert "the repeats scatter too much; find the cause" in verdict


def test_meters_that_limit_a_comparison_are_said(measure, meter):
    results = [
        measure(f"{dimms}-{k}", watts=watts, dimms=dimms, meters=(meter(name=f"m{dimms}"),))
        for dimms, watts in ((2, 250.0), (4, 252.0))
        for k in range(3)
    ]
    verdict = compare(results, "rsa", "all").pairs[0].verdict
    assert "repeats cannot resolve 2 %, the meters' own uncertainty is larger" in verdict


def test_unsteady_and_failed_runs_are_left_out(campaign, measure):
    extra = [
        measure("2-x", watts=200, dimms=2, ramp=-30.0),
        measure("2-y", watts=200, dimms=2, status=RunStatus.FAILED, reason="openssl ended with 1."),
    ]
    with_extra, without = compare([*campaign, *extra], "rsa", "all"), compare(campaign, "rsa", "all")
    assert with_extra.groups[0].efficiency == without.groups[0].efficiency
    assert with_extra.groups[0].n == 3
    assert "1 of 5 runs left out: unsteady." in with_extra.groups[0].remarks
    assert "1 of 5 runs left out: failed." in with_extra.groups[0].remarks


def test_only_unsteady_runs_are_never_ranked(campaign, measure):
    found = compare([*campaign, measure("8-0", watts=100, dimms=8, ramp=-30.0)], "rsa", "all")
    group = found.groups[-1]
    assert group.efficiency is group.rank_low is group.rank_high is None
    assert group.refusal.startswith("No run can be ranked: unsteady. Mean over the window: ")
    assert "8 FB-DIMMs" not in found.statement
    assert all(p.key != group.key for p in found.pairs)


def test_single_runs_are_not_tested(measure):
    found = compare([measure("a", dimms=2), measure("b", watts=270, dimms=4)], "rsa", "all")
    assert [g.rank_low for g in found.groups] == [None, None]
    (pair,) = found.pairs
    assert pair.significant is pair.p_adjusted is None
    assert "not tested: with a single run" in pair.verdict
    assert "not every difference can be tested" in found.statement


def test_single_run_without_uncertainty_is_refused_in_words(measure, meter):
    bare = meter(reading_pct=None, range_pct=None, fixed_w=None)
    (group,) = compare([measure("a", meters=(bare,))], "rsa", "all").groups
    assert group.efficiency is None
    assert "± of this single run is not known" in group.refusal
    assert "signs/J at 250" in group.refusal
    assert not group.traceable


def test_same_unknown_meter_can_still_be_compared(measure, meter):
    bare = meter(reading_pct=None, range_pct=None, fixed_w=None)
    results = [measure(f"{d}-{k}", watts=w, dimms=d, meters=(bare,)) for d, w in ((2, 240), (4, 260)) for k in range(3)]
    found = compare(results, "rsa", "all")
    assert found.pairs[0].significant is True
    assert any("scatter between runs only" in r for r in found.groups[0].remarks)


def test_different_unknown_meters_are_not_tested(measure, meter):
    results = [
        measure(
            f"{d}-{k}",
            watts=w,
            dimms=d,
            meters=(meter(name=f"m{d}", reading_pct=None, range_pct=None, fixed_w=None),),
        )
        for d, w in ((2, 240), (4, 260))
        for k in range(3)
    ]
    pair = compare(results, "rsa", "all").pairs[0]
    assert pair.significant is None
    assert "meters differ and have no specification" in pair.verdict


def test_published_figures_stand_beside_untested(campaign):
    found = compare(campaign, "rsa", "all", published=[published(), published(key="published:y", level="16")])
    assert [g.kind for g in found.groups] == ["measured"] * 3 + ["published"]
    pair = next(p for p in found.pairs if p.key == "published:x5160")
    assert pair.significant is None
    assert "not tested" in pair.verdict
    assert found.groups[-1].rank_low is None


def test_published_only():
    found = compare([], "rsa", "all", published=[published(), published(key="published:z", efficiency=None)])
    assert found.statement.startswith("Published figures only")
    assert found.baseline == "published:x5160"
    assert found.pairs == []


def test_other_unit_is_not_compared(campaign, measure):
    odd = [measure(f"o-{k}", dimms=8, unit="queries") for k in range(3)]
    found = compare([*campaign, *odd], "rsa", "all")
    group = found.groups[-1]
    assert group.rank_low is None
    assert "Not compared: its unit is queries/J." in group.remarks
    assert all(p.key != group.key for p in found.pairs)


def test_simulated_is_said(measure, meter):
    results = [
        measure(f"{d}-{k}", watts=w, dimms=d, meters=(meter(simulated=True),))
        for d, w in ((2, 240), (4, 260))
        for k in range(3)
    ]
    found = compare(results, "rsa", "all")
    assert found.statement.startswith("Simulated power: ")
    assert {g.kind for g in found.groups} == {"simulated"}


def test_imported_is_said(measure):
    (group,) = compare([measure(source="imported: MLPerf v1.0")], "rsa", "all").groups
    assert (group.kind, group.source) == ("imported", "imported: MLPerf v1.0")


def test_one_group_has_nothing_to_be_compared_with(measure):
    found = compare([measure(f"r{k}") for k in range(3)], "rsa", "all")
    assert "nothing to compare it with" in found.statement
    assert (found.groups[0].rank_low, found.groups[0].remarks) == (None, [])


def test_titles_that_repeat_are_replaced_by_keys(measure):
    results = [measure("a", dimms=4), measure("b", dimms=4, server="s2")]
    assert "“s1/fbdimm-4”" in compare(results, "rsa", "all").pairs[0].verdict


@pytest.mark.parametrize(("workload", "baseline"), [("none", None), ("rsa", "s9/x")])
def test_what_does_not_exist_is_an_input_error(campaign, workload, baseline):
    with pytest.raises(InputError):
        compare(campaign, workload, "all", baseline)


def test_choices(campaign):
    found = choices(campaign, [published(), published(key="published:y", workload="igen", level="16")])
    assert [(c.workload, c.level, c.measured, c.published) for c in found] == [
        ("rsa", "all", 3, 1),
        ("igen", "16", 0, 1),
    ]


def test_work_that_other_programs_disturbed_is_not_compared(campaign):
    """A run whose CPU time others took counts neither its throughput nor its power as its own."""
    verdict = Verdict(rule="undisturbed", value=40.0, limit=5.0, unit="%", outcome="fail", text="Other programs ...")
    spoilt = [
        r.model_copy(update={"verdicts": (*r.verdicts, verdict), "efficiency": r.efficiency / 2})
        if (r.dimm_count, r.repeat) == (2, 1)
        else r
        for r in campaign
    ]
    group = next(g for g in compare(spoilt, "rsa", "all").groups if g.dimm_count == 2)
    clean = next(g for g in compare(campaign, "rsa", "all").groups if g.dimm_count == 2)
    assert (clean.n, group.n) == (3, 2)
    assert group.efficiency.value == pytest.approx(clean.efficiency.value, rel=0.01)
    assert "1 of 3 runs left out: disturbed by other programs." in group.remarks


def test_nothing_is_compared_where_every_run_was_disturbed(campaign):
    verdict = Verdict(rule="undisturbed", value=40.0, limit=5.0, unit="%", outcome="fail", text="Other programs ...")
    spoilt = [r.model_copy(update={"verdicts": (*r.verdicts, verdict)}) for r in campaign]
    compared = compare(spoilt, "rsa", "all")
    assert all(g.efficiency is None and "disturbed by other programs" in g.refusal for g in compared.groups)
    assert compared.pairs == []


def test_of_power_less_is_better(campaign):
    found = compare(campaign, "rsa", "all", by=yardstick("power"))
    assert found.direction == "lower"
    assert [(g.rank_low, g.rank_high) for g in found.groups] == [(1, 1), (2, 3), (2, 3)]
    assert found.statement.startswith("“2 FB-DIMMs” draws ")
    assert "% less power than" in found.statement


def test_of_equal_work_no_throughput_is_better(campaign):
    found = compare(campaign, "rsa", "all", by=yardstick("throughput"))
    assert {(g.rank_low, g.rank_high) for g in found.groups} <= {(1, 3), (None, None)}


def test_a_difference_below_what_is_of_interest_is_named(campaign):
    """5 % more watts are 5 % less work per joule: smaller than 10 %, larger than 2 %."""
    wide = {p.key: p for p in compare(campaign, "rsa", "all", by=yardstick(smallest_pct=10.0)).pairs}["s1/fbdimm-4"]
    assert (wide.significant, wide.equivalent, wide.repeats_needed) == (True, True, 0)
    assert wide.verdict.endswith("; real, but smaller than the 10 % that are of interest.")
    usual = {p.key: p for p in compare(campaign, "rsa", "all").pairs}["s1/fbdimm-4"]
    assert (usual.significant, usual.equivalent) == (True, False)


def test_a_finer_yardstick_asks_for_repeats(campaign):
    found = compare(campaign, "rsa", "all", "s1/fbdimm-4", by=yardstick(smallest_pct=0.05))
    pair = {p.key: p for p in found.pairs}["s1/fbdimm-5"]
    assert (pair.significant, pair.equivalent) == (False, False)
    assert pair.repeats_needed > 0
    assert f"{pair.repeats_needed} more repeat" in pair.verdict
    assert "of each would resolve 0.05 %" in pair.verdict


@pytest.mark.parametrize("smallest_pct", [0.0, -1.0, 51.0, math.nan, math.inf])
def test_a_yardstick_must_tell_something(smallest_pct):
    with pytest.raises(InputError, match="tells nothing apart"):
        yardstick(smallest_pct=smallest_pct)
