from __future__ import annotations

import pytest
from wattmark.workloads.marks import Mark
from wattmark.workloads.parsers.work import MarkedWork, interval, join


def test_durations_come_from_the_monotonic_clock_and_a_set_clock_shows() -> None:
    begin, end = Mark(1_000_000_000, 5_000_000_000), Mark(3_500_000_000, 7_000_000_000)
    assert end.since(begin) == 2.0
    assert end.clock_step_s(begin) == pytest.approx(0.5)


def test_joined_slices_keep_the_gap_in_the_window() -> None:
    marks = [Mark(s * 10**9, s * 10**9) for s in (0, 5, 6, 11)]
    parts = [
        MarkedWork(marks[0], marks[1], (interval(marks[0], marks[1], 50),), edge_s=0.1),
        MarkedWork(marks[2], marks[3], (interval(marks[2], marks[3], 70),), edge_s=0.3),
    ]
    work = join(parts)
    assert (work.begin, work.end, work.duration_s) == (marks[0], marks[3], 11.0)
    assert work.gap_s == pytest.approx(1.0)
    assert [item.amount for item in work.intervals] == [50, 70]
    assert work.edge_s == 0.3
