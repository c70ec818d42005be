"""Rule sets: gates and levels with every rule at its limit, own rules, what is not known, refusals."""

import math

import pytest
from wattmark.analysis.refusal import Refused
from wattmark.analysis.rules import EEHPC_LEVELS, MLPERF_POWER, RULE_SETS, SPEC_CPU, SPEC_POWER, WATTMARK
from wattmark.analysis.rules.quantities import QUANTITIES
from wattmark.analysis.rules.rule_set import Rule, RuleSet, judge, level, required

SPEC_CPU_AT_LIMIT = {
    "average_uncertainty_pct": 1.0,
    "unknown_uncertainty_pct": 1.0,
    "above_uncertainty_limit_pct": 5.0,
    "bad_samples_pct": 5.0,
}
L1 = {
    "internal_rate_hz": 1.0,
    "core_phase_s": 60.0,
    "core_phase_covered_pct": 100.0,
    "reading_share_of_core_pct": 10.0,
    "same_run": 1,
    "core_mean_reported": 1,
    "machine_share_l1": 1,
    "subsystems_l1": 1,
    "upstream": 1,
    "meter_limit_pct": 5.0,
}
L2 = L1 | {
    "full_run_covered_pct": 100.0,
    "idle_reported": 1,
    "run_mean_reported": 1,
    "core_means": 10,
    "machine_share_l2": 1,
    "subsystems_l2": 1,
    "meter_limit_pct": 2.0,
}
L3 = L2 | {
    "energy_integrated": 1,
    "core_energy_readings": 10,
    "energy_edge_s": 5.0,
    "whole_machine": 1,
    "subsystems_l3": 1,
    "meter_limit_pct": 1.0,
}
MLPERF = {
    "accepted_analyzer": 1,
    "above_uncertainty_limit_pct": 0.0,
    "clock_difference_ms": 400.0,
    "phase_difference_ms": 800.0,
    "testing_below_ranging_pct": 5.0,
    "settle_s": 10.0,
    "sample_interval_s": 1.0,
    "fixed_voltage_range": 1,
    "fixed_current_range": 1,
    "same_run": 1,
    "whole_system_at_wall": 1,
}
SPECPOWER = {
    "average_uncertainty_pct": 1.0,
    "crest_factor": 3.0,
    "calibration_age_d": 365,
    "traceable": 1,
    "sample_interval_s": 1.0,
    "fixed_voltage_range": 1,
    "fixed_current_range": 1,
    "window_s": 240.0,
    "load_levels": 11,
    "target_load_error_pct": 2.0,
    "ambient_min_c": 20.0,
}
WATTMARKS = {
    "same_run": 1,
    "window_s": 60.0,
    "gaps_pct": 1.0,
    "bad_samples_pct": 5.0,
    "n_eff": 10.0,
    "drift_pct": -1.0,
    "half_split_pct": 1.0,
    "block_cv_pct": 1.0,
    "change_point_pct": 2.0,
    "repeats": 3,
    "traceable": 1,
}
AT_LIMIT = [
    (SPEC_CPU, SPEC_CPU_AT_LIMIT),
    (SPEC_POWER, SPECPOWER),
    (MLPERF_POWER, MLPERF),
    (WATTMARK, WATTMARKS),
    *zip(EEHPC_LEVELS, (L1, L2, L3), strict=True),
]
EACH = [(rules, facts, rule) for rules, facts in AT_LIMIT for rule in rules.rules]


def worse(rule, value):
    """Move a value just past its limit."""
    step = 1 if rule.of.unit == "yes/no" else 1e-6
    return value + math.copysign(step, value) if rule.bound == "at most" else value - step


@pytest.mark.parametrize(("rules", "facts"), AT_LIMIT, ids=lambda x: getattr(x, "name", ""))
def test_a_run_at_every_limit_keeps_the_set(rules, facts):
    judgement = judge(rules, facts)
    assert judgement.met is True
    assert judgement.missing == ()
    assert all(
        j.rule.source and j.verdict.value is not None and j.verdict.limit is not None for j in judgement.judgements
    )


@pytest.mark.parametrize(("rules", "facts", "rule"), EACH, ids=lambda x: getattr(x, "quantity", getattr(x, "name", "")))
def test_each_rule_fails_just_past_its_limit_and_is_open_where_unknown(rules, facts, rule):
    past = judge(rules, {**facts, rule.quantity: worse(rule, facts[rule.quantity])})
    unknown = judge(rules, {name: value for name, value in facts.items() if name != rule.quantity})
    assert unknown.met is None
    assert [j.verdict.rule for j in unknown.missing] == [rule.quantity]
    assert not rule.otherwise or past.met is None
    assert rule.otherwise or (past.met is False and [j.rule for j in past.missing] == [rule])


@pytest.mark.parametrize(
    ("facts", "met", "next_one", "missing"),
    [
        (L1 | {"meter_limit_pct": 5.1}, None, "eehpc-l1", {"meter_limit_pct"}),
        (L1, "eehpc-l1", "eehpc-l2", set(L2) - set(L1) | {"meter_limit_pct"}),
        (L2, "eehpc-l2", "eehpc-l3", set(L3) - set(L2) | {"meter_limit_pct"}),
        (L3, "eehpc-l3", None, set()),
    ],
)
def test_which_level_and_what_is_missing_for_the_next(facts, met, next_one, missing):
    reached = level(EEHPC_LEVELS, facts)
    assert getattr(reached.met, "name", None) == met
    assert getattr(reached.next, "name", None) == next_one
    assert {j.verdict.rule for j in reached.missing} == missing


def test_the_level_in_words():
    text = level(EEHPC_LEVELS, L2 | {"meter_limit_pct": 1.0, **{k: L3[k] for k in L3 if k != "energy_edge_s"}}).text
    assert text.startswith(
        "This run meets EE HPC level 2. Missing for EE HPC level 3: largest distance of first and last"
    )
    assert "at most 5 s" in text
    assert level(EEHPC_LEVELS, L3).text == "This run meets EE HPC level 3, the highest there is."
    assert level(EEHPC_LEVELS, {}).text.startswith("This run meets no level. Missing for EE HPC level 1")


def test_a_rule_in_place_of_another():
    coarse = L3 | {"meter_limit_pct": 1.5}
    assert level(EEHPC_LEVELS, coarse | {"revenue_grade": 1}).met.name == "eehpc-l3"
    assert level(EEHPC_LEVELS, coarse | {"accepted_analyzer": 1, "revenue_grade": 0}).met.name == "eehpc-l3"
    assert judge(EEHPC_LEVELS[2], coarse | {"accepted_analyzer": 0, "revenue_grade": 0}).met is False
    assert judge(EEHPC_LEVELS[2], coarse | {"accepted_analyzer": 0}).met is None
    downstream = L1 | {"upstream": 0}
    assert judge(EEHPC_LEVELS[0], downstream | {"loss_from_vendor": 1}).met is True
    assert judge(EEHPC_LEVELS[0], downstream | {"loss_from_vendor": 0}).met is False


def test_failures_stand_before_what_is_unknown():
    judgement = judge(SPEC_CPU, {"bad_samples_pct": 6.2})
    assert judgement.met is False
    assert [j.verdict.outcome for j in judgement.missing] == ["fail", *["not-checked"] * 3]


def test_an_own_rule_set():
    own = RuleSet(
        "lab", "Our lab", (Rule("window_s", "at least", 600, "house rule 7"), required("traceable", "house rule 8"))
    )
    assert judge(own, {"window_s": 600, "traceable": 1}).met is True
    (short,) = judge(own, {"window_s": 599, "traceable": 1}).missing
    assert short.verdict.text == "Length of the window: 599 s, at least 600 s."
    assert short.rule.source == "house rule 7"


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (("moon_phase", "at most", 1.0, "me"), "unknown-quantity"),
        (("window_s", "at most", math.nan, "me"), "bad-limit"),
        (("window_s", "at most", -1.0, "me"), "bad-limit"),
        (("window_s", "equal", 1.0, "me"), "bad-bound"),
        (("window_s", "at most", 1.0, "  "), "no-source"),
    ],
)
def test_rules_that_could_never_be_judged(rule, reason):
    with pytest.raises(Refused) as refusal:
        Rule(*rule)
    assert refusal.value.reason == reason


@pytest.mark.parametrize(
    ("facts", "reason"),
    [
        ({"moon_phase": 1.0}, "unknown-quantity"),
        ({"window_s": math.nan}, "not-finite"),
        ({"traceable": 0.5}, "not-yes-or-no"),
    ],
)
def test_facts_that_are_none(facts, reason):
    with pytest.raises(Refused) as refusal:
        judge(SPEC_CPU, facts)
    assert refusal.value.reason == reason


def test_nothing_to_judge():
    with pytest.raises(Refused):
        judge(RuleSet("none", "None", ()), {})
    with pytest.raises(Refused):
        level((), {})


def test_names_are_unique_and_every_quantity_is_of_use():
    assert len(RULE_SETS) == 9
    used = {r.quantity for rule_set in RULE_SETS.values() for rule in rule_set.rules for r in (rule, *rule.otherwise)}
    assert used <= set(QUANTITIES)
    assert set(QUANTITIES) - used == {
        "expanded_uncertainty_pct",  # for a laboratory's own rules
        "current_ratio",  # sets the limit of another quantity
    }
