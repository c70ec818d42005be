"""The window is chosen from the workload's marks alone."""

from typing import get_args

import pytest
from wattmark.analysis.efficiency.rule_name import RuleName
from wattmark.analysis.efficiency.window import (
    COMPLETE,
    EEHPC_L3,
    MLPERF,
    RULES,
    SPECPOWER,
    choose_window,
    window_length,
)
from wattmark.analysis.refusal import Refused


def test_every_rule_names_its_source():
    assert set(RULES) == set(get_args(RuleName))
    assert all(rule.source and rule.title for rule in RULES.values())


def test_marks_without_intervals(make_marks, begin_ns):
    window = choose_window(COMPLETE, make_marks(1.0, 61.0))
    assert (window.begin_ns - begin_ns, window.duration_s) == (1_000_000_000, 60.0)


def test_complete_cuts_to_whole_intervals(make_marks, begin_ns):
    marks = make_marks(1.0, 59.0, [(10 * i, 10 * i + 10, 5) for i in range(6)])
    window = choose_window(COMPLETE, marks)
    assert (window.begin_ns - begin_ns, window.duration_s) == (10_000_000_000, 40.0)


def test_mlperf_keeps_the_marks(make_marks):
    marks = make_marks(1.0, 59.0, [(10 * i, 10 * i + 10, 5) for i in range(6)])
    assert choose_window(MLPERF, marks).duration_s == 58.0


def test_intervals_stand_in_for_missing_marks(make_marks):
    assert choose_window(COMPLETE, make_marks(None, None, [(0, 10, 1), (10, 20, 1)])).duration_s == 20.0


def test_marks_without_a_whole_interval_stay(make_marks):
    assert choose_window(COMPLETE, make_marks(2.0, 8.0, [(0, 10, 5)])).duration_s == 6.0


def test_no_marks_no_window(make_marks):
    with pytest.raises(Refused, match="did not mark"):
        choose_window(COMPLETE, make_marks())


@pytest.mark.parametrize(("begin", "end"), [(5.0, 5.0), (6.0, 5.0)])
def test_empty_window(make_marks, begin, end):
    with pytest.raises(Refused, match="empty"):
        choose_window(COMPLETE, make_marks(begin, end))


@pytest.mark.parametrize("name", ["eehpc-l1", "eehpc-l2", "eehpc-l3", "specpower"])
def test_rules_of_others_take_the_whole_core_phase(make_marks, name):
    marks = make_marks(1.0, 59.0, [(10 * i, 10 * i + 10, 5) for i in range(6)])
    assert choose_window(RULES[name], marks).duration_s == 58.0


def test_only_level_3_integrates():
    """EEHPCWG, aspect 1: levels 1 and 2 average readings, level 3 integrates energy continuously."""
    assert [RULES[f"eehpc-l{level}"].plain_mean for level in (1, 2, 3)] == [True, True, False]


@pytest.mark.parametrize(
    ("rule", "seconds", "outcome"),
    [(EEHPC_L3, 59.0, "fail"), (EEHPC_L3, 60.0, "pass"), (SPECPOWER, 239.0, "fail"), (SPECPOWER, 240.0, "pass")],
)
def test_a_window_too_short_for_its_rule_fails(make_window, rule, seconds, outcome):
    verdict = window_length(make_window(seconds, rule))
    assert (verdict.value, verdict.limit, verdict.outcome) == (seconds, rule.shortest_s, outcome)


def test_complete_names_no_shortest_length(make_window):
    verdict = window_length(make_window(1.0))
    assert (verdict.outcome, verdict.text) == (
        "not-checked",
        "The rule complete for the window names no shortest length.",
    )
