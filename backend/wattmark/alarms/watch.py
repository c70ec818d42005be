"""When a channel crosses a limit: hysteresis against flutter, a hold against single peaks."""

from __future__ import annotations

from dataclasses import dataclass, replace

from wattmark.runs.alarms import Side


@dataclass(frozen=True, slots=True)
class Limit:
    """One limit of a channel, in its unit.

    Beyond it for ``hold_s`` is an alarm; back by more than ``hysteresis`` ends it.
    """

    side: Side
    at: float
    hysteresis: float = 0.0
    hold_s: float = 0.0
    run_must_keep: bool = False
    """Crossing it within the window makes a run unsound."""

    def beyond(self, value: float) -> bool:
        """Return whether a value has crossed the limit."""
        return value > self.at if self.side == "high" else value < self.at

    def back(self, value: float) -> bool:
        """Return whether a value has come back far enough."""
        by = self.at - value if self.side == "high" else value - self.at
        return by >= self.hysteresis and not self.beyond(value)


@dataclass(frozen=True, slots=True)
class Crossing:
    """An alarm: from the first reading beyond the limit [Unix s] to the first that was back; None: it is open."""

    limit: Limit
    begin_s: float
    worst: float
    end_s: float | None = None


class LimitWatch:
    """Follow one limit reading by reading; an unusable one leaves an alarm open and restarts a hold."""

    def __init__(self, limit: Limit) -> None:
        self.limit = limit
        self.last_s: float | None = None
        """Newest usable reading [Unix s]; None before the first."""
        self._now: Crossing | None = None
        self._held = False

    def take(self, t_s: float, value: float | None) -> Crossing | None:
        """Take a reading [Unix s]; return the alarm where it starts, gets worse or ends, else None."""
        now = self._now
        self.last_s = self.last_s if value is None else t_s
        if value is None or now is None or not self._held:
            return self._wait(t_s, value)
        if self.limit.back(value):
            self._now = None
            return replace(now, end_s=t_s)
        self._now = self._further(now, value)
        return self._now if self._now != now else None

    def _wait(self, t_s: float, value: float | None) -> Crossing | None:
        """Wait for the limit to be crossed for as long as it holds; an alarm that goes on is left alone."""
        if self._now is not None and self._held:
            return None
        if value is None or not self.limit.beyond(value):
            self._now = None
            return None
        self._now = self._further(self._now or Crossing(self.limit, t_s, value), value)
        self._held = t_s - self._now.begin_s >= self.limit.hold_s
        return self._now if self._held else None

    def _further(self, crossing: Crossing, value: float) -> Crossing:
        farther = max if self.limit.side == "high" else min
        return replace(crossing, worst=farther(crossing.worst, value))
