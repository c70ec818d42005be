"""Whether a server has settled: the steadiness tests of the analysis on its live wall power."""

from __future__ import annotations

import numpy as np

from wattmark.analysis.limits import Limits
from wattmark.analysis.steady_state import steadiness
from wattmark.analysis.type_a import type_a
from wattmark.campaigns.live_feed import LiveFeed, LiveTrace
from wattmark.inventory.plan_rules import SettleRule

FEWEST = 10
COVERED = 0.9
"""Readings must span this share of the time looked back on, or the tests would judge less than was asked for."""


def settled(feed: LiveFeed, walls: list[str], rule: SettleRule, begin_s: float, now_s: float) -> bool | None:
    """Judge the power of every wall meter since ``begin_s`` [Unix seconds]; None where too little is known."""
    from_s = max(begin_s, now_s - rule.over_s)
    traces = [feed.power(name) for name in walls]
    judged = [None if trace is None else steady(trace.since(from_s), rule.over_s) for trace in traces]
    if not judged or any(one is None for one in judged):
        return None
    return all(judged)


def steady(trace: LiveTrace, over_s: float) -> bool | None:
    """Apply the tests of method 5.1 to one trace; None where its readings span too little of ``over_s`` [s]."""
    if len(trace.t_s) < FEWEST:
        return None
    t_s, x = np.array(trace.t_s), np.array(trace.value)
    span_s = float(t_s[-1] - t_s[0])
    limits = Limits(short_window_s=COVERED * over_s, short_window_samples=FEWEST, block_s=over_s / 3)
    if span_s < COVERED * over_s or float(x.mean()) <= 0:
        return None
    return steadiness(t_s, x, span_s, type_a(x), limits).steady
