"""Status of a check standard in words, with the next step."""

from __future__ import annotations

from datetime import timedelta

from wattmark.core.instants import iso
from wattmark.core.numbers import format_uncertain
from wattmark.traceability.check_standards.chart import drift
from wattmark.traceability.check_standards.record import CheckStandard
from wattmark.traceability.check_standards.views import CheckSegmentOut, CheckStandardOut, State

WEEK = timedelta(days=7)
_WEEK_NS = round(WEEK.total_seconds() * 1e9)


def check_standard_out(
    load: CheckStandard, charted: list[CheckSegmentOut], last_ns: int | None, as_of_ns: int
) -> CheckStandardOut:
    """Return a check standard with its status at an instant, by the last segment of its chart."""
    state, statement = status(charted[-1] if charted else None)
    return CheckStandardOut(
        **load.model_dump(exclude={"added_ns"}),
        readings=sum(len(segment.points) for segment in charted),
        last=None if last_ns is None else iso(last_ns),
        next_due=None if last_ns is None else iso(last_ns + _WEEK_NS),
        overdue=last_ns is not None and as_of_ns > last_ns + _WEEK_NS,
        state=state,
        statement=statement,
    )


def status(segment: CheckSegmentOut | None) -> tuple[State, str]:
    """Return the state of the last segment and the sentence that explains it."""
    if segment is None:
        return "no readings", "No reading yet. Record one every week; the first ten form the baseline."
    if segment.refusal is not None:
        return "baseline", segment.refusal
    if segment.baseline is None:
        recorded = len(segment.points)
        return (
            "baseline",
            f"{recorded} of {recorded + segment.missing} readings for the baseline; no verdicts yet.",
        )
    return _judged(segment)


def _judged(segment: CheckSegmentOut) -> tuple[State, str]:
    last = segment.points[-1]
    if last.zone is None:
        return "in control", "The baseline is complete; verdicts start with the next reading."
    rules = "; ".join(last.violations)
    if last.zone == "out of control":
        return last.zone, f"Out of control: {rules}. Stop, find the cause, and have the meter calibrated if it drifted."
    if last.zone == "warning":
        return last.zone, f"The last reading lies {rules}: repeat the check."
    earlier = sum(point.zone == "out of control" for point in segment.points)
    before = f" Earlier readings out of control: {earlier}." if earlier else ""
    return last.zone, f"In control.{_drift_words(segment)}{before}"


def _drift_words(segment: CheckSegmentOut) -> str:
    drifted = drift(segment)
    if drifted is None:
        return ""
    moved, over = drifted
    return f" The last {over} lie {format_uncertain(moved.value, moved.U95, 'W')} from the centre." if over > 1 else ""
