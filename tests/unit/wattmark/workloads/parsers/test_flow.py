"""How much output is read before a program is ended, and how its work is kept meanwhile."""

from __future__ import annotations

import tracemalloc
from collections.abc import Callable
from itertools import pairwise

import pytest
from wattmark.core.errors import WorkloadFailed
from wattmark.workloads.marks import Mark
from wattmark.workloads.parsers.bounds import BURST_S, BYTES_PER_S, FINEST_S, LINES_PER_S, MOST_ROWS
from wattmark.workloads.parsers.flow import OutputFlow
from wattmark.workloads.parsers.number_track import NumberTrack
from wattmark.workloads.parsers.parsers import Reports, ResponsePattern
from wattmark.workloads.parsers.response import ResponseTrack

from tests.stored_run import make_run

At = Callable[[float], Mark]
LINE = b"work 1\n"


def poured(per_s: float, seconds: float, piece: bytes = LINE, step_s: float = 0.01) -> OutputFlow:
    """A program that prints so many pieces a second, evenly."""
    flow = OutputFlow()
    for number in range(round(seconds / step_s)):
        flow.take(piece * round(per_s * step_s), round(number * step_s * 1e9))
    return flow


def test_a_busy_log_may_go_on_for_ever() -> None:
    poured(20_000, 120)


def test_a_whole_log_may_come_at_once_after_silence() -> None:
    flow = poured(1000, 5)
    flow.take(LINE * round(LINES_PER_S * BURST_S * 0.99), 100 * 10**9)


def test_a_flood_of_lines_ends_with_the_limit_and_the_remedy() -> None:
    with pytest.raises(WorkloadFailed, match=r"more than 25,000 lines per second for 0.[23] s") as failed:
        poured(500_000, 20)
    assert "report less often" in failed.value.remedy


def test_a_line_without_end_is_a_flood_of_bytes() -> None:
    with pytest.raises(WorkloadFailed, match=r"more than 8 MB per second"):
        poured(1000, 20, piece=b"x" * (BYTES_PER_S // 100))


def test_what_is_just_over_the_limit_ends_too_but_only_when_it_lasts() -> None:
    poured(LINES_PER_S * 1.2, 0.9 * BURST_S / 0.2)
    with pytest.raises(WorkloadFailed, match="lines per second"):
        poured(LINES_PER_S * 1.2, 1.1 * BURST_S / 0.2)


def reported(reports: Reports, numbers: list[tuple[float, float]], mark_at: At, seconds: float = 60.0) -> NumberTrack:
    track = NumberTrack(reports, started=mark_at(0), warm_up_s=0.0, seconds=seconds)
    for t_s, value in numbers:
        track.add(mark_at(t_s), value)
    return track


@pytest.mark.parametrize("reports", ["interval-amount", "interval-rate", "interval-total"])
def test_reports_finer_than_a_meter_are_added_up_without_losing_any(reports: Reports, mark_at: At) -> None:
    """50,000 reports in 10 s of a rate that rises: 0.2 ms apart, kept in steps of 20 ms."""
    t_s = [number * 2e-4 for number in range(50_001)]
    done = [100 * t + 3 * t * t for t in t_s]
    rate = [0.0, *((b - a) / 2e-4 for a, b in pairwise(done))]
    values = {"interval-total": done, "interval-rate": rate, "interval-amount": [r * 2e-4 for r in rate]}[reports]
    work = reported(reports, list(zip(t_s, values, strict=True)), mark_at).result(mark_at(11))
    assert len(work.intervals) == pytest.approx(10 / FINEST_S, abs=2)
    assert (work.begin, work.end) == (mark_at(0), mark_at(10))
    assert sum(item.amount for item in work.intervals) == pytest.approx(done[-1], rel=1e-9)
    assert all(
        before.end_ns == after.begin_ns for before, after in zip(work.intervals, work.intervals[1:], strict=False)
    )
    middle = next(item for item in work.intervals if item.begin_ns >= mark_at(5).utc_ns)
    assert middle.amount / ((middle.end_ns - middle.begin_ns) / 1e9) == pytest.approx(130, rel=0.01)


def test_reports_a_second_apart_stay_as_they_came(mark_at: At) -> None:
    work = reported("interval-amount", [(n, float(n)) for n in range(61)], mark_at).result(mark_at(61))
    assert [item.amount for item in work.intervals] == [float(n) for n in range(1, 61)]


@pytest.mark.parametrize(
    ("seconds", "every_s"), [(60, 1.0), (60, 0.01), (3600, 1.0), (6 * 3600, 1.0), (40_000, 1.0), (12 * 3600, 10.0)]
)
def test_reports_that_are_all_there_and_even_are_remarked_on_in_no_window(seconds, every_s, mark_at: At) -> None:
    track = NumberTrack("interval-amount", started=mark_at(0), warm_up_s=0.0, seconds=seconds)
    for number in range(round(seconds / every_s) + 1):
        track.add(mark_at(number * every_s), 1.0)
    assert track.result(mark_at(seconds)).remarks == ()


@pytest.mark.parametrize(("left_out", "twice", "said"), [((30,), (), "1 of"), ((), (30, 31), "2 of")])
def test_reports_that_are_missing_or_come_twice_are_remarked_on(left_out, twice, said, mark_at: At) -> None:
    track = NumberTrack("interval-amount", started=mark_at(0), warm_up_s=0.0, seconds=1800)
    for number in range(1801):
        for _ in range(number not in left_out) if number not in twice else range(2):
            track.add(mark_at(number), 1.0)
    (remark,) = track.result(mark_at(1800)).remarks
    assert remark.startswith(said)


def test_what_was_printed_in_one_piece_with_the_first_report_was_worked_before(mark_at: At) -> None:
    work = reported("interval-amount", [(1, 7.0), (1, 7.0), (1, 7.0), (2, 7.0), (3, 7.0)], mark_at).result(mark_at(4))
    assert [item.amount for item in work.intervals] == [7.0, 7.0]


def test_a_day_of_reports_takes_bounded_memory_and_a_record_of_bounded_size(mark_at: At) -> None:
    day_s, every_s = 86_400.0, 0.5
    tracemalloc.start()
    try:
        track = NumberTrack("interval-amount", started=mark_at(0), warm_up_s=0.0, seconds=day_s)
        for number in range(round(day_s / every_s) + 1):
            track.add(mark_at(number * every_s), 1.0)
        allocated, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert allocated < 2_000_000, "numbers, not objects"
    work = track.result(mark_at(day_s))
    assert len(work.intervals) <= MOST_ROWS + 1
    assert sum(item.amount for item in work.intervals) == round(day_s / every_s)
    record = make_run(unit="ops", throughput=work.intervals)
    assert len(record.model_dump_json()) < 2_000_000


def test_what_is_shown_while_it_runs_is_the_work_until_then(mark_at: At) -> None:
    track = reported("interval-amount", [(0, 5.0), (1, 10.0), (2, 30.0)], mark_at)
    work = track.so_far(mark_at(2.5))
    assert work is not None
    assert [(item.begin_ns, item.end_ns, item.amount) for item in work.intervals] == [
        (mark_at(0).utc_ns, mark_at(2).utc_ns, 40.0)
    ]
    assert reported("interval-amount", [(0, 5.0)], mark_at).so_far(mark_at(1)) is None
    assert reported("total", [], mark_at).so_far(mark_at(1)) is None


def test_response_times_of_one_step_are_put_together_as_those_of_a_window(mark_at: At) -> None:
    patterns = [
        ResponsePattern(statistic=statistic, pattern=rf"{statistic} (?P<value>\S+)") for statistic in ("mean", "p99")
    ]
    track = ResponseTrack(patterns, seconds=60, by_interval=True)
    for number in range(20_000):
        t_s = 1 + number * 1e-4
        track.feed(f"mean {1 + number % 3} p99 {number % 100}", mark_at(t_s))
    times = track.between(mark_at(0), mark_at(10))
    assert len(times) == pytest.approx(2 * 2 / FINEST_S, abs=4)
    means = [item.value_s for item in times if item.statistic == "mean"]
    assert sum(means) / len(means) == pytest.approx(2e-3, rel=0.01)
    assert max(item.value_s for item in times if item.statistic == "p99") == pytest.approx(0.099)


def test_the_last_response_time_counts_where_only_the_end_tells(mark_at: At) -> None:
    patterns = [ResponsePattern(statistic="mean", pattern=r"mean (?P<value>\S+)")]
    track = ResponseTrack(patterns, seconds=60, by_interval=False)
    for number in (9, 5, 7):
        track.feed(f"mean {number}", mark_at(1))
    assert [item.value_s for item in track.between(mark_at(0), mark_at(1))] == [0.007]
