"""What a campaign sees of the meters while a run lasts: power, temperatures, and the live figures that it shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from wattmark.campaigns.status import ThroughputRate
from wattmark.hosts.probes.cpu import UTILISATION
from wattmark.recording.live import LiveHub
from wattmark.recording.live_channel import ChannelTrace
from wattmark.runs.record import MeterRecord, RunRecord, ThroughputInterval
from wattmark.workloads.parsers.work import MarkedWork

FRESH_S = 10.0
MOST_RATES = 600
"""Of a long window; more than a picture has columns."""


@dataclass(frozen=True, slots=True)
class LiveTrace:
    """Recent usable readings of one channel: Unix seconds and values, in order of time."""

    source: str
    channel: str
    quantity: str
    t_s: tuple[float, ...]
    value: tuple[float, ...]

    def since(self, begin_s: float) -> LiveTrace:
        """Leave out what is older [Unix seconds]."""
        points = [(t_s, value) for t_s, value in zip(self.t_s, self.value, strict=True) if t_s > begin_s]
        stamps, values = tuple(t_s for t_s, _ in points), tuple(value for _, value in points)
        return LiveTrace(self.source, self.channel, self.quantity, stamps, values)


class LiveFeed:
    """Gives recent readings, from the history that the live view keeps in memory."""

    def __init__(self, hub: LiveHub) -> None:
        self._hub = hub

    def power(self, source: str) -> LiveTrace | None:
        """Return a meter's total active power [W]; None where no channel of it holds that."""
        traces = self._hub.recent(source)
        total = next((trace for trace in traces if trace.total and trace.channel.quantity == "power"), None)
        return None if total is None else _trace(source, total)

    def utilisation(self, source: str) -> LiveTrace | None:
        """Return the CPU utilisation of a server's operating system [%]; None where it is not read."""
        chosen = next((trace for trace in self._hub.recent(source) if trace.channel.id == UTILISATION.id), None)
        return None if chosen is None else _trace(source, chosen)

    def temperatures(self, source: str) -> list[LiveTrace]:
        """Return all temperatures of a source [°C]."""
        return [_trace(source, trace) for trace in self._hub.recent(source) if trace.channel.quantity == "temperature"]


def wall_names(meters: tuple[MeterRecord, ...]) -> list[str]:
    """Return the meters whose powers add up."""
    return [meter.name for meter in meters if meter.role == "wall"]


def wall_power_w(feed: LiveFeed, walls: list[str], since_s: float) -> tuple[float, float] | None:
    """Add up the latest power of the wall meters: (Unix seconds of the oldest, W); None where one has none since."""
    latest = []
    for name in walls:
        trace = feed.power(name)
        trace = None if trace is None else trace.since(since_s)
        if trace is None or not trace.value:
            return None
        latest.append((trace.t_s[-1], trace.value[-1]))
    return (min(t_s for t_s, _ in latest), sum(value for _, value in latest)) if latest else None


def live_figures(feed: LiveFeed, record: RunRecord, so_far: MarkedWork | None, now_s: float) -> dict[str, Any]:
    """Read what the run shows now; None where that is not known."""
    power = wall_power_w(feed, wall_names(record.meters), now_s - FRESH_S)
    throughput = None if so_far is None else _rate(so_far)
    return {
        "live_power_w": None if power is None else power[1],
        "live_power_simulated": any(meter.simulated for meter in record.meters if meter.role == "wall"),
        "live_throughput": throughput,
        "live_throughput_unit": None if throughput is None else f"{record.unit}/s",
    }


def rates(intervals: Sequence[ThroughputInterval]) -> list[ThroughputRate]:
    """Compute the throughput of each interval of work [unit/s]; neighbours are joined where there are too many."""
    together = -(-len(intervals) // MOST_RATES)
    parts = [intervals[at : at + together] for at in range(0, len(intervals), together or 1)]
    return [_rate_over(part) for part in parts if part[-1].end_ns > part[0].begin_ns]


def _rate_over(intervals: Sequence[ThroughputInterval]) -> ThroughputRate:
    begin_s, end_s = intervals[0].begin_ns / 1e9, intervals[-1].end_ns / 1e9
    amount, counted_ns = sum(item.amount for item in intervals), sum(item.end_ns - item.begin_ns for item in intervals)
    return ThroughputRate(begin_s=begin_s, end_s=end_s, rate=amount / (counted_ns / 1e9))


def _rate(work: MarkedWork) -> float | None:
    if work.stated_rate is not None:
        return work.stated_rate
    counted_s = sum(interval.end_ns - interval.begin_ns for interval in work.intervals) / 1e9
    return sum(interval.amount for interval in work.intervals) / counted_s if counted_s > 0 else None


def _trace(source: str, trace: ChannelTrace) -> LiveTrace:
    points = trace.points()
    stamps, values = tuple(t_s for t_s, _ in points), tuple(value for _, value in points)
    return LiveTrace(source, trace.channel.id, trace.channel.quantity, stamps, values)
