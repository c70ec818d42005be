"""The hour of `python -m tests.attack.power_daemon`, shortened to half a minute."""

from __future__ import annotations

from tests.attack.power_daemon import measure


def test_samples_come_each_second_and_all_counts_agree() -> None:
    outcome = measure(30)
    assert (outcome.missed, outcome.failed) == (0, 0)
    assert abs(outcome.samples - outcome.expected) <= 1
    assert outcome.counters_agree
    assert outcome.log_agrees
    # 29 spacings: the first two find the phase of the meter, and a busy machine may disturb one more.
    assert outcome.p50_s <= 0.005
