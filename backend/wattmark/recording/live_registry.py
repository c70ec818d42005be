"""The sources of the live view with their channels, and the length of history that fits in memory."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from wattmark_drivers.meter import Meter
from wattmark_drivers.reading import Channel, Kind, Reading

from wattmark.recording.live_channel import ChannelTrace, LiveSource
from wattmark.recording.live_history import LiveHistory
from wattmark.runs.channels import BIT_MASKS, total_channels

DAYS = 200
"""Channels whose last day is kept, 40 MB together; half of them are for power alone."""
SHARED_POINTS = 400_000
"""Points of the last minutes that a snapshot carries, 12 MB on their way to a browser;
half of them for watched channels."""
WATCHED = frozenset({"power", "temperature"})
"""Quantities that campaigns look back at; of others, a large bench keeps no more than a snapshot carries."""
AWAITED = Channel("power", "power", "W", Kind.INSTANTANEOUS, "Power")
"""Stands for a source that lists its channels only when it answers (a BMC), until it does."""


class LiveRegistry:
    """Sources in the order in which they were entered, each with its channels."""

    def __init__(self, history_s: float) -> None:
        self._history_s = history_s
        self._days = 0
        self.sources: dict[str, LiveSource] = {}
        self.channels: dict[str, dict[str, ChannelTrace]] = {}
        self.totals: dict[str, dict[str, ChannelTrace]] = {}
        """Of each source, the channels that hold its whole power and energy."""
        self._traces: list[ChannelTrace] = []
        self._shared_out = True
        """Whether the points of a snapshot are shared out among the channels that there are now."""

    @property
    def traces(self) -> list[ChannelTrace]:
        """List all channels of all sources."""
        if not self._shared_out:
            self._share_out()
        return self._traces

    def enter(self, source: LiveSource) -> None:
        """Register a source; the description of a known one is replaced."""
        self.sources[source.name] = source
        self.channels.setdefault(source.name, {})

    def remove(self, name: str) -> bool:
        """Remove a source; return whether there was one."""
        if self.sources.pop(name, None) is None:
            return False
        removed = self.channels.pop(name)
        self.totals.pop(name, None)
        self._days -= sum(trace.keeps_day for trace in removed.values())
        self._shared_out = False
        return True

    def complete(self, meter: Meter, reading: Reading | None = None) -> bool:
        """Add the channels that a meter lists now, and that of a reading; return whether any was new."""
        name = meter.identity.name
        own = self.channels[name]
        channels = list(meter.channels)
        if reading is not None and all(channel.id != reading.channel for channel in channels):
            channels.append(Channel(reading.channel, reading.channel, reading.unit, reading.kind))
        new = [channel for channel in channels if channel.id not in own]
        for channel in new:
            own[channel.id] = ChannelTrace(self.sources[name], channel, self._history_s, self._day_of(channel))
        if new:
            _mark_totals(own.values())
            self.totals[name] = {trace.channel.id: trace for trace in own.values() if trace.total}
            self._shared_out = False
        return bool(new)

    def shown(self) -> Iterator[ChannelTrace]:
        """Iterate over all channels; a source that has none yet shows one that waits."""
        if not self._shared_out:
            self._share_out()
        for name, own in self.channels.items():
            yield from own.values() or [_awaited(self.sources[name])]

    def _share_out(self) -> None:
        """Divide the points among the channels, once for all changes since: meters of a large bench come one by one."""
        self._shared_out = True
        self._traces = [trace for own in self.channels.values() for trace in own.values()]
        watched = [trace for trace in self._traces if trace.channel.quantity in WATCHED]
        others = [trace for trace in self._traces if trace.channel.quantity not in WATCHED]
        for traces, keep_all in ((watched, True), (others, False)):
            share = SHARED_POINTS // 2 // max(1, len(traces))
            for trace in traces:
                trace.bound(share, keep_all=keep_all)

    def _day_of(self, channel: Channel) -> LiveHistory | None:
        """Start the day of a channel while there is room for it; None: only its last minutes are kept.

        The columns of a day are means, which bit masks do not have.
        """
        if channel.quantity == BIT_MASKS:
            return None
        if self._days >= (DAYS if channel.quantity == "power" else DAYS // 2):
            return None
        self._days += 1
        return LiveHistory()


def _awaited(source: LiveSource) -> ChannelTrace:
    trace = ChannelTrace(source, AWAITED, 0.0)
    _mark_totals([trace])
    return trace


def _mark_totals(traces: Collection[ChannelTrace]) -> None:
    """Decide which channels of a source hold the whole of its power and of its energy."""
    totals = total_channels((trace.channel.quantity, trace.channel.id) for trace in traces)
    for trace in traces:
        trace.total = (trace.channel.quantity, trace.channel.id) in totals
