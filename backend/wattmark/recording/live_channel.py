"""One live channel: its recent history, and whether it is fresh."""

from __future__ import annotations

import math
from array import array
from dataclasses import dataclass
from typing import Literal

from wattmark_drivers.reading import UNUSABLE, Channel, Quality, Reading

from wattmark.recording.live_history import LiveHistory
from wattmark.recording.standstill import Standstill
from wattmark.recording.views import LiveChannel, LiveColumns, LiveSamples

Role = Literal["wall", "secondary", "bmc", "host"]
State = Literal["ok", "frozen", "stale", "lost", "waiting"]

HISTORY_POINTS = 12_000
"""Bound of the history of one channel, however fast it comes."""
STALE_PERIODS = 3.0
"""Polls at random places of their periods lie up to two periods apart; the third is for the answer."""
_SURELY_FRESH_NS = STALE_PERIODS * 1e9
"""For each second of the source's period; a channel with its own pace may be due later, never sooner."""
_GOOD = Quality.GOOD
_STALE = int(Quality.STALE)
_NOT_SHOWN = int(UNUSABLE) | _STALE
SLACK = 16
"""Number of new points after which old ones are removed together."""


class RecentPoints:
    """Keep readings [Unix s, value] of the last ``span_s``, ``most`` of them; None is a gap."""

    __slots__ = ("_full", "_span_s", "_t_s", "_value", "most")

    def __init__(self, span_s: float, most: int) -> None:
        self._span_s = span_s
        self.most = most
        self._full = SLACK
        """So many points are the reason to take old ones away."""
        self._t_s, self._value = array("d"), array("d")

    def add(self, t_s: float, value: float) -> None:
        """Take a reading, NaN for a gap, and drop those that are too old."""
        self._t_s.append(t_s)
        self._value.append(value)
        if len(self._t_s) >= self._full:
            first = self._first
            del self._t_s[:first], self._value[:first]
            self._full = len(self._t_s) + SLACK

    def columns(self, newest: int | None = None) -> tuple[list[float], list[float | None]]:
        """Return instants [Unix s] and values, None where there is a gap; all that are kept, or the newest of them."""
        first = self._first if newest is None else max(self._first, len(self._t_s) - newest)
        return self._t_s[first:].tolist(), [None if math.isnan(value) else value for value in self._value[first:]]

    @property
    def _first(self) -> int:
        """Find the first point that is kept: neither too old nor one too many."""
        stamps = self._t_s
        first = max(len(stamps) - self.most, 0)
        if first < len(stamps):
            oldest_s = stamps[-1] - self._span_s
            while stamps[first] < oldest_s:
                first += 1
        return first


@dataclass(slots=True)
class LiveSource:
    """A meter, BMC or host as the live view knows it; ``problem`` is set while it is lost."""

    name: str
    role: Role
    server: str | None
    simulated: bool
    period_s: float
    indicative: bool = False
    problem: str | None = None
    shared: tuple[str, ...] = ()
    """Servers that it measures together."""
    serial: str | None = None
    """As the device reports it: another one is another device at the same address."""


class ChannelTrace:
    """Keep the last ``history_s`` seconds of one channel, and its last day in columns where ``day`` is given.

    Ages count from arrival, on the monotonic clock.
    """

    __slots__ = (
        *("_channel", "_day", "_points", "_range", "_shown_points", "_source", "_standstill", "_state"),
        *("arrived_ns", "total", "unsent"),
    )

    def __init__(self, source: LiveSource, channel: Channel, history_s: float, day: LiveHistory | None = None) -> None:
        self._source = source
        self._channel = channel
        self._range: str | None = None
        self._points = RecentPoints(history_s, HISTORY_POINTS)
        self._shown_points = HISTORY_POINTS
        self._day = day
        self._standstill = Standstill(power=channel.quantity == "power" and not source.indicative)
        self._state: State = "waiting"
        self.total = False
        """Whether the channel holds the whole of its source's power or energy."""
        self.arrived_ns: int | None = None
        """When the newest reading arrived [monotonic ns]; None before the first."""
        self.unsent = 0
        """Points since the last `news`."""

    @property
    def period_s(self) -> float:
        """Return how often a reading is due [s]."""
        return max(self._source.period_s, self._channel.period_s or 0.0)

    @property
    def channel(self) -> Channel:
        """Return what is traced."""
        return self._channel

    @property
    def keeps_day(self) -> bool:
        """Return whether the last day is kept in columns."""
        return self._day is not None

    def bound(self, points: int, *, keep_all: bool) -> None:
        """Show no more points of the last minutes than these; keep no more either, unless ``keep_all``."""
        self._shown_points = min(points, HISTORY_POINTS)
        self._points.most = HISTORY_POINTS if keep_all else self._shown_points

    @property
    def repeats(self) -> str | None:
        """Explain which reading comes again and again; None while they change, or none comes."""
        return self._standstill.words(self._channel.unit)

    def points(self) -> list[tuple[float, float]]:
        """List the readings of the history that may be used: Unix seconds and values."""
        return [(t_s, value) for t_s, value in zip(*self._points.columns(), strict=True) if value is not None]

    def add(self, reading: Reading, monotonic_ns: int) -> None:
        """Take a reading; one that must not be used becomes a gap."""
        _, value, _, t_ns, _, _, self._range, flags, _ = reading
        t_s, quality = t_ns * 1e-9, 0 if flags is _GOOD else int(flags)
        self._standstill.take(t_s, value, stale=bool(quality & _STALE))
        if quality & _NOT_SHOWN or not math.isfinite(value):
            value = math.nan
        elif self._day is not None:
            self._day.add(t_s, value)
        self.arrived_ns = monotonic_ns
        self._points.add(t_s, value)
        self.unsent += 1

    def look(self, monotonic_ns: int, now_s: float) -> bool:
        """Record a change of state, which also breaks the line; return whether there was one."""
        source = self._source
        if (
            self._state == "ok"
            and source.problem is None
            and not self._standstill.frozen
            and self.arrived_ns is not None
            and monotonic_ns - self.arrived_ns < source.period_s * _SURELY_FRESH_NS
        ):
            return False
        state = self.state_at(monotonic_ns)
        if state == self._state:
            return False
        if state in {"stale", "lost"} and self._state == "ok":
            self._points.add(now_s, math.nan)
            self.unsent += 1
        self._state = state
        return True

    def news(self) -> LiveSamples:
        """Return the points since the last call, and the state at the last check."""
        t_s, value = self._points.columns(self.unsent)
        self.unsent = 0
        return LiveSamples(
            source=self._source.name,
            channel=self._channel.id,
            t_s=t_s,
            value=value,
            state=self._state,
            problem=self._problem,
        )

    def columns(self, begin_s: float, end_s: float, now_s: float, points: int) -> LiveColumns | None:
        """Return a stretch of the last day [Unix s] in at most ``points`` columns; None where the day is not kept."""
        if self._day is None:
            return None
        return LiveColumns(channel=self._channel.id, **dict(self._day.between(begin_s, end_s, now_s, points)))

    def view(self, monotonic_ns: int) -> LiveChannel:
        """Describe the channel with its recent history."""
        t_s, value = self._points.columns(self._shown_points)
        return LiveChannel.model_construct(
            source=self._source.name,
            channel=self._channel.id,
            label=self._channel.label or self._channel.id,
            quantity=self._channel.quantity,
            unit=self._channel.unit,
            kind=self._channel.kind.value,
            role=self._source.role,
            server=self._source.server,
            shared=list(self._source.shared),
            total=self.total,
            simulated=self._source.simulated,
            period_s=self.period_s,
            range=self._range,
            state=self.state_at(monotonic_ns),
            problem=self._problem,
            t_s=t_s,
            value=value,
        )

    @property
    def _problem(self) -> str | None:
        return self._source.problem or self.repeats

    def state_at(self, monotonic_ns: int) -> State:
        """Judge whether the channel is fresh."""
        if self._source.problem is not None:
            return "lost"
        if self.arrived_ns is None:
            return "waiting"
        stale = (monotonic_ns - self.arrived_ns) * 1e-9 > STALE_PERIODS * self.period_s
        if stale:
            return "stale"
        return "frozen" if self._standstill.frozen else "ok"
