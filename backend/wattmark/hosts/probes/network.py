"""How busy each network link is: the kernel's sysfs-class-net (statistics/*_bytes, speed [Mbit/s])."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from wattmark_drivers.reading import Channel, Kind

from wattmark.hosts.probes.files import Texts
from wattmark.hosts.probes.probe import Rate, Taken, Values, number

FILES = "/sys/class/net/*/statistics/rx_bytes"
LOOPBACK = "lo"


@dataclass(frozen=True, slots=True)
class _Link:
    name: str
    has_speed: bool
    received: Rate
    sent: Rate

    @property
    def counters(self) -> tuple[str, str]:
        folder = f"/sys/class/net/{self.name}/statistics"
        return f"{folder}/rx_bytes", f"{folder}/tx_bytes"

    @property
    def paths(self) -> tuple[str, ...]:
        return (*self.counters, speed_file(self.name)) if self.has_speed else self.counters

    @property
    def channels(self) -> tuple[Channel, Channel, Channel]:
        return (
            Channel(f"{self.name}_receive", "bandwidth", "MB/s", Kind.AVERAGED, f"Link {self.name}, received"),
            Channel(f"{self.name}_send", "bandwidth", "MB/s", Kind.AVERAGED, f"Link {self.name}, sent"),
            Channel(f"{self.name}_utilisation", "network_utilisation", "%", Kind.AVERAGED, f"Link {self.name}, busy"),
        )


def link_names(paths: Sequence[str]) -> list[str]:
    """Return the links of the statistics files, without the loopback."""
    names = [path.split("/")[4] for path in paths]
    return [name for name in names if name != LOOPBACK]


def speed_file(name: str) -> str:
    """Return the file with a link's speed."""
    return f"/sys/class/net/{name}/speed"


class NetworkProbe:
    """Traffic of each link, and the busier direction as a share of its speed where the link has one.

    The speed is read with the counters: a link may negotiate another one at any time.
    """

    def __init__(self, names: Sequence[str], texts: Texts) -> None:
        self._links = [_Link(name, _speed(texts, name) > 0, Rate(), Rate()) for name in names]

    @property
    def paths(self) -> Sequence[str]:
        """List the counters of all links, and the speeds of those that have one."""
        return [path for link in self._links for path in link.paths]

    @property
    def channels(self) -> Sequence[Channel]:
        """List traffic and, where the speed is known, the busy share."""
        return [channel for link in self._links for channel in link.channels[: 3 if link.has_speed else 2]]

    def values(self, texts: Texts, taken: Taken) -> Values:
        """Compute traffic [MB/s] and the busy share [%] since the previous reading."""
        values = {}
        for link in self._links:
            received, sent, busy = link.channels
            rates = [
                rate.of(number(texts, path), taken.at_s)
                for rate, path in zip((link.received, link.sent), link.counters, strict=True)
            ]
            if rates[0] is None or rates[1] is None:
                continue
            values[received.id], values[sent.id] = rates[0] / 1e6, rates[1] / 1e6
            if link.has_speed:
                share_pct = 100 * max(rates[0], rates[1]) * 8 / (_speed(texts, link.name) * 1e6)
                is_known = not math.isnan(share_pct + rates[0] + rates[1])
                values[busy.id] = min(100.0, share_pct) if is_known else math.nan
        return values


def _speed(texts: Texts, name: str) -> float:
    """Read a link's speed [Mbit/s]; NaN for a link that has none (-1, or an unreadable file)."""
    value = number(texts, speed_file(name))
    return value if value > 0 else math.nan
