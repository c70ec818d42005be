"""The window of a run, chosen from the workload's marks alone, and whether the load worked all through it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from wattmark.analysis.efficiency.rule_name import RuleName
from wattmark.analysis.refusal import Refused
from wattmark.analysis.verdict import Limits, Verdict, at_most, not_checked
from wattmark.core.numbers import format_number

WINDOW_RULES = ("window-length", "asked-length", "standstill")
FEWEST = 3
"""With fewer times of progress, no pause can be called long."""
USUAL_PERCENTILE = 90
"""Work comes in bursts: a pause that returns in every tenth step belongs to the load."""


@dataclass(frozen=True, slots=True)
class WindowRule:
    """A named way to choose the window and to average in it, with its source."""

    name: RuleName
    title: str
    source: str
    whole_intervals: bool
    """Cut to whole throughput intervals, so that no work is split."""
    shift_latency: bool
    """Shift every meter's stamps by its measured latency."""
    plain_mean: bool
    """Mean of the positive samples strictly inside instead of energy over time."""
    readings_inside: bool = False
    """Energy from the first to the last reading inside the window; nothing is interpolated at the marks."""
    shortest_s: float | None = None
    """A window shorter than this fails the rule's own verdict; None: the rule names none, or judges it elsewhere."""


COMPLETE = WindowRule(
    name="complete",
    title="Complete intervals, energy over time",
    source="Whole throughput intervals between the workload's marks, shifted by the meter latency",
    whole_intervals=True,
    shift_latency=True,
    plain_mean=False,
)
MLPERF = WindowRule(
    name="mlperf",
    title="MLPerf Power: mean of samples",
    source="mlcommons/power-dev, compliance/check.py: mean of positive samples strictly inside power_begin..power_end",
    whole_intervals=False,
    shift_latency=False,
    plain_mean=True,
)
_EEHPC = "EEHPCWG Power Measurement Methodology, text of 2024-11-08, aspect 1"
EEHPC_L1 = WindowRule(
    name="eehpc-l1",
    title="EE HPC level 1: mean of readings over the core phase",
    source=f"{_EEHPC}: average of the power readings over the whole core phase, at least 1 minute",
    whole_intervals=False,
    shift_latency=True,
    plain_mean=True,
    shortest_s=60.0,
)
EEHPC_L2 = WindowRule(
    name="eehpc-l2",
    title="EE HPC level 2: mean of readings over the core phase",
    source=f"{_EEHPC}: as level 1, with at least 10 equally spaced averages inside the core phase",
    whole_intervals=False,
    shift_latency=True,
    plain_mean=True,
    shortest_s=60.0,
)
EEHPC_L3 = WindowRule(
    name="eehpc-l3",
    title="EE HPC level 3: integrated energy over the core phase",
    source=f"{_EEHPC}: first to last energy reading inside the core phase, over the time between them",
    whole_intervals=False,
    shift_latency=True,
    plain_mean=False,
    readings_inside=True,
    shortest_s=60.0,
)
SPECPOWER = WindowRule(
    name="specpower",
    title="SPECpower: mean of samples over the measurement interval",
    source="SPECpower_ssj2008 run and reporting rules: average of the analyzer's samples over 240 s at one load level",
    whole_intervals=False,
    shift_latency=False,
    plain_mean=True,
    shortest_s=240.0,
)
RULES: dict[RuleName, WindowRule] = {
    rule.name: rule for rule in (COMPLETE, MLPERF, EEHPC_L1, EEHPC_L2, EEHPC_L3, SPECPOWER)
}


@dataclass(frozen=True, slots=True)
class Marks:
    """The workload's own marks: begin and end of its work [UTC ns], and its intervals with their amounts of work."""

    begin_ns: int | None
    end_ns: int | None
    interval_begin_ns: NDArray[np.int64]
    interval_end_ns: NDArray[np.int64]
    amount: NDArray[np.float64]
    u_s: float = 0.0
    """Standard uncertainty of the marks on the time of the readings [s]: the clock of the machine that set them."""
    count_step: float = 1.0
    """Smallest step in which the amounts are known [unit of work]."""


@dataclass(frozen=True, slots=True)
class Window:
    """The span that counts, in UTC nanoseconds of the workload's clock."""

    begin_ns: int
    end_ns: int
    rule: WindowRule
    u_s: float = 0.0
    """Standard uncertainty of its begin and end on the time of the readings [s]."""

    @property
    def duration_s(self) -> float:
        """Compute end - begin [s]."""
        return (self.end_ns - self.begin_ns) / 1e9


def choose_window(rule: WindowRule, marks: Marks) -> Window:
    """Choose the window from marks alone. Raises `Refused` where the workload left none or an empty one."""
    begin_ns, end_ns = _marked_span(marks)
    if rule.whole_intervals and len(marks.amount):
        whole = (marks.interval_begin_ns >= begin_ns) & (marks.interval_end_ns <= end_ns)
        if whole.any():
            begin_ns = int(marks.interval_begin_ns[whole].min())
            end_ns = int(marks.interval_end_ns[whole].max())
    if end_ns <= begin_ns:
        raise Refused("empty-window", "The window is empty: its end is not after its start.")
    return Window(begin_ns, end_ns, rule, marks.u_s)


def window_verdicts(window: Window, marks: Marks, asked_s: float | None, limits: Limits) -> tuple[Verdict, ...]:
    """Evaluate the length of the window by its rule and by the request, and the work's longest pause [s]."""
    return (window_length(window), asked_length(window, asked_s, limits), standstill(marks, window, limits))


def window_length(window: Window) -> Verdict:
    """Evaluate the window's length by its own rule [s]; not checked where the rule names no shortest length."""
    rule, seen_s = window.rule, window.duration_s
    if rule.shortest_s is None:
        return not_checked("window-length", None, "s", f"The rule {rule.name} for the window names no shortest length.")
    text = f"The window is {format_number(seen_s, 4)} s long; {rule.name} asks for at least {rule.shortest_s:g} s."
    return Verdict("window-length", seen_s, rule.shortest_s, "s", "pass" if seen_s >= rule.shortest_s else "fail", text)


def _marked_span(marks: Marks) -> tuple[int, int]:
    """Return the begin and end marks, or the span of the intervals where the workload set no marks."""
    if marks.begin_ns is not None and marks.end_ns is not None:
        return marks.begin_ns, marks.end_ns
    if len(marks.amount):
        return int(marks.interval_begin_ns.min()), int(marks.interval_end_ns.max())
    raise Refused("no-window", "The workload did not mark the start and end of its work, so there is no window.")


def asked_length(window: Window, asked_s: float | None, limits: Limits) -> Verdict:
    """Evaluate the window's length by the requested one [s]; not checked where none was requested."""
    if asked_s is None:
        text = "Nothing tells how long the load was asked to work: it ends when its work is done, or others started it."
        return not_checked("asked-length", None, "s", text)
    seen_s, least_s = window.duration_s, limits.least_length_s(asked_s)
    text = f"The window is {format_number(seen_s, 4)} s long; the workload was asked for {asked_s:g} s."
    if seen_s < least_s:
        text += " The load ended early: look for the reason in its output, then repeat the run."
    return Verdict("asked-length", seen_s, least_s, "s", "pass" if seen_s >= least_s else "fail", text)


def standstill(marks: Marks, window: Window, limits: Limits) -> Verdict:
    """Evaluate the longest time without progress [s]; not checked where the load counted too rarely.

    Progress is the end of an interval that counted work. A load that stops shows as one long interval, or as intervals
    in which nothing was done. The limit follows from the load's own pauses.
    """
    ends_ns = marks.interval_end_ns[marks.amount > 0]
    inside = np.unique(ends_ns[(ends_ns > window.begin_ns) & (ends_ns < window.end_ns)])
    pauses_s = np.diff(np.concatenate(([window.begin_ns], inside, [window.end_ns]))) / 1e9
    if len(inside) + 1 < FEWEST:
        text = f"Work was reported {_times(len(ends_ns))} in the window, too seldom to tell a pause of the load."
        return not_checked("standstill", None, "s", text if len(ends_ns) else "No work was counted in the window.")
    longest_s = float(pauses_s.max())
    usual_s = float(np.percentile(pauses_s, USUAL_PERCENTILE, method="lower"))
    limit_s = limits.longest_pause_s(usual_s, window.duration_s)
    text = (
        f"The longest pause without reported work was {format_number(longest_s, 3)} s in a window of "
        f"{format_number(window.duration_s, 4)} s"
    )
    text += f"; normally work is reported at least every {format_number(usual_s, 2)} s."
    if longest_s > limit_s:
        text += " The load paused: find out why, then repeat the run."
    return at_most("standstill", longest_s, limit_s, "s", text)


def _times(count: int) -> str:
    return "once" if count == 1 else f"{count} times"
