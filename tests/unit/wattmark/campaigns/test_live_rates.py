"""The throughput of a run under way, over time."""

from __future__ import annotations

import pytest
from wattmark.campaigns.watch.live_feed import MOST_RATES, rates
from wattmark.runs.record import ThroughputInterval
from wattmark.workloads.marks import Mark
from wattmark.workloads.parsers.work import Work

SECOND_NS = 10**9


def work_of(amounts: list[float]) -> Work:
    intervals = tuple(
        ThroughputInterval(begin_ns=at * SECOND_NS, end_ns=(at + 1) * SECOND_NS, amount=amount)
        for at, amount in enumerate(amounts)
    )
    mark = Mark(utc_ns=0, monotonic_ns=0)
    return Work(begin=mark, end=mark, intervals=intervals)


def test_each_interval_has_its_rate() -> None:
    assert [(rate.begin_s, rate.end_s, rate.rate) for rate in rates(work_of([3, 5]))] == [(0, 1, 3), (1, 2, 5)]
    assert rates(work_of([])) == []


def test_neighbours_of_a_long_window_are_joined_and_no_work_is_lost() -> None:
    joined = rates(work_of([2.0, 4.0] * MOST_RATES))
    assert len(joined) == MOST_RATES
    assert sum(rate.rate * (rate.end_s - rate.begin_s) for rate in joined) == pytest.approx(6 * MOST_RATES)
    assert {rate.rate for rate in joined} == {3.0}
