"""What a campaign sees of the meters while a run lasts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from wattmark.runs.record import MeterRecord


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
        kept = [(t_s, value) for t_s, value in zip(self.t_s, self.value, strict=True) if t_s > begin_s]
        stamps, values = tuple(t_s for t_s, _ in kept), tuple(value for _, value in kept)
        return LiveTrace(self.source, self.channel, self.quantity, stamps, values)


class LiveFeed(Protocol):
    """Gives recent readings."""

    def power(self, source: str) -> LiveTrace | None:
        """Give a meter's active power [W]; None where it tells none."""
        ...

    def temperatures(self, source: str) -> list[LiveTrace]:
        """Give all temperatures of a source [°C]."""
        ...


def wall_names(meters: tuple[MeterRecord, ...]) -> list[str]:
    """Name the meters whose powers add up."""
    return [meter.name for meter in meters if meter.role == "wall"]


def wall_power_w(feed: LiveFeed, walls: list[str], since_s: float) -> tuple[float, float] | None:
    """Add up the latest power of the wall meters: (Unix seconds of the oldest, W); None where one has told none."""
    latest = []
    for name in walls:
        trace = feed.power(name)
        trace = None if trace is None else trace.since(since_s)
        if trace is None or not trace.value:
            return None
        latest.append((trace.t_s[-1], trace.value[-1]))
    return (min(t_s for t_s, _ in latest), sum(value for _, value in latest)) if latest else None
