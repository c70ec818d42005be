"""The live view: what every channel shows now, and who listens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from wattmark_drivers.clock import Clock
from wattmark_drivers.meter import Meter
from wattmark_drivers.reading import Reading

from wattmark.core.schema import Schema
from wattmark.recording.live_channel import ChannelTrace, LiveSource, Role
from wattmark.recording.live_registry import LiveRegistry
from wattmark.recording.subscription import CampaignEvent, LiveEvent, SamplesEvent, Subscription
from wattmark.recording.views import LiveChannel, LiveColumns

__all__ = ["CampaignEvent", "LiveEvent", "LiveHub", "SamplesEvent", "Subscription"]

BEAT_S = 0.1
"""Time between batches."""
LOOKS, LOOK_BEATS = 100, 10
"""Channels checked for silence in one beat; more on a large bench, whose channels take turns within this number of
beats."""
_BACKLOG_BATCHES = 20


class LiveHub:
    """Fan readings out to listeners. All methods but `close` belong to the event loop's thread."""

    def __init__(self, clock: Clock, *, history_s: float = 600.0, backlog: int = _BACKLOG_BATCHES) -> None:
        self._clock = clock
        self._backlog = backlog
        self._bench = LiveRegistry(history_s)
        self._fresh: dict[ChannelTrace, None] = {}
        self._turn = 0
        self._subscriptions: list[Subscription] = []
        self._closed = False
        self.dropped_batches = 0
        """Batches that listeners were too slow for, since the start."""

    @property
    def listeners(self) -> int:
        return len(self._subscriptions)

    def problems(self) -> dict[str, str | None]:
        """Return for each source why it does not answer; None: it does, or was not asked yet."""
        return {name: source.problem for name, source in self._bench.sources.items()}

    def frozen(self, *, wholly: bool = False) -> dict[str, str]:
        """Map each source that repeats a reading to its description; ``wholly``: only where no channel changes."""
        frozen_sources: dict[str, str] = {}
        for name, own in list(self._bench.channels.items()):
            repeated = [trace.repeats for trace in list(own.values())]
            words = next((words for words in repeated if words is not None), None)
            if words is not None and not (wholly and None in repeated):
                frozen_sources[name] = words
        return frozen_sources

    def ages_s(self) -> dict[str, float]:
        """Compute the age of each source's newest reading [s]; a source without one is excluded."""
        now_ns = self._clock.monotonic_ns()
        arrivals = {
            name: [trace.arrived_ns for trace in list(own.values()) if trace.arrived_ns is not None]
            for name, own in list(self._bench.channels.items())
        }
        return {name: (now_ns - max(arrived)) * 1e-9 for name, arrived in arrivals.items() if arrived}

    @property
    def closed(self) -> bool:
        """Return whether the service is stopping."""
        return self._closed

    def register(
        self, meter: Meter, role: Role, server: str | None, period_s: float, shared: tuple[str, ...] = ()
    ) -> None:
        """Show a source before its first reading, with the channels that it already knows.

        ``shared`` are the servers that it measures together; ``server`` is None then.
        """
        identity = meter.identity
        source = LiveSource(identity.name, role, server, identity.simulated, period_s, identity.indicative)
        source.shared, source.serial = shared, identity.serial
        self._bench.enter(source)
        self._show(meter)

    def mark_answering(self, meter: Meter) -> None:
        """Mark a source as answering: its channels are complete now, and it may have reported that it is simulated."""
        source = self._bench.sources[meter.identity.name]
        source.problem = None
        source.simulated, source.serial = meter.identity.simulated, meter.identity.serial
        if meter.pushes:
            source.period_s = meter.identity.update_period_s
        self._show(meter)

    def push(self, meter: Meter, readings: Sequence[Reading]) -> None:
        """Add readings of a registered source, which ends its loss."""
        identity = meter.identity
        name = identity.name
        source = self._bench.sources[name]
        source.problem = None
        if identity.pace is not None:
            source.period_s = identity.update_period_s
        own = self._bench.channels[name]
        now_ns = self._clock.monotonic_ns()
        for reading in readings:
            trace = own.get(reading.channel)
            if trace is None:
                self._show(meter, reading)
                trace = own[reading.channel]
            trace.add(reading, now_ns)
        if self._subscriptions:
            self._fresh.update(dict.fromkeys(own[reading.channel] for reading in readings))

    def is_simulated(self, name: str) -> bool:
        """Return whether a source reports that it is simulated; False for a source that is not shown."""
        source = self._bench.sources.get(name)
        return source is not None and source.simulated

    def lose(self, name: str, problem: str) -> None:
        """Mark a source as not answering, with the reason."""
        self._bench.sources[name].problem = problem
        if not self._bench.channels[name]:
            self._end_subscriptions()

    def forget(self, name: str) -> None:
        """Show a source no more: it was taken from the bench. Listeners take a new snapshot."""
        if self._bench.remove(name):
            self._end_subscriptions()

    def snapshot(self) -> list[LiveChannel]:
        """Describe every channel with its recent history; the more channels there are, the less of it."""
        now_ns = self._clock.monotonic_ns()
        return [trace.view(now_ns) for trace in self._bench.shown()]

    def recent(self, source: str) -> list[ChannelTrace]:
        """List the channels of one source with their recent history."""
        return list(self._bench.channels.get(source, {}).values())

    def sources(self) -> list[LiveSource]:
        """List what is shown. From any thread."""
        return list(self._bench.sources.values())

    def source(self, name: str) -> LiveSource | None:
        """Find what is shown under a name."""
        return self._bench.sources.get(name)

    def totals(self, source: str) -> Mapping[str, ChannelTrace]:
        """Map the names of the channels that hold the whole power and energy of a source to these channels."""
        return self._bench.totals.get(source, {})

    def history(self, source: str, begin_s: float, end_s: float, points: int) -> list[LiveColumns]:
        """Return a stretch of the last day of a source's channels [Unix s]; a source that is not known has none."""
        now_s = self._clock.utc_ns() * 1e-9
        columns = (trace.columns(begin_s, end_s, now_s, points) for trace in self.recent(source))
        return [columns for columns in columns if columns is not None]

    def beat(self) -> None:
        """Send new points and states in one batch; to be called every `BEAT_S`."""
        traces = self._bench.traces
        if self._turn >= len(traces):
            self._turn = 0
        looks = max(LOOKS, len(traces) // LOOK_BEATS)
        self._look(traces[self._turn : self._turn + looks])
        self._turn += looks
        self._send_news()

    def _look(self, traces: Iterable[ChannelTrace]) -> None:
        now_ns, now_s = self._clock.monotonic_ns(), self._clock.utc_ns() * 1e-9
        changed = [trace for trace in traces if trace.look(now_ns, now_s)]
        self._fresh.update(dict.fromkeys(changed))

    def _send_news(self) -> None:
        fresh, self._fresh = self._fresh, {}
        if not (fresh and self._subscriptions):
            return
        now_ns, now_s = self._clock.monotonic_ns(), self._clock.utc_ns() * 1e-9
        for trace in fresh:
            trace.look(now_ns, now_s)
        batch = tuple([trace.news() for trace in fresh])
        for subscription in self._subscriptions:
            self.dropped_batches += subscription.offer_samples(batch)

    def publish_campaign(self, campaign: Schema) -> None:
        """Send the new state of a campaign at once; only its sender and the listeners interpret the content."""
        for subscription in self._subscriptions:
            subscription.offer_campaign(campaign)

    def subscribe(self) -> Subscription:
        """Subscribe; a snapshot taken immediately afterwards and the later batches have no gap and no overlap.

        The subscription ends when the set of channels changes (a BMC lists its sensors only when it answers):
        subscribe again and take a new snapshot, unless the hub is `closed`.
        """
        self._look(self._bench.traces)
        self._send_news()
        if not self._subscriptions:
            for trace in self._bench.traces:
                trace.unsent = 0
        subscription = Subscription(self._forget, self._backlog)
        self._subscriptions.append(subscription)
        if self._closed:
            subscription.close()
        return subscription

    def close(self) -> None:
        """Stop all subscriptions, present and future, so that the server can stop. From any thread."""
        self._closed = True
        self._end_subscriptions()

    def _forget(self, subscription: Subscription) -> None:
        if subscription in self._subscriptions:
            self._subscriptions.remove(subscription)

    def _show(self, meter: Meter, reading: Reading | None = None) -> None:
        if self._bench.complete(meter, reading):
            self._end_subscriptions()

    def _end_subscriptions(self) -> None:
        for subscription in list(self._subscriptions):
            subscription.close()
