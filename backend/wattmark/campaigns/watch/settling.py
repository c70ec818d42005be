"""Whether a server has settled (the steadiness tests of the analysis on its live wall power) or cooled down."""

from __future__ import annotations

import numpy as np
from wattmark_drivers.clock import Clock

from wattmark.analysis.efficiency.steady_state import steadiness
from wattmark.analysis.energy.type_a import type_a
from wattmark.analysis.verdict import Limits
from wattmark.bench.plan_rules import CoolDownRule, SettleRule
from wattmark.campaigns.watch.live_feed import LiveFeed, LiveTrace
from wattmark.runs.disclosure import CooledDown

FEWEST = 10
COVERED = 0.9
"""Readings must span this share of the time looked back on, or the tests would judge less than was asked for."""
LOOK_EVERY_S = 0.5


def settled(feed: LiveFeed, walls: list[str], rule: SettleRule, begin_s: float, now_s: float) -> bool | None:
    """Evaluate the power of every wall meter since ``begin_s`` [Unix seconds]; None where too little is known."""
    from_s = max(begin_s, now_s - rule.over_s)
    traces = [feed.power(name) for name in walls]
    judged = [None if trace is None else steady(trace.since(from_s), rule.over_s) for trace in traces]
    if not judged or any(verdict is None for verdict in judged):
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


async def cool(rule: CoolDownRule, feed: LiveFeed, sources: list[str], clock: Clock) -> CooledDown:
    """Wait until the temperature is low enough or the time is over; gives what a reader must know about it.

    Only readings taken since count. A temperature that nobody measures makes the server rest for as long as it may.
    """
    begin_ns, begin_s = clock.monotonic_ns(), clock.utc_ns() / 1e9
    while True:
        rested_s = (clock.monotonic_ns() - begin_ns) / 1e9
        last_c = _hottest(_watched(rule, feed, sources), begin_s)
        reached = last_c is not None and last_c <= rule.until_c
        if reached or rested_s >= rule.at_most_s:
            return CooledDown(until_c=rule.until_c, last_c=last_c, reached=reached, after_s=rested_s)
        await clock.sleep(min(LOOK_EVERY_S, rule.at_most_s - rested_s))


def _watched(rule: CoolDownRule, feed: LiveFeed, sources: list[str]) -> list[LiveTrace]:
    traces = [trace for source in sources for trace in feed.temperatures(source)]
    return [trace for trace in traces if rule.channel in (None, trace.channel, f"{trace.source}/{trace.channel}")]


def _hottest(traces: list[LiveTrace], since_s: float) -> float | None:
    latest = [recent.value[-1] for trace in traces if (recent := trace.since(since_s)).value]
    return max(latest, default=None)
