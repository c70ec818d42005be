"""Real output of openssl speed 3.0.19; expected counts come from its lines, expected rates from its own +F2 totals."""

from __future__ import annotations

from collections.abc import Callable
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wattmark.core.errors import WorkloadFailed
from wattmark.workloads.marks import Mark
from wattmark.workloads.parsers.openssl_output import OpensslOutput, rsa_marks
from wattmark.workloads.trigger import OutputLine

Recorded = Callable[[str], list[OutputLine]]
END = Mark(0, 0)


def _parse(
    lines: list[OutputLine], operation: Literal["sign", "verify"], processes: int, seconds: float
) -> OpensslOutput:
    parser = OpensslOutput(rsa_marks(operation), processes=processes, seconds=seconds)
    for line in lines:
        parser.feed(line)
    return parser


def test_the_window_goes_from_the_last_begin_to_the_first_end(recorded: Recorded) -> None:
    work = _parse(recorded("rsa1024_2_processes.txt"), "sign", 2, 2).result(END)
    assert (work.begin.monotonic_ns, work.end.monotonic_ns) == (12_430_820, 2_007_263_790)
    assert work.intervals[0].begin_ns == work.begin.utc_ns
    assert work.intervals[0].end_ns == work.end.utc_ns
    assert work.edge_s == pytest.approx(0.005364226)  # begins 7.066594 and 12.430820 ms


def test_the_amount_is_the_share_of_each_count_that_falls_into_the_window(recorded: Recorded) -> None:
    work = _parse(recorded("rsa1024_2_processes.txt"), "sign", 2, 2).result(END)
    mean_begin = (7_066_594 + 12_430_820) / 2
    window = 2_007_263_790 - 12_430_820
    expected = 23_317 * window / (2_007_263_790 - mean_begin) + 26_190 * window / (2_009_303_182 - mean_begin)
    assert work.intervals[0].amount == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "operation", "processes", "seconds", "stated"),
    [
        ("rsa1024_2_processes.txt", "sign", 2, 2, 24753.5),
        ("rsa1024_2_processes.txt", "verify", 2, 2, 460917.5),
        ("rsa4096_1_process.txt", "sign", 1, 1, 289.0),
        ("rsa4096_1_process.txt", "verify", 1, 1, 18770.0),
    ],
)
def test_the_rate_agrees_with_the_programs_own_total_where_no_process_waits(
    recorded: Recorded, name: str, operation: Literal["sign", "verify"], processes: int, seconds: float, stated: float
) -> None:
    work = _parse(recorded(name), operation, processes, seconds).result(END)
    rate = work.intervals[0].amount / work.duration_s
    assert rate == pytest.approx(stated, rel=0.005)  # its seconds have two decimals: 0.01 of 1 to 2


def test_eight_processes_on_two_cpus_are_counted_by_elapsed_time(recorded: Recorded) -> None:
    work = _parse(recorded("rsa2048_8_processes_on_2_cpus.txt"), "sign", 8, 2).result(END)
    counts = (1430, 1365, 1450, 1414, 1411, 1436, 1458, 1368)
    assert work.intervals[0].amount / work.duration_s == pytest.approx(sum(counts) / 2.0, rel=0.02)
    assert work.edge_s == pytest.approx(0.028167261)  # ends 2.020973058 and 2.049140319 s


def test_it_has_begun_when_the_last_process_has_and_is_done_when_the_last_goes_on(recorded: Recorded) -> None:
    parser = OpensslOutput(rsa_marks("sign"), processes=2, seconds=2)
    seen = []
    for line in recorded("rsa1024_2_processes.txt"):
        parser.feed(line)
        seen.append((line.text, parser.began is not None, parser.done))
    first_began = next(text for text, began, _ in seen if began)
    first_done = next(text for text, _, done in seen if done)
    assert (first_began, first_done) == ("+DTP:1024:private:rsa:2", "+DTP:1024:public:rsa:2")
    assert not seen[1][1]


def test_an_unknown_key_length_is_a_failure_in_the_programs_words(recorded: Recorded) -> None:
    with pytest.raises(WorkloadFailed, match="Unknown algorithm rsa9999"):
        _parse(recorded("rsa_unknown_length.txt"), "sign", 2, 1)


def test_fewer_marks_than_processes_are_a_failure(recorded: Recorded) -> None:
    parser = _parse(recorded("rsa1024_2_processes.txt"), "sign", 3, 2)
    assert not parser.done
    with pytest.raises(WorkloadFailed, match="2 begin and 2 end marks of 3 processes"):
        parser.result(END)


def test_processes_that_hardly_overlap_are_a_failure(mark_at: Callable[[float], Mark]) -> None:
    rows = [(0.0, "+DTP:1024:private:rsa:2"), (1.0, "+DTP:1024:private:rsa:2")]
    rows += [(2.0, "+R1:100:1024:2.00"), (3.0, "+R1:100:1024:2.00")]
    parser = _parse([OutputLine("stderr", text, mark_at(second)) for second, text in rows], "sign", 2, 2)
    with pytest.raises(WorkloadFailed, match=r"overlapped for only 1\.00 s of 2 s"):
        parser.result(END)


def test_no_operation_is_a_failure(mark_at: Callable[[float], Mark]) -> None:
    rows = [(0.0, "+DTP:1024:private:rsa:1"), (1.0, "+R1:0:1024:1.00")]
    parser = _parse([OutputLine("stderr", text, mark_at(second)) for second, text in rows], "sign", 1, 1)
    with pytest.raises(WorkloadFailed, match="counted no operations"):
        parser.result(END)


_PIECES = st.sampled_from(
    [
        "+DTP:1024:private:rsa:2",
        "+DTP:1024:public:rsa:2",
        "+R1:10:1024:2.00",
        "+R2:1:1024:2",
        "+R1:",
        "RSA sign failure",
    ]
)


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0, 5), _PIECES | st.text(max_size=30)), max_size=12), st.integers(1, 3))
def test_any_output_is_work_or_a_failure(
    mark_at: Callable[[float], Mark], rows: list[tuple[float, str]], n: int
) -> None:
    parser = OpensslOutput(rsa_marks("sign"), processes=n, seconds=1)
    try:
        for second, text in sorted(rows):
            parser.feed(OutputLine("stderr", text, mark_at(second)))
        amount = parser.result(mark_at(6)).intervals[0].amount
    except WorkloadFailed:
        return
    assert 0 < amount < 1000


@pytest.mark.parametrize(
    ("name", "processes", "seconds"),
    [
        ("rsa1024_2_processes.txt", 2, 2),
        ("rsa2048_8_processes_on_2_cpus.txt", 8, 2),
        ("rsa4096_1_process.txt", 1, 1),
    ],
)
def test_lines_that_come_when_they_are_printed_agree_with_the_seconds_in_them(
    recorded: Recorded, name: str, processes: int, seconds: float
) -> None:
    lines = recorded(name)
    assert _parse(lines, "sign", processes, seconds).result(lines[-1].mark).remarks == ()


def _signed(mark_at: Callable[[float], Mark], ends: list[tuple[float, int, float]]) -> OpensslOutput:
    """Processes that begin together and print their count and their seconds at an instant each."""
    lines = [OutputLine("stderr", "+DTP:4096:private:rsa:5", mark_at(0)) for _ in ends]
    lines += [OutputLine("stderr", f"+R1:{count}:4096:{seconds:.2f}", mark_at(at)) for at, count, seconds in ends]
    return _parse(lines, "sign", len(ends), 5)


def test_a_line_that_is_stamped_late_is_said(mark_at: Callable[[float], Mark]) -> None:
    (remark,) = _signed(mark_at, [(5, 1000, 5.0), (5.9, 1000, 5.0)]).result(mark_at(6)).remarks
    assert "states 5.00 s of work, where its lines came 5.90 s apart" in remark


def test_long_operations_need_longer_slices_and_no_idle_machine(mark_at: Callable[[float], Mark]) -> None:
    """Signatures of 1.6 s: the last one ends after the time is up."""
    with pytest.raises(WorkloadFailed, match=r"reported after 6\.40 s") as refused:
        _signed(mark_at, [(4.9, 3, 4.9), (6.4, 4, 6.4)]).result(mark_at(7))
    assert refused.value.remedy.startswith("An operation takes 1.6 s: use fewer processes, longer slices")
