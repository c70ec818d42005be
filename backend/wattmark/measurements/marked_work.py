"""What was marked within a window: the parts that it falls into, and the work done from mark to mark."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wattmark.core.amounts import problem
from wattmark.core.errors import InputError
from wattmark.core.numbers import format_number
from wattmark.measurements.edges import LATENESS_S, MarkedWindow
from wattmark.measurements.views import MarkIn
from wattmark.runs.disclosure import LabelledMark
from wattmark.runs.record import ThroughputInterval

FIRST_PART = "begin"
MOST_PARTS = 100
"""Parts whose figures are computed; marks beyond are stored all the same."""
NO_WORK = "The work that was counted is 0: there is no work per second and per joule. Check what was counted."


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a window, named by the mark that it begins with [UTC ns]."""

    label: str
    begin_ns: int
    end_ns: int


def check_marks(marks: Sequence[MarkIn], operations: float | None, elapsed_s: float) -> None:
    """Check that marks come in order and within the window, and count what can be counted. Raises `InputError`."""
    before_s = 0.0
    for mark in marks:
        if not before_s <= mark.elapsed_s <= elapsed_s + LATENESS_S:
            raise InputError(
                f"A mark lies at {format_number(mark.elapsed_s, 6)} s, before an earlier one or behind the end.",
                "Send the marks in the order of time, as seconds since the begin.",
            )
        before_s = mark.elapsed_s
    counted = [mark.operations for mark in marks if mark.operations is not None]
    for amount in (*counted, *(() if operations is None else (operations,))):
        if why := problem(amount):
            raise InputError(f"The work {amount:g} {why}.", "Count operations, samples or bytes.")
    if counted and operations is not None:
        raise InputError(
            "Work is counted at marks, and once more for all of the window.", "Give one of them: values, or the total."
        )


def is_counted(marks: Sequence[MarkIn], operations: float | None) -> bool:
    """Return whether somebody counted the work, were it 0."""
    return operations is not None or any(mark.operations is not None for mark in marks)


def labelled(marks: Sequence[MarkIn], window: MarkedWindow) -> tuple[LabelledMark, ...]:
    """Return the marks with a name, on the clock here; one that was given none has its number."""
    named = [mark for mark in marks if mark.operations is None]
    return tuple(
        LabelledMark(label=mark.label or str(number), utc_ns=window.at(mark.elapsed_s))
        for number, mark in enumerate(named, start=1)
    )


def parts_of(marks: Sequence[LabelledMark], window: MarkedWindow) -> tuple[Part, ...]:
    """Return the parts that marks divide a window into; none where there are no marks."""
    if not marks:
        return ()
    begins = [(FIRST_PART, window.begin.utc_ns), *((mark.label, mark.utc_ns) for mark in marks)]
    ends = [begin_ns for _, begin_ns in begins[1:]] + [window.end.utc_ns]
    return tuple(
        Part(label, begin_ns, end_ns)
        for (label, begin_ns), end_ns in zip(begins, ends, strict=True)
        if end_ns > begin_ns
    )


def counted_work(
    marks: Sequence[MarkIn], operations: float | None, window: MarkedWindow
) -> tuple[ThroughputInterval, ...]:
    """Return the work from value to value, or all of it over the window; none where nobody counted any.

    The last interval lasts until the end of the window: what happened after the last value belongs to the energy.
    """
    begin_ns, end_ns = window.begin.utc_ns, window.end.utc_ns
    if operations is not None:
        return (ThroughputInterval(begin_ns=begin_ns, end_ns=end_ns, amount=operations),) if operations else ()
    intervals: list[ThroughputInterval] = []
    amount = 0.0
    for mark in marks:
        if mark.operations is None:
            continue
        at_ns = window.at(mark.elapsed_s)
        amount += mark.operations
        if at_ns > begin_ns:
            intervals.append(ThroughputInterval(begin_ns=begin_ns, end_ns=at_ns, amount=amount))
            begin_ns, amount = at_ns, 0.0
        elif intervals:
            intervals[-1] = intervals[-1].changed(amount=intervals[-1].amount + amount)
            amount = 0.0
    last = intervals.pop() if intervals else ThroughputInterval(begin_ns=begin_ns, end_ns=end_ns, amount=0.0)
    intervals.append(last.changed(end_ns=end_ns, amount=last.amount + amount))
    return tuple(intervals) if any(interval.amount for interval in intervals) else ()
