"""The live view as campaigns use it: power and temperatures of the sources, with what may be used of them."""

from __future__ import annotations

from wattmark.campaigns.live_feed import LiveTrace
from wattmark.recording.live import LiveHub
from wattmark.recording.live_channel import ChannelTrace
from wattmark.results.series import TOTALS


class HubFeed:
    """Reads the history that the live view keeps in memory."""

    def __init__(self, hub: LiveHub) -> None:
        self._hub = hub

    def power(self, source: str) -> LiveTrace | None:
        """Give a meter's total active power [W]; None where it has no single channel for it."""
        found = [one for one in self._hub.recent(source) if one.channel.quantity == "power"]
        totals = [one for name in TOTALS["power"] for one in found if one.channel.id == name]
        chosen = totals[:1] or (found if len(found) == 1 else [])
        return _trace(source, chosen[0]) if chosen else None

    def temperatures(self, source: str) -> list[LiveTrace]:
        """Give all temperatures of a source [°C]."""
        return [_trace(source, one) for one in self._hub.recent(source) if one.channel.quantity == "temperature"]


def _trace(source: str, one: ChannelTrace) -> LiveTrace:
    points = one.points()
    stamps, values = tuple(t_s for t_s, _ in points), tuple(value for _, value in points)
    return LiveTrace(source, one.channel.id, one.channel.quantity, stamps, values)
