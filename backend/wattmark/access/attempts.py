"""Limit of wrong tokens per address."""

from __future__ import annotations

import ipaddress
import math
from collections import OrderedDict, deque

from wattmark_drivers.clock import Clock

ALLOWED = 10
WINDOW_S = 60.0
REMEMBERED = 1024
"""Addresses tracked at a time, so that memory stays bounded."""


class Attempts:
    """Count failures of each address in a sliding window; of IPv6 a /64 network counts as one address."""

    def __init__(
        self, clock: Clock, allowed: int = ALLOWED, window_s: float = WINDOW_S, remembered: int = REMEMBERED
    ) -> None:
        self._clock = clock
        self._allowed = allowed
        self._window_ns = int(window_s * 1e9)
        self._remembered = remembered
        self._failures: OrderedDict[str, deque[int]] = OrderedDict()

    def wait_s(self, address: str) -> int:
        """Compute how long an address has to wait before it may try again [s]; 0: not at all."""
        times = self._failures.get(_network(address))
        if times is None or len(times) < self._allowed:
            return 0
        return max(0, math.ceil((times[0] + self._window_ns - self._clock.monotonic_ns()) * 1e-9))

    def failed(self, address: str) -> None:
        """Record a wrong token."""
        key = _network(address)
        times = self._failures.setdefault(key, deque(maxlen=self._allowed))
        times.append(self._clock.monotonic_ns())
        self._failures.move_to_end(key)
        if len(self._failures) > self._remembered:
            self._failures.popitem(last=False)

    def __len__(self) -> int:
        return len(self._failures)


def _network(address: str) -> str:
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address[:64]
    if isinstance(parsed, ipaddress.IPv6Address) and parsed.ipv4_mapped is None:
        return str(ipaddress.ip_network((parsed, 64), strict=False))
    return str(parsed)
