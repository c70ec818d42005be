"""Whether a load worked for as long as it was asked to, and never stood still meanwhile."""

from __future__ import annotations

import numpy as np

from wattmark.analysis.limits import Limits
from wattmark.analysis.verdict import Verdict, at_most
from wattmark.analysis.window import Marks, Window

FEWEST = 3
"""Fewer times of progress do not tell which pause is a long one."""
USUAL_PERCENTILE = 90
"""Work comes in bursts: a pause that returns in every tenth step belongs to the load."""


def asked_length(window: Window, asked_s: float | None, limits: Limits) -> tuple[Verdict, ...]:
    """Judge the window's length by that asked for [s]; nothing where none was, as where a load ends when it is done."""
    if asked_s is None:
        return ()
    seen_s, least_s = window.duration_s, limits.least_length_s(asked_s)
    text = f"The window is {seen_s:.4g} s of {asked_s:g} s asked for."
    if seen_s < least_s:
        text += " The load ended before its time: see why in its own messages and repeat the run."
    return (Verdict("asked-length", seen_s, least_s, "s", "pass" if seen_s >= least_s else "fail", text),)


def standstill(marks: Marks, window: Window, limits: Limits) -> tuple[Verdict, ...]:
    """Judge the longest time without progress [s]; nothing where the load counted too seldom to tell.

    Progress is the end of an interval that counted work. A load that stops shows as one long interval, or as intervals
    in which nothing was done. The limit follows from the load's own pauses.
    """
    ends_ns = marks.interval_end_ns[marks.amount > 0]
    inside = np.unique(ends_ns[(ends_ns > window.begin_ns) & (ends_ns < window.end_ns)])
    pauses_s = np.diff(np.concatenate(([window.begin_ns], inside, [window.end_ns]))) / 1e9
    if len(inside) + 1 < FEWEST:
        return ()
    longest_s = float(pauses_s.max())
    usual_s = float(np.percentile(pauses_s, USUAL_PERCENTILE, method="lower"))
    limit_s = limits.longest_pause_s(usual_s, window.duration_s)
    text = f"The longest time without counted work was {longest_s:.3g} s of {window.duration_s:.4g} s"
    text += f", where work is counted every {usual_s:.2g} s or sooner nearly always."
    if longest_s > limit_s:
        text += " The load stood still: see what stopped it and repeat the run."
    return (at_most("standstill", longest_s, limit_s, "s", text),)
