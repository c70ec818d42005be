"""The throughput of a run under way, over time."""

from __future__ import annotations

import pytest
from wattmark.campaigns.watch.live_feed import MOST_RATES, rates
from wattmark.runs.record import ThroughputInterval

SECOND_NS = 10**9


def counted(amounts: list[float]) -> list[ThroughputInterval]:
    return [
        ThroughputInterval(begin_ns=at * SECOND_NS, end_ns=(at + 1) * SECOND_NS, amount=amount)
        for at, amount in enumerate(amounts)
    ]


def test_each_interval_has_its_rate() -> None:
    assert [(rate.begin_s, rate.end_s, rate.rate) for rate in rates(counted([3, 5]))] == [(0, 1, 3), (1, 2, 5)]
    assert rates(counted([])) == []


def test_neighbours_of_a_long_window_are_joined_and_no_work_is_lost() -> None:
    joined = rates(counted([2.0, 4.0] * MOST_RATES))
    assert len(joined) == MOST_RATES
    assert sum(rate.rate * (rate.end_s - rate.begin_s) for rate in joined) == pytest.approx(6 * MOST_RATES)
    assert {rate.rate for rate in joined} == {3.0}
