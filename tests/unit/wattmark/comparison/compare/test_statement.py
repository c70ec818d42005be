"""The headline speaks of a pair of the table in its direction, and counts what cannot be ranked."""

import re

import pytest
from wattmark.analysis.verdict import Verdict
from wattmark.comparison.compare.compare import compare
from wattmark.core.errors import InputError
from wattmark.runs.record import RunStatus

DISTURBED = Verdict(rule="undisturbed", value=40.0, limit=5.0, unit="%", outcome="fail", text="Other programs ...")


def said(text: str) -> float:
    """Read the first percentage of a sentence [%]."""
    match = re.search(r"(\d+\.\d+) % (more|less)", text)
    assert match, text
    return float(match[1]) * (1 if match[2] == "more" else -1)


@pytest.mark.parametrize("baseline", ["s1/fbdimm-2", "s1/fbdimm-8"])
def test_the_headline_and_the_row_of_two_say_the_same(measure, baseline):
    watts = {2: 240.0, 8: 270.0}
    results = [measure(f"{d}-{k}", watts=w + 0.2 * k, dimms=d) for d, w in watts.items() for k in range(3)]
    comparison = compare(results, "rsa", "all", baseline)
    (pair,) = comparison.pairs
    assert comparison.statement.startswith(pair.verdict.partition(" (")[0])
    assert said(comparison.statement) == pytest.approx(100 * (pair.ratio.value - 1), abs=0.06)


def test_of_many_the_best_is_held_against_the_baseline(campaign):
    comparison = compare(campaign, "rsa", "all", "s1/fbdimm-4")
    assert comparison.statement.startswith("“2 FB-DIMMs” does the most work per joule of 3 configurations, ")
    assert "more than the baseline “4 FB-DIMMs”" in comparison.statement
    pair = next(p for p in comparison.pairs if p.key == "s1/fbdimm-2")
    assert said(comparison.statement) == pytest.approx(100 * (pair.ratio.value - 1), abs=0.06)


def test_where_the_baseline_is_best_the_last_is_held_against_it(campaign):
    comparison = compare(campaign, "rsa", "all", "s1/fbdimm-2")
    assert "; “5 FB-DIMMs” does " in comparison.statement
    pair = next(p for p in comparison.pairs if p.key == "s1/fbdimm-5")
    assert said(comparison.statement) == pytest.approx(100 * (pair.ratio.value - 1), abs=0.06)


def test_what_cannot_be_ranked_is_counted_with_its_reasons(campaign, measure):
    spoilt = measure("8-0", dimms=8)
    failed = measure("9-0", dimms=9, status=RunStatus.FAILED, reason="openssl ended with 1.")
    more = [spoilt.model_copy(update={"verdicts": (*spoilt.verdicts, DISTURBED)}), failed]
    only = [r for r in campaign if r.dimm_count == 2]
    comparison = compare([*only, *more], "rsa", "all")
    assert comparison.statement == (
        "3 configurations; only “2 FB-DIMMs” can be ranked: 1 disturbed by other programs, 1 failed."
    )
    assert " 5 configurations; 3 can be ranked: " in compare([*campaign, *more], "rsa", "all").statement
    nothing = compare(more, "rsa", "all").statement
    assert nothing == "2 configurations; none can be ranked: 1 disturbed by other programs, 1 failed."


def test_what_is_not_ranked_is_shown_with_its_value_and_reason(measure, meter):
    spoilt = [measure(f"8-{k}", watts=300.0, work=6000, dimms=8) for k in range(2)]
    bare = measure("2-0", meters=(meter(reading_pct=None, range_pct=None, fixed_w=None),), dimms=2)
    disturbed = [r.model_copy(update={"verdicts": (*r.verdicts, DISTURBED)}) for r in spoilt]
    without, barred = compare([*disturbed, bare], "rsa", "all").groups
    assert without.efficiency is barred.efficiency is None
    assert without.unranked["efficiency"].why == "no ±"
    shown = barred.unranked
    assert shown.keys() == {"throughput", "efficiency", "power"}
    assert shown["efficiency"].value == pytest.approx(6000 / 300, rel=0.01)
    assert shown["power"].value == pytest.approx(300, rel=0.01)
    assert (shown["power"].n, shown["power"].why) == (2, "disturbed by other programs (rule undisturbed)")
    assert compare([*disturbed, bare], "rsa", "all").pairs == []


def test_every_pair_of_few_is_put_into_words(campaign):
    comparison = compare(campaign, "rsa", "all", "s1/fbdimm-2")
    assert [(p.key, p.baseline) for p in comparison.other_pairs] == [("s1/fbdimm-5", "s1/fbdimm-4")]
    assert "equal within 2 %" in comparison.other_pairs[0].verdict


def test_differences_that_cannot_be_tested_are_counted_after_the_answer(campaign, measure):
    comparison = compare([*campaign, measure("8-0", watts=300.0, dimms=8)], "rsa", "all", "s1/fbdimm-4")
    assert comparison.statement.startswith("“2 FB-DIMMs” does the most work per joule of 4 configurations, ")
    assert " 1 of 3 differences cannot be tested. " in comparison.statement


def test_a_baseline_that_does_not_exist_is_answered_with_those_that_do(campaign):
    with pytest.raises(InputError) as refused:
        compare(campaign, "rsa", "all", "foo")
    assert refused.value.remedy == "Choose the baseline among: s1/fbdimm-2, s1/fbdimm-4, s1/fbdimm-5."
    with pytest.raises(InputError) as close:
        compare(campaign, "rsa", "all", "s1/fbdim-4")
    assert close.value.remedy.startswith("Choose the baseline among: s1/fbdimm-4")
