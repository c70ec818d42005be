"""Live figures of the run under way: wall power now, throughput so far."""

from __future__ import annotations

from typing import Any

from wattmark.campaigns.live_feed import LiveFeed, wall_names, wall_power_w
from wattmark.runs.record import RunRecord
from wattmark.workloads.work import Work

FRESH_S = 10.0


def live_figures(feed: LiveFeed, record: RunRecord, so_far: Work | None, now_s: float) -> dict[str, Any]:
    """Read what the run shows now; None where that is not known."""
    power = wall_power_w(feed, wall_names(record.meters), now_s - FRESH_S)
    throughput = None if so_far is None else _rate(so_far)
    return {
        "live_power_w": None if power is None else power[1],
        "live_throughput": throughput,
        "live_throughput_unit": None if throughput is None else f"{record.unit}/s",
    }


def _rate(work: Work) -> float | None:
    if work.stated_rate is not None:
        return work.stated_rate
    counted_s = sum(interval.end_ns - interval.begin_ns for interval in work.intervals) / 1e9
    return sum(interval.amount for interval in work.intervals) / counted_s if counted_s > 0 else None
