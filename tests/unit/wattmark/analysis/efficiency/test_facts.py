"""Facts for verdict rules: from an analysed run, from samples, from meters and machine."""

import math

import pytest
from wattmark.analysis.efficiency.facts import (
    combined_meter_limit_pct,
    machine_share_facts,
    run_facts,
    sample_limits_pct,
    shortfall_to_ranging_pct,
    uncertainty_facts,
)
from wattmark.analysis.efficiency.run import RunAnalysis, analyse_run
from wattmark.analysis.energy.trace import Instrument
from wattmark.analysis.refusal import Refused
from wattmark.analysis.rules import SPEC_CPU, WATTMARK
from wattmark.analysis.rules.rule_set import judge
from wattmark_calibration import Specification


def test_a_steady_run_leaves_only_what_the_run_cannot_know(make_run):
    facts = run_facts(analyse_run(make_run()))
    assert facts["window_s"] == 100
    assert facts["same_run"] == 1
    judgement = judge(WATTMARK, facts)
    assert {j.verdict.rule for j in judgement.missing} == {"repeats", "traceable"}
    assert judge(WATTMARK, facts | {"repeats": 5, "traceable": 1}).met is True


def test_a_run_without_analysis_knows_nothing():
    assert run_facts(RunAnalysis()) == {}


def test_no_throughput_is_not_the_same_run(make_run, make_marks):
    facts = run_facts(analyse_run(make_run(marks=make_marks(0, 100))))
    assert "same_run" not in facts
    assert "window_s" in facts


def test_limits_per_sample_of_a_yokogawa():
    """WT310E on 300 V x 2 A: 0.1 % of reading + 0.05 % of range, 245 W: 0.545 W (IM WT310E-02EN)."""
    spec = Specification(reading_pct=0.1, range_pct=0.05)
    assert sample_limits_pct(Instrument("wt", specification=spec, range_w=600.0), [245.0])[0] == pytest.approx(
        54.5 / 245
    )
    assert math.isnan(sample_limits_pct(Instrument("wt", specification=spec), [245.0])[0])
    assert math.isnan(sample_limits_pct(Instrument("bmc"), [245.0])[0])


def test_a_published_run_that_would_fail_the_gate():
    """A public run with 90.7 % of its samples above 1 %."""
    facts = uncertainty_facts([1.2] * 907 + [0.8] * 93)
    assert facts["above_uncertainty_limit_pct"] == pytest.approx(90.7)
    assert facts["average_uncertainty_pct"] == pytest.approx(1.1628)
    assert judge(SPEC_CPU, facts | {"bad_samples_pct": 0.0}).met is False


def test_auto_range_leaves_uncertainty_unknown():
    facts = uncertainty_facts([math.nan] * 759)
    assert facts == {"unknown_uncertainty_pct": 100.0, "above_uncertainty_limit_pct": 0.0}
    assert judge(SPEC_CPU, facts | {"bad_samples_pct": 0.0}).met is False


@pytest.mark.parametrize("limits", [[], [-1.0], [math.inf]])
def test_limits_that_are_none(limits):
    with pytest.raises(Refused):
        uncertainty_facts(limits)


def test_three_per_cent_meters_of_equal_share():
    """EEHPCWG: nine meters of 3 % meet level 3, three meet level 2."""
    assert combined_meter_limit_pct([3.0] * 9) == pytest.approx(1.0)
    assert combined_meter_limit_pct([3.0] * 3) == pytest.approx(math.sqrt(3))
    with pytest.raises(Refused):
        combined_meter_limit_pct([])


def test_power_above_ranging_is_no_shortfall():
    assert shortfall_to_ranging_pct(94.0, 100.0) == pytest.approx(6.0)
    assert shortfall_to_ranging_pct(150.0, 100.0) == 0


@pytest.mark.parametrize(
    ("part_w", "whole_w", "part", "whole", "shares"),
    [
        (300, 300, 1, 1, (1, 1, 1)),
        (40e3, 4e6, 10, 1000, (1, 0, 0)),
        (39e3, 4e6, 10, 1000, (0, 0, 0)),
        (5e3, 50e3, 15, 150, (1, 0, 0)),
        (5e3, 50e3, 14, 140, (0, 0, 0)),
        (1.9e3, 10e3, 20, 100, (0, 0, 0)),
        (12.5e3, 100e3, 20, 160, (1, 1, 0)),
        (12.4e3, 100e3, 20, 161, (1, 0, 0)),
    ],
)
def test_machine_share(part_w, whole_w, part, whole, shares):
    facts = machine_share_facts(part_w, whole_w, part, whole)
    assert tuple(facts.values()) == shares


def test_more_than_the_machine():
    with pytest.raises(Refused) as refusal:
        machine_share_facts(10, 10, 2, 1)
    assert refusal.value.reason == "more-than-all"
