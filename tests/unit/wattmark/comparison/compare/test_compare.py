"""Configurations side by side: groups, ranks, pairs and words."""

import math
import re

import pytest
from wattmark.comparison.compare.compare import compare
from wattmark.comparison.compare.yardstick import yardstick
from wattmark.runs.record import RunStatus

ONE_INSTALLATION = (
    "all runs of each are of one installation and boot: the effect of re-seating or a reboot is not in the ±"
)


def test_groups_in_order_with_ranks(campaign):
    comparison = compare(campaign, "rsa", "all")
    assert [g.key for g in comparison.groups] == ["s1/fbdimm-2", "s1/fbdimm-4", "s1/fbdimm-5"]
    assert [(g.rank_low, g.rank_high) for g in comparison.groups] == [(1, 1), (2, 3), (2, 3)]
    assert [g.n for g in comparison.groups] == [3, 3, 3]
    assert comparison.baseline == "s1/fbdimm-2"
    assert comparison.direction == "higher"


def test_interval_of_a_group_holds_the_meter(campaign):
    """Class 1.5 %: the interval of one group is far wider than that of the ratio, where the meter cancels."""
    comparison = compare(campaign, "rsa", "all")
    group, pair = comparison.groups[0].efficiency, comparison.pairs[0]
    limit = 0.0094 * math.sqrt(3)
    assert 2 * 0.95 * limit < (group.high - group.low) / group.value < 2 * 1.1 * limit
    curve = 0.2 * limit / math.sqrt(3) * math.sqrt(2)
    assert 2 * 1.9 * curve < 2 * pair.ratio.U95 / pair.ratio.value < 2 * 2.2 * curve


def test_pair_in_words(campaign):
    comparison = compare(campaign, "rsa", "all")
    pair = comparison.pairs[0]
    assert pair.ratio.value == pytest.approx(240.2 / 252.2, rel=1e-3)
    assert pair.ratio.low < 240.2 / 252.2 < pair.ratio.high
    assert pair.significant is True
    assert pair.verdict.startswith("“4 FB-DIMMs” does 4.8 % less work per joule than “2 FB-DIMMs” (95 % interval 4.")
    assert comparison.statement.startswith(
        "“2 FB-DIMMs” does the most work per joule of 3 configurations; the next, “4 FB-DIMMs”"
    )


def test_tie_in_words(campaign):
    comparison = compare(campaign, "rsa", "all", baseline="s1/fbdimm-4")
    pair = next(p for p in comparison.pairs if p.key == "s1/fbdimm-5")
    assert pair.significant is False
    assert pair.verdict == f"“5 FB-DIMMs” and “4 FB-DIMMs” are equal within 2 % in work per joule; {ONE_INSTALLATION}."


def test_wide_tie_says_how_many_repeats_would_help(measure):
    results = [
        measure(f"{dimms}-{k}", watts=base, dimms=dimms)
        for dimms, series in {2: (240, 252, 246), 4: (243, 255, 249)}.items()
        for k, base in enumerate(series)
    ]
    pair = compare(results, "rsa", "all").pairs[0]
    assert pair.significant is False
    assert "are not distinguishable: " in pair.verdict
    assert re.search(r": about \d+ more repeats of each would resolve 2 %; ", pair.verdict)
    assert pair.verdict.endswith(f"; {ONE_INSTALLATION}.")
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
    assert "repeats cannot resolve 2 %, because the uncertainty of the meters is larger" in verdict


def test_failed_runs_are_excluded_and_unsteady_ones_of_full_load_power(campaign, measure):
    extra = [
        measure("2-x", watts=200, dimms=2, ramp=-30.0),
        measure("2-y", watts=200, dimms=2, status=RunStatus.FAILED, reason="openssl ended with 1."),
    ]
    by = yardstick("power")
    with_extra, without = (compare(runs, "rsa", "all", by=by) for runs in ([*campaign, *extra], campaign))
    assert with_extra.groups[0].power_w == without.groups[0].power_w
    assert with_extra.groups[0].n == 3
    assert any(
        remark.startswith("1 of 5 runs excluded of full-load power: unsteady (rule")
        for remark in with_extra.groups[0].remarks
    )
    assert "1 of 5 runs excluded: failed." in with_extra.groups[0].remarks


def test_only_unsteady_runs_are_never_ranked_by_full_load_power(campaign, measure):
    runs = [*campaign, measure("8-0", watts=100, dimms=8, ramp=-30.0)]
    comparison = compare(runs, "rsa", "all", by=yardstick("power"))
    group = comparison.groups[-1]
    assert group.power_w is group.rank_low is group.rank_high is None
    assert group.not_ranked.keys() == {"power"}
    assert group.not_ranked["power"].startswith("unsteady (rule")
    assert "8 FB-DIMMs" not in comparison.statement
    assert all(p.key != group.key for p in comparison.pairs)


def test_single_runs_are_not_tested(measure):
    comparison = compare([measure("a", dimms=2), measure("b", watts=270, dimms=4)], "rsa", "all")
    assert [g.rank_low for g in comparison.groups] == [None, None]
    (pair,) = comparison.pairs
    assert pair.significant is pair.p_adjusted is None
    assert "not tested: with a single run" in pair.verdict
    assert "no difference can be tested" in comparison.statement


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
    comparison = compare(results, "rsa", "all")
    assert comparison.pairs[0].significant is True
    assert any("only the scatter between runs" in r for r in comparison.groups[0].remarks)


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
    assert "meters differ and their uncertainty is not known" in pair.verdict
