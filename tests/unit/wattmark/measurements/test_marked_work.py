"""Marks and values within a window become its parts and its intervals of work."""

from __future__ import annotations

import pytest
from wattmark.core.errors import InputError
from wattmark.measurements.edges import MarkedWindow
from wattmark.measurements.marked_work import Part, check_marks, counted_work, is_counted, labelled, parts_of
from wattmark.measurements.views import MarkIn
from wattmark.workloads.marks import Mark

S = 10**9
BEGIN = Mark(1_790_000_000 * S, 50 * S)
WINDOW = MarkedWindow(BEGIN, Mark(BEGIN.utc_ns + 10 * S, 60 * S), 0.0)


def at(seconds: float) -> int:
    return BEGIN.utc_ns + round(seconds * S)


def test_parts_follow_one_another_over_the_whole_window() -> None:
    marks = [MarkIn(elapsed_s=0, label="warm"), MarkIn(elapsed_s=4), MarkIn(elapsed_s=6, operations=3)]
    parts = parts_of(labelled(marks, WINDOW), WINDOW)
    assert parts == (Part("warm", at(0), at(4)), Part("2", at(4), at(10)))


def test_without_marks_there_are_no_parts() -> None:
    assert parts_of(labelled([MarkIn(elapsed_s=6, operations=3)], WINDOW), WINDOW) == ()


def test_values_count_from_the_one_before_and_the_last_until_the_end() -> None:
    """Work per joule is the work of the window over the energy of the same window, which ends after the last value."""
    marks = [MarkIn(elapsed_s=2, operations=5), MarkIn(elapsed_s=2, operations=1), MarkIn(elapsed_s=3, label="x"),
             MarkIn(elapsed_s=9, operations=7)]  # fmt: skip
    work = counted_work(marks, None, WINDOW)
    assert [(item.begin_ns, item.end_ns, item.amount) for item in work] == [(at(0), at(2), 6), (at(2), at(10), 7)]


def test_work_at_one_instant_alone_is_that_of_the_window() -> None:
    (work,) = counted_work([MarkIn(elapsed_s=0, operations=4)], None, WINDOW)
    assert (work.begin_ns, work.end_ns, work.amount) == (at(0), at(10), 4)


def test_the_total_is_that_of_the_window() -> None:
    (work,) = counted_work((), 40.0, WINDOW)
    assert (work.begin_ns, work.end_ns, work.amount) == (at(0), at(10), 40.0)
    assert counted_work((), 0.0, WINDOW) == ()
    assert counted_work((), None, WINDOW) == ()


def test_work_that_was_counted_as_0_is_none_and_is_known_to_be_counted() -> None:
    marks = [MarkIn(elapsed_s=2, operations=0), MarkIn(elapsed_s=3, operations=0)]
    assert counted_work(marks, None, WINDOW) == ()
    assert is_counted(marks, None)
    assert is_counted((), 0.0)
    assert not is_counted([MarkIn(elapsed_s=2, label="x")], None)


@pytest.mark.parametrize(
    ("marks", "operations", "said"),
    [
        ([MarkIn(elapsed_s=3), MarkIn(elapsed_s=2)], None, "before an earlier one or behind the end"),
        ([MarkIn(elapsed_s=11)], None, "before an earlier one or behind the end"),
        ([MarkIn(elapsed_s=1, operations=1e-40)], None, "The work 1e-40"),
        ([MarkIn(elapsed_s=1, operations=1)], 2.0, "counted at marks, and once more"),
    ],
)
def test_what_cannot_be_counted_is_refused(marks: list[MarkIn], operations: float | None, said: str) -> None:
    with pytest.raises(InputError, match=said):
        check_marks(marks, operations, 10.0)
