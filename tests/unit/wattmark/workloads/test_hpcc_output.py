"""HPC Challenge: figures by its own formulas, windows by its own clock, and none that was not verified.

Recorded output has the second in front of each line at which it came. What others published has the figures that they
printed, in the same form.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import pytest
from wattmark.core.errors import WorkloadFailed
from wattmark.workloads.catalogue import load_catalogue
from wattmark.workloads.marks import Mark
from wattmark.workloads.parsers.parsing import parser_for
from wattmark.workloads.parsers.work import MarkedWork
from wattmark.workloads.trigger import OutputLine

At = Callable[[float], Mark]
Timed = Sequence[tuple[float, str]]
RECORDED = Path(__file__).parent / "recorded"
RESIDUAL = "||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=        0.0039858 ...... PASSED"
PUBLISHED_HPL = (
    (0.0, "Begin of HPL section."),
    (20.0, "T/V                N    NB     P     Q               Time                 Gflops"),
    (1033.07, "WR11C2R4       20352   192     1     2            1013.07              5.548e+00"),
    (1040.0, RESIDUAL),
    (1040.0, "End of HPL section."),
)
"""hpcc 1.5.0 of 2024-04-01 on two processes of "Node01", 2025-03-22; the begin of the matrix is made up."""
HPL_23 = (
    (0.0, "Begin of HPL section."),
    (514.92, "WR01C2L8      102144   192     8     8             514.92              1.380e+03"),
    (514.92, "HPL_pdgesv() start time Mon Nov 13 09:11:13 2023"),
    (530.0, "||Ax-b||_oo/(eps*(||A||_oo*||x||_oo+||b||_oo)*N)=        0.0020152 ...... PASSED"),
)
"""HPL 2.3 of the student cluster competition 2023: its page of rules."""
HPL_10 = (
    (0.0, "Begin of HPL section."),
    (11.0, "WR11C2R4        5000   160     1     2              10.10          8.253e+00"),
    (12.0, "||Ax-b||_oo / ( eps * ||A||_1  * N        ) =        0.0412956 ...... PASSED"),
    (12.0, "||Ax-b||_oo / ( eps * ||A||_1  * ||x||_1  ) =        0.0272613 ...... PASSED"),
    (12.0, "||Ax-b||_oo / ( eps * ||A||_oo * ||x||_oo ) =        0.0053214 ...... PASSED"),
)
"""HPL 1.0, which hpcc had until 1.2, with three residuals: mailing list of Open MPI users, 2006."""
HPL_10_FAILED = (
    (0.0, "Begin of HPL section."),
    (29.0, "WR00L2L2        8000    80     2     2              28.92          1.180e+01"),
    (30.0, "||Ax-b||_oo / ( eps * ||A||_1  * N        ) = 85506062224954416.0000000 ...... FAILED"),
)
"""The same list: a network that lost data."""


def random_access(updates: int, seconds: float, gups: str, locations: int) -> Timed:
    return (
        (0.0, "Begin of MPIRandomAccess section."),
        (0.1, f"Number of updates EXECUTED = {updates} (for a TIME BOUND of 60.00 secs)"),
        (2.0 + seconds, "CPU time used = 9.738363 seconds"),
        (2.0 + seconds, f"Real time used = {seconds:.6f} seconds"),
        (2.0 + seconds, f"{gups} Billion(10^9) Updates    per second [GUP/s]"),
        (2.0 + seconds, "0.001212459 Billion(10^9) Updates/PE per second [GUP/s]"),
        (4.0 + seconds, "Verification:  Real time used = 1.856979 seconds"),
        (4.0 + seconds, f"Found 0 errors in {locations} locations (passed)."),
        (4.0 + seconds, "End of MPIRandomAccess section."),
    )


def recorded(name: str) -> Timed:
    lines = (RECORDED / name).read_text("utf-8").splitlines()[2:]
    return [(float(second), text) for second, _, text in (line.partition("\t") for line in lines)]


def parse(workload: str, timed: Timed, mark_at: At, *, level: int = 2) -> MarkedWork:
    parser = parser_for(load_catalogue()[workload], level=level, seconds=60, started=mark_at(-5))
    for second, text in timed:
        parser.feed(OutputLine("stdout", text, mark_at(second)))
    return parser.result(mark_at(timed[-1][0] + 100))


def gflops(order: int, seconds: float) -> float:
    """The rate of HPL by its definition: 2/3 N^3 + 3/2 N^2 operations."""
    return (2 / 3 * order**3 + 3 / 2 * order**2) / seconds / 1e9


@pytest.mark.parametrize(
    ("timed", "order", "seconds"),
    [(PUBLISHED_HPL, 20352, 1013.07), (HPL_23, 102144, 514.92), (HPL_10, 5000, 10.10)],
)
def test_hpl_gives_operations_over_its_own_time(timed: Timed, order: int, seconds: float, mark_at: At) -> None:
    work = parse("hpcc.hpl", timed, mark_at)
    assert work.stated_rate == pytest.approx(gflops(order, seconds), rel=2e-3)
    assert work.duration_s == pytest.approx(seconds)


def test_the_window_of_hpl_is_neither_the_matrix_before_nor_the_check_behind_it(mark_at: At) -> None:
    work = parse("hpcc.hpl", PUBLISHED_HPL, mark_at)
    assert (work.begin, work.end) == (mark_at(20.0), mark_at(1033.07))


def test_hpl_as_it_was_recorded(mark_at: At) -> None:
    """The lines came as they were written: the result 1.48 s after the matrix was begun, the check 0.52 s later."""
    work = parse("hpcc.hpl", recorded("hpcc.out"), mark_at)
    assert work.stated_rate == pytest.approx(gflops(1000, 1.45), rel=5e-3)
    assert (work.duration_s, work.end) == (pytest.approx(1.45), mark_at(13.060))
    assert work.begin.since(mark_at(11.579)) > 0


def test_random_access_as_it_was_recorded(mark_at: At) -> None:
    work = parse("hpcc.random-access", recorded("hpcc.out"), mark_at)
    assert work.stated_rate == pytest.approx(2097152 / 0.923787 / 1e6, rel=1e-6)
    assert (work.duration_s, work.end) == (pytest.approx(0.923787), mark_at(1.235))


def test_arrays_of_stream_that_the_cache_holds_are_no_figure(mark_at: At) -> None:
    """Recorded with a matrix of order 1000: 4 MB for each process, and 38 GB/s that no memory of two CPUs has."""
    with pytest.raises(WorkloadFailed, match=r"Total memory required = 0\.0037 GiB"):
        parse("hpcc.stream", recorded("hpcc.out"), mark_at)


@pytest.mark.parametrize(
    "failed", [HPL_10_FAILED, (*PUBLISHED_HPL[:3], (1040.0, RESIDUAL.replace("PASSED", "FAILED")))]
)
def test_a_residual_that_fails_is_no_figure(failed: Timed, mark_at: At) -> None:
    with pytest.raises(WorkloadFailed, match=r"The program reported: \|\|Ax-b.*FAILED"):
        parse("hpcc.hpl", failed, mark_at)


def test_a_solution_that_was_not_checked_is_no_figure(mark_at: At) -> None:
    """With a threshold below 0 HPL computes no residual."""
    unchecked = (
        *PUBLISHED_HPL[:3], (1040.0, "              1 tests completed without checking,"), PUBLISHED_HPL[4],
    )  # fmt: skip
    with pytest.raises(WorkloadFailed, match="did not say that it checked its result"):
        parse("hpcc.hpl", unchecked, mark_at)


@pytest.mark.parametrize(
    ("updates", "seconds", "gups", "locations"),
    [(74776404, 30.836662, "0.002424919", 268435456), (245540672, 55.527851, "0.004421937", 536870912)],
)
def test_updates_of_random_access_over_its_own_time(
    updates: int, seconds: float, gups: str, locations: int, mark_at: At
) -> None:
    """Two published runs, on 2 and on 16 processes."""
    work = parse("hpcc.random-access", random_access(updates, seconds, gups, locations), mark_at)
    assert work.stated_rate == pytest.approx(updates / seconds / 1e6, rel=1e-6)
    assert (work.duration_s, work.end) == (pytest.approx(seconds), mark_at(2.0 + seconds))
    assert work.remarks == ()


def test_too_many_wrong_locations_are_no_figure(mark_at: At) -> None:
    wrong = [
        (second, text.replace("Found 0 errors in 100 locations (passed)", "Found 7 errors in 100 locations (failed)"))
        for second, text in random_access(74776404, 30.836662, "0.002424919", 100)
    ]
    with pytest.raises(WorkloadFailed, match="Found 7 errors in 100 locations"):
        parse("hpcc.random-access", wrong, mark_at)


def test_updates_that_contradict_their_time_are_no_figure(mark_at: At) -> None:
    with pytest.raises(WorkloadFailed, match="contradicts itself"):
        parse("hpcc.random-access", random_access(74776404, 30.836662, "0.004849838", 100), mark_at)


@pytest.mark.parametrize(("level", "gb_per_s"), [(2, 2 * 6.134084), (16, 16 * 6.134084)])
def test_the_triad_of_stream_is_that_of_all_processes(level: int, gb_per_s: float, mark_at: At) -> None:
    timed = (
        (0.0, "Begin of StarSTREAM section."),
        (11.0, "Triad:          6.1341       0.2833       0.2701       0.2909"),
        (11.0, "Solution Validates: avg error less than 1.000000e-13 on all three arrays"),
        (11.2, "Minimum Triad GB/s 6.134084"),
        (11.2, "Average Triad GB/s 6.134084"),
        (11.3, "End of StarSTREAM section."),
        (20.0, "Single STREAM Triad GB/s 13.209959"),
    )
    work = parse("hpcc.stream", timed, mark_at, level=level)
    assert work.stated_rate == pytest.approx(gb_per_s)
    assert (work.begin, work.end) == (mark_at(0.0), mark_at(11.0))


@pytest.mark.parametrize(
    ("workload", "line"),
    [
        ("hpcc.hpl", "Memory allocation failed for A, x and b. Skip."),
        ("hpcc.hpl", "There are not enough slots available in the system to satisfy the 4"),
        ("hpcc.random-access", "Failed to allocate memory for the main table."),
        ("hpcc.stream", "Failed Validation on array a[], AvgRelAbsErr > epsilon (1.000000e-13)"),
        ("hpcc.stream", "Node(s) with error 2"),
    ],
)
def test_what_hpcc_says_of_its_own_failure_fails_the_run(workload: str, line: str, mark_at: At) -> None:
    """The words are those of the program itself."""
    with pytest.raises(WorkloadFailed, match="The program reported"):
        parse(workload, ((0.0, line),), mark_at)


def test_the_program_is_ended_behind_what_counts(mark_at: At) -> None:
    parser = parser_for(load_catalogue()["hpcc.stream"], level=2, seconds=60, started=mark_at(0))
    for text in ("Begin of StarSTREAM section.", "Solution Validates: avg error", "Average Triad GB/s 6.134084"):
        parser.feed(OutputLine("stdout", text, mark_at(1)))
    assert not parser.done
    parser.feed(OutputLine("stdout", "End of StarSTREAM section.", mark_at(2)))
    assert parser.done


def test_a_time_longer_than_what_was_seen_is_no_window(mark_at: At) -> None:
    """HPL says 1013 s, and its section began 500 s before."""
    short = [(second - 533.07 if second > 100 else second, text) for second, text in PUBLISHED_HPL]
    with pytest.raises(WorkloadFailed, match="what it counted took 500 s at most"):
        parse("hpcc.hpl", short, mark_at)
