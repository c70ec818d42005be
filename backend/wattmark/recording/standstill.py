"""Detect a channel that repeats one reading. Pure: readings in, words out."""

from __future__ import annotations

from datetime import UTC, datetime

from wattmark.analysis.verdict import Limits

MOST_EQUAL = Limits().frozen_samples
"""Equal readings in a row that power other than 0 W may show: the limit of the verdict `frozen` of a run."""


class Standstill:
    """Follow one channel. Only ``power`` of a meter with a specification is compared with `MOST_EQUAL`.

    Rated values, setpoints, states and power of 0 W are rightly constant, and so are the coarse sensors of a BMC.
    """

    __slots__ = ("_count", "_power", "_since_s", "_stale", "_value", "frozen")

    def __init__(self, *, power: bool) -> None:
        self._power = power
        self._value: float | None = None
        self._count = 0
        self._since_s = 0.0
        self._stale = False
        self.frozen = False
        """Whether the channel repeats itself more than a measured one can."""

    def take(self, t_s: float, value: float, *, stale: bool) -> None:
        """Add a reading [Unix s, unit of the channel]; ``stale``: its driver reports that it repeats an old one."""
        self._stale = stale
        if value == self._value:
            self._count += 1
            self.frozen = stale or (self._power and self._count > MOST_EQUAL and value != 0)
            return
        self._value, self._count, self._since_s = value, 1, t_s
        self.frozen = stale

    def words(self, unit: str) -> str | None:
        """Explain what repeats since when, and what to do; None while it does not."""
        if not self.frozen:
            return None
        since = datetime.fromtimestamp(self._since_s, UTC).strftime("%H:%M:%S")
        if self._stale:
            return (
                f"Readings arrive, but none has changed since {since} UTC, so they are not used. If the meter hangs, "
                "switch it off and on."
            )
        return (
            f"{self._count} readings in a row are {self._value:g} {unit}, since {since} UTC. "
            "The meter may have stopped measuring: check it, or use a range with a finer resolution."
        )
