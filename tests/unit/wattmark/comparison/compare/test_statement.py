"""The headline speaks of a pair of the table in its direction, and counts what cannot be ranked."""

import re

import pytest
from wattmark.analysis.verdict import Verdict
from wattmark.comparison.compare.compare import compare
from wattmark.comparison.compare.yardstick import yardstick
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


def test_where_nobody_chose_the_next_is_held_against_the_best(campaign):
    """240.2 W against 252.2 W with the same work: 4.76 % less, and that is what the table says too."""
    comparison = compare(campaign, "rsa", "all")
    assert comparison.statement.startswith(
        "“2 FB-DIMMs” does the most work per joule of 3 configurations; the next, “4 FB-DIMMs”, does 4.8 % less "
        "than “2 FB-DIMMs” (95 % interval "
    )
    pair = next(p for p in comparison.pairs if p.key == "s1/fbdimm-4")
    assert said(comparison.statement) == pytest.approx(100 * (pair.ratio.value - 1), abs=0.06)


def test_another_baseline_than_the_next_has_a_sentence_of_its_own(campaign):
    """252.3 W against 240.2 W with the same work: 5.04 % more."""
    statement = compare(campaign, "rsa", "all", "s1/fbdimm-5").statement
    head, _, rest = statement.partition("). ")
    assert "; the next, “4 FB-DIMMs”, does 4.8 % less than “2 FB-DIMMs” (95 % interval " in head
    assert " % more than the baseline “5 FB-DIMMs” (95 % interval " in rest
    assert said(rest) == pytest.approx(100 * (252.3 / 240.2 - 1), abs=0.1)


def test_those_that_share_the_first_place_are_held_against_the_next(measure):
    """Two that no test tells apart, and a third that draws a tenth more: 240/264 is 9.1 % less work per joule."""
    watts = {2: (239.0, 240.0, 241.0), 4: (240.0, 241.0, 239.0), 8: (263.0, 264.0, 265.0)}
    results = [
        measure(f"{d}-{k}", watts=w, dimms=d) for k in range(3) for d, w in ((d, of[k]) for d, of in watts.items())
    ]
    comparison = compare(results, "rsa", "all")
    assert set(comparison.first_place) == {"s1/fbdimm-2", "s1/fbdimm-4"}
    assert "share the first place in work per joule; the next, “8 FB-DIMMs”, does 9.1 % less than “" in (
        comparison.statement
    )
    assert comparison.baseline == comparison.best == comparison.first_place[0]


def test_the_next_is_named_as_such_where_one_before_it_cannot_be_tested(campaign, measure):
    comparison = compare([*campaign, measure("8-0", watts=245.0, dimms=8)], "rsa", "all")
    assert "; the next that can be tested, “4 FB-DIMMs”, does " in comparison.statement
    assert comparison.first_place == ["s1/fbdimm-2"]


def test_the_best_is_the_baseline_whatever_its_name(measure):
    """By name "2 FB-DIMMs" comes first; 8 modules draw least here."""
    watts = {2: 270.0, 4: 260.0, 8: 240.0}
    results = [measure(f"{d}-{k}", watts=w + 0.2 * k, dimms=d) for k in range(3) for d, w in watts.items()]
    for by in (yardstick("efficiency"), yardstick("power")):
        comparison = compare(results, "rsa", "all", by=by)
        assert (comparison.baseline, comparison.best, comparison.against_best) == ("s1/fbdimm-8", "s1/fbdimm-8", [])
        assert comparison.first_place == ["s1/fbdimm-8"]


def test_an_explicit_baseline_wins_and_the_distance_to_the_best_stands_beside(campaign):
    comparison = compare(campaign, "rsa", "all", "s1/fbdimm-5")
    assert (comparison.baseline, comparison.best) == ("s1/fbdimm-5", "s1/fbdimm-2")
    ratios = {pair.key: pair.ratio.value for pair in comparison.against_best}
    assert ratios == pytest.approx({"s1/fbdimm-4": 240.2 / 252.2, "s1/fbdimm-5": 240.2 / 252.3}, rel=1e-3)
    assert {pair.baseline for pair in comparison.against_best} == {"s1/fbdimm-2"}


def test_simulated_servers_are_no_first_place_beside_measured_ones(campaign, measure, meter):
    model = [
        measure(f"m{d}-{k}", watts=w + 0.2 * k, dimms=d, server="model", meters=(meter(simulated=True),))
        for k in range(3)
        for d, w in ((2, 100.0), (4, 120.0))
    ]
    comparison = compare([*campaign, *model], "rsa", "all")
    assert comparison.baseline == "s1/fbdimm-2"
    assert comparison.first_place == ["s1/fbdimm-2"]


def test_every_pair_of_many_is_described_where_it_is_asked_for(measure):
    """Nine configurations are too many for a list; of three of them there are three pairs."""
    results = [measure(f"{d}-{k}", watts=230 + 3.0 * d + 0.2 * k, dimms=d) for k in range(3) for d in range(1, 10)]
    assert compare(results, "rsa", "all").other_pairs == []
    keys = ["s1/fbdimm-3", "s1/fbdimm-5", "s1/fbdimm-7"]
    asked = compare(results, "rsa", "all", keys[0], described=keys)
    assert [(p.key, p.baseline) for p in asked.other_pairs] == [("s1/fbdimm-7", "s1/fbdimm-5")]


def test_what_cannot_be_ranked_is_counted_with_its_reasons(campaign, measure):
    spoilt = measure("8-0", dimms=8)
    failed = measure("9-0", dimms=9, status=RunStatus.FAILED, reason="openssl ended with 1.")
    more = [spoilt.model_copy(update={"verdicts": (*spoilt.verdicts, DISTURBED)}), failed]
    only = [r for r in campaign if r.dimm_count == 2]
    comparison = compare([*only, *more], "rsa", "all")
    assert comparison.statement == (
        "3 configurations; only “2 FB-DIMMs” can be ranked; the others: disturbed by other programs (1), failed (1)."
    )
    assert " 5 configurations; 3 can be ranked; the others: " in compare([*campaign, *more], "rsa", "all").statement
    nothing = compare(more, "rsa", "all").statement
    assert nothing == "2 configurations; none can be ranked: disturbed by other programs (1), failed (1)."


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


def test_measured_goes_before_simulated_whatever_can_be_tested(measure, meter):
    """One measured configuration, which nothing can be tested against, and two simulated ones, which are ranked."""
    model = [
        measure(f"m{d}-{k}", watts=w + 0.2 * k, dimms=d, server="model", meters=(meter(simulated=True),))
        for k in range(3)
        for d, w in ((2, 100.0), (4, 120.0))
    ]
    own = [measure(f"8-{k}", watts=240.0 + 0.2 * k, dimms=8) for k in range(3)]
    comparison = compare([*own, *model], "rsa", "all")
    assert (comparison.best, comparison.baseline) == ("s1/fbdimm-8", "s1/fbdimm-8")


def test_one_best_stands_on_a_page_where_a_single_run_shows_more(measure):
    """The same work at 200 W (one run), 240.2 W and 266.9 W: 240.2/266.9 is 10.0 % less work per joule."""
    three = [measure(f"{d}-{k}", watts=w + 0.2 * k, dimms=d) for k in range(3) for d, w in ((4, 240.0), (8, 266.7))]
    comparison = compare([*three, measure("2-0", watts=200.0, dimms=2)], "rsa", "all")
    assert comparison.best == comparison.baseline == "s1/fbdimm-4"
    assert comparison.first_place == ["s1/fbdimm-4"]
    head = "“4 FB-DIMMs” does the most work per joule of the 2 configurations that can be tested; the next, "
    assert comparison.statement.startswith(f"{head}“8 FB-DIMMs”, does ")
    assert said(comparison.statement) == pytest.approx(-10.0, abs=0.1)
    assert "). “2 FB-DIMMs” shows more work per joule, but cannot be tested. " in comparison.statement
    two = [measure(f"2-{k}", watts=200.0, dimms=2) for k in range(2)]
    by_power = compare([*three, *two], "rsa", "all", by=yardstick("power"))
    assert by_power.best == "s1/fbdimm-4"
    assert "“2 FB-DIMMs” shows less power, but cannot be tested." in by_power.statement


def test_one_that_differs_but_lies_above_one_that_ties_is_between_them(measure):
    """240 W against 252 W is 4.8 % less work per joule, and precise; 262 W with 15 W of scatter ties with 240 W."""
    watts = {2: (239.9, 240.0, 240.1), 4: (251.9, 252.0, 252.1), 8: (247.0, 262.0, 277.0)}
    results = [measure(f"{d}-{k}", watts=of[k], dimms=d) for k in range(3) for d, of in watts.items()]
    comparison = compare(results, "rsa", "all")
    assert comparison.first_place == ["s1/fbdimm-2", "s1/fbdimm-8"]
    head = "“2 FB-DIMMs” and “8 FB-DIMMs” share the first place in work per joule; “4 FB-DIMMs”, between them, does "
    assert comparison.statement.startswith(head)
    assert said(comparison.statement) == pytest.approx(-4.76, abs=0.1)


def test_of_three_the_choice_of_the_best_is_said_and_of_two_there_is_none(campaign):
    text = "The tests allow for the choice of the best of several; the intervals of ratios to it do not."
    assert text in compare(campaign, "rsa", "all").statement
    assert text not in compare([r for r in campaign if r.dimm_count != 5], "rsa", "all").statement
