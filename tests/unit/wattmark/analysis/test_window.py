"""The window is chosen from the workload's marks alone."""

import pytest
from wattmark.analysis.refusal import Refused
from wattmark.analysis.window import COMPLETE, MLPERF, RULES, choose_window


def test_every_rule_names_its_source():
    assert set(RULES) == {"complete", "mlperf"}
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
    with pytest.raises(Refused, match="never marked"):
        choose_window(COMPLETE, make_marks())


@pytest.mark.parametrize(("begin", "end"), [(5.0, 5.0), (6.0, 5.0)])
def test_empty_window(make_marks, begin, end):
    with pytest.raises(Refused, match="empty"):
        choose_window(COMPLETE, make_marks(begin, end))
