"""The live view: what every channel shows now, and who listens."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark_drivers.clock import Clock
from wattmark_drivers.meter import Meter
from wattmark_drivers.reading import Channel, Kind, Reading

from wattmark.campaigns.status import CampaignOut
from wattmark.recording.live_channel import ChannelTrace, LiveSource, Role
from wattmark.recording.live_history import LiveHistory
from wattmark.recording.subscription import CampaignEvent, LiveEvent, SamplesEvent, Subscription
from wattmark.recording.views import LiveChannel, LiveColumns

__all__ = ["CampaignEvent", "LiveEvent", "LiveHub", "SamplesEvent", "Subscription"]

BEAT_S = 0.1
"""Time between batches."""
UNHEARD_BEATS = 10
"""While nobody listens, channels are looked at only so often, for those that fell silent."""
_BACKLOG_BATCHES = 20
DAYS = 200
"""Channels whose last day is kept, 50 MB together; half of them are for power alone."""
AWAITED = Channel("power", "power", "W", Kind.INSTANTANEOUS, "Power")
"""Stands for a source that lists its channels only when it answers (a BMC), until it does."""


class LiveHub:
    """Fan readings out to listeners. All methods but `close` belong to the event loop's thread."""

    def __init__(self, clock: Clock, *, history_s: float = 600.0, backlog: int = _BACKLOG_BATCHES) -> None:
        self._clock = clock
        self._history_s = history_s
        self._backlog = backlog
        self._sources: dict[str, LiveSource] = {}
        self._traces: dict[tuple[str, str], ChannelTrace] = {}
        self._days = 0
        self._unheard = 0
        self._subscriptions: list[Subscription] = []
        self._closed = False
        self.dropped_batches = 0
        """Batches that listeners were too slow for, since the start."""

    @property
    def listeners(self) -> int:
        """Count who listens."""
        return len(self._subscriptions)

    def problems(self) -> dict[str, str | None]:
        """Tell for each source why it does not answer; None: it does, or was not asked yet."""
        return {name: source.problem for name, source in self._sources.items()}

    def ages_s(self) -> dict[str, float]:
        """Compute the age of each source's newest reading [s]; a source without one is left out."""
        newest: dict[str, int] = {}
        for (name, _), trace in list(self._traces.items()):
            if trace.arrived_ns is not None:
                newest[name] = max(newest.get(name, 0), trace.arrived_ns)
        now_ns = self._clock.monotonic_ns()
        return {name: (now_ns - arrived_ns) * 1e-9 for name, arrived_ns in newest.items()}

    @property
    def closed(self) -> bool:
        """Tell whether the service is stopping."""
        return self._closed

    def register(self, meter: Meter, role: Role, server: str | None, period_s: float) -> None:
        """Show a source before its first reading, with the channels that it already knows."""
        identity = meter.identity
        self._sources[identity.name] = LiveSource(identity.name, role, server, identity.simulated, period_s)
        self._show(meter)

    def found(self, meter: Meter) -> None:
        """Say that a source answers; its channels are complete now, and it may have said that it is a simulator."""
        source = self._sources[meter.identity.name]
        source.problem = None
        source.simulated = meter.identity.simulated
        self._show(meter)

    def push(self, meter: Meter, readings: Sequence[Reading]) -> None:
        """Take readings of a registered source; it is no longer lost then."""
        source = self._sources[meter.identity.name]
        source.problem = None
        now_ns = self._clock.monotonic_ns()
        for reading in readings:
            if (source.name, reading.channel) not in self._traces:
                self._show(meter, reading)
            self._traces[source.name, reading.channel].add(reading, now_ns)

    def lose(self, name: str, problem: str) -> None:
        """Say that a source does not answer, and why."""
        self._sources[name].problem = problem
        if all(source != name for source, _ in self._traces):
            self._end_subscriptions()

    def forget(self, name: str) -> None:
        """Show a source no more: it was taken from the bench. Listeners take a new snapshot."""
        if self._sources.pop(name, None) is not None:
            self._traces = {key: trace for key, trace in self._traces.items() if key[0] != name}
            self._days = sum(trace.keeps_day for trace in self._traces.values())
            self._end_subscriptions()

    def snapshot(self) -> list[LiveChannel]:
        """Describe every channel with its recent history."""
        now_ns = self._clock.monotonic_ns()
        shown = {name for name, _ in self._traces}
        silent = [ChannelTrace(source, AWAITED, 0.0) for name, source in self._sources.items() if name not in shown]
        return [trace.view(now_ns) for trace in [*self._traces.values(), *silent]]

    def recent(self, source: str) -> list[ChannelTrace]:
        """List the channels of one source with their recent history."""
        return [trace for (name, _), trace in self._traces.items() if name == source]

    def history(self, source: str, begin_s: float, end_s: float, points: int) -> list[LiveColumns]:
        """Give a stretch of the last day of a source's channels [Unix s]; a source that is not known has none."""
        now_s = self._clock.utc_ns() * 1e-9
        found = (trace.columns(begin_s, end_s, now_s, points) for trace in self.recent(source))
        return [columns for columns in found if columns is not None]

    def beat(self) -> None:
        """Send what is new, in one batch; to be called every `BEAT_S`. Unheard, only some of the calls look."""
        self._unheard = 0 if self._subscriptions else self._unheard + 1
        if self._unheard % UNHEARD_BEATS:
            return
        self._send_news()

    def _send_news(self) -> None:
        now_ns, now_s = self._clock.monotonic_ns(), self._clock.utc_ns() * 1e-9
        if not self._subscriptions:
            for trace in self._traces.values():
                trace.pass_over(now_ns, now_s)
            return
        batch = tuple(news for trace in self._traces.values() if (news := trace.news(now_ns, now_s)) is not None)
        if batch:
            for subscription in self._subscriptions:
                self.dropped_batches += subscription.offer_samples(batch)

    def publish_campaign(self, campaign: CampaignOut) -> None:
        """Send the campaign's new state at once."""
        for subscription in self._subscriptions:
            subscription.offer_campaign(campaign)

    def subscribe(self) -> Subscription:
        """Listen from now on; a snapshot taken at once afterwards neither lacks nor repeats what then comes.

        The subscription ends when the set of channels changes (a BMC lists its sensors only when it answers):
        subscribe again and take a new snapshot, unless the hub is `closed`.
        """
        self._send_news()
        subscription = Subscription(self._forget, self._backlog)
        self._subscriptions.append(subscription)
        if self._closed:
            subscription.close()
        return subscription

    def close(self) -> None:
        """End all subscriptions, present and future, so that the server can stop. From any thread."""
        self._closed = True
        self._end_subscriptions()

    def _forget(self, subscription: Subscription) -> None:
        if subscription in self._subscriptions:
            self._subscriptions.remove(subscription)

    def _show(self, meter: Meter, reading: Reading | None = None) -> None:
        source = self._sources[meter.identity.name]
        channels = list(meter.channels)
        if reading is not None and all(channel.id != reading.channel for channel in channels):
            channels.append(Channel(reading.channel, reading.channel, reading.unit, reading.kind))
        new = [channel for channel in channels if (source.name, channel.id) not in self._traces]
        for channel in new:
            self._traces[source.name, channel.id] = ChannelTrace(
                source, channel, self._history_s, self._day_of(channel)
            )
        if new:
            self._end_subscriptions()

    def _day_of(self, channel: Channel) -> LiveHistory | None:
        """Begin the day of a channel while there is room for it; None: only its last minutes are kept."""
        if self._days >= (DAYS if channel.quantity == "power" else DAYS // 2):
            return None
        self._days += 1
        return LiveHistory()

    def _end_subscriptions(self) -> None:
        for subscription in list(self._subscriptions):
            subscription.close()
