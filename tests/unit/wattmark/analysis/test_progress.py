"""Whether a load worked for as long as it was asked to, and stood still meanwhile."""

from __future__ import annotations

import numpy as np
import pytest
from wattmark.analysis.efficiency.window import COMPLETE, Marks, asked_length, choose_window, standstill
from wattmark.analysis.verdict import Limits


def marks_of(pauses_s, amounts=None) -> Marks:
    ends_ns = np.round(np.cumsum(pauses_s) * 1e9).astype(np.int64) + 10**18
    begins_ns = np.concatenate(([10**18], ends_ns[:-1]))
    amounts = np.ones(len(ends_ns)) if amounts is None else np.asarray(amounts, dtype=np.float64)
    return Marks(int(begins_ns[0]), int(ends_ns[-1]), begins_ns, ends_ns, amounts)


def judge(pauses_s, amounts=None):
    marks = marks_of(pauses_s, amounts)
    return standstill(marks, choose_window(COMPLETE, marks), Limits())


def judge_length(seen_s: float, asked_s: float | None):
    marks = marks_of([seen_s])
    return asked_length(choose_window(COMPLETE, marks), asked_s, Limits())


@pytest.mark.parametrize(
    ("seen_s", "asked_s", "limit_s", "outcome"),
    [
        (3.03, 5, 3.5, "fail"),
        (4.0, 5, 3.5, "pass"),
        (5.02, 5, 3.5, "pass"),
        (113.9, 120, 114, "fail"),
        (118.9, 120, 114, "pass"),
        (0.9, 1, 0, "pass"),
    ],
)
def test_a_window_shorter_than_asked_is_a_verdict_with_its_value(seen_s, asked_s, limit_s, outcome):
    verdict = judge_length(seen_s, asked_s)
    assert (verdict.rule, verdict.outcome, verdict.unit) == ("asked-length", outcome, "s")
    assert (verdict.value, verdict.limit) == pytest.approx((seen_s, limit_s))
    assert f"{seen_s:.4g} s long; the workload was asked for {asked_s} s" in verdict.text


def test_what_ends_when_its_work_is_done_was_asked_for_no_length():
    verdict = judge_length(3.0, None)
    assert (verdict.outcome, verdict.value) == ("not-checked", None)
    assert "how long the load was asked to work" in verdict.text


def test_a_load_stopped_for_ten_of_thirty_seconds_stood_still():
    """As the review did it: a report every 0.5 s, SIGSTOP after 10 s, SIGCONT after 20 s."""
    verdict = judge([0.5] * 20 + [10.5] + [0.5] * 19)
    assert (verdict.rule, verdict.outcome) == ("standstill", "fail")
    assert (verdict.value, verdict.limit) == pytest.approx((10.5, 2.5))
    assert verdict.text.startswith("The longest pause without reported work was 10.5 s in a window of 30 s")


def test_polls_that_count_nothing_are_a_standstill():
    verdict = judge([1.0] * 30, [5] * 10 + [0] * 9 + [5] * 11)
    assert (verdict.outcome, verdict.value) == ("fail", pytest.approx(10.0))


def test_a_standstill_at_either_end_of_the_window_counts():
    for amounts in ([0] * 11 + [5] * 19, [5] * 19 + [0] * 11):
        verdict = judge([1.0] * 30, amounts)
        assert verdict.outcome == "fail"
        assert verdict.value >= 11


def test_reports_at_an_even_pace_pass():
    verdict = judge([1.0] * 60)
    assert (verdict.outcome, verdict.value, verdict.limit) == ("pass", 1.0, 5.0)


def test_a_hiccup_of_a_busy_machine_is_no_standstill():
    verdict = judge([0.1] * 50 + [1.9] + [0.1] * 50)
    assert verdict.outcome == "pass"


def test_a_pause_that_belongs_to_the_load_is_no_standstill():
    """Batches: after every eight steps of 1 s one of 12 s."""
    verdict = judge(([1.0] * 8 + [12.0]) * 10)
    assert (verdict.outcome, verdict.value) == ("pass", 12.0)


@pytest.mark.parametrize("seed", range(40))
@pytest.mark.parametrize("kind", ["exponential pauses", "mostly empty polls", "log-normal pauses"])
def test_work_in_random_bursts_is_no_standstill(kind: str, seed: int):
    """Forty windows of each; the exponential pauses of random arrivals, and heavier ones."""
    rng = np.random.default_rng(seed)
    if kind == "exponential pauses":
        verdict = judge(rng.exponential(2.0, 150))
    elif kind == "log-normal pauses":
        verdict = judge(rng.lognormal(0.0, 0.6, 200))
    else:
        verdict = judge(np.ones(300), rng.poisson(0.5, 300))
    assert verdict.outcome == "pass", (verdict.value, verdict.limit)


@pytest.mark.parametrize("pauses_s", [[30.0], [5.0, 25.0]])
def test_a_load_that_counts_too_seldom_is_not_judged(pauses_s):
    verdict = judge(pauses_s)
    times = "once" if len(pauses_s) == 1 else "2 times"
    assert verdict.outcome == "not-checked"
    assert verdict.text == f"Work was reported {times} in the window, too seldom to tell a pause of the load."


def test_a_load_that_counted_nothing_says_so():
    assert judge([5.0, 25.0], [0, 0]).text == "No work was counted in the window."
