"""How fast one peer may ask: a bucket of requests that fills at a steady rate. Pure but for the clock."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable

MOST_PEERS = 256
"""Peers whose pace is remembered; of more the one that asked longest ago is forgotten."""


class Pace:
    """Counts requests against an allowance of ``per_s`` [1/s], of which each peer may save up ``at_once``.

    A request that came too early is not charged where its peer owes ``most_owed`` requests, by default as many as it
    may save up, so that a flood is forgotten soon after it ends. Where each request that waits holds one of
    ``most_owed`` places, no number of requests side by side is quicker.
    """

    def __init__(
        self,
        per_s: float,
        at_once: float,
        now_s: Callable[[], float] = time.monotonic,
        *,
        most_owed: float | None = None,
    ) -> None:
        self._per_s = per_s
        self._at_once = at_once
        self._now_s = now_s
        self._most_owed = at_once if most_owed is None else most_owed
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def spend(self, peer: str) -> float:
        """Use up one request; return how long its peer should have waited before it [s], 0 within the allowance."""
        now_s = self._now_s()
        left, seen_s = self._left.pop(peer, (self._at_once, now_s))
        left = min(self._at_once, left + (now_s - seen_s) * self._per_s)
        allowed = left > 1 - self._most_owed
        if len(self._left) >= MOST_PEERS:
            self._left.popitem(last=False)
        self._left[peer] = (left - 1 if allowed else left, now_s)
        return max(0.0, 1 - left) / self._per_s
