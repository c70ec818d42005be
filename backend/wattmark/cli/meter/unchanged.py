"""For how long each channel has shown its value, as far as this program has watched."""

from __future__ import annotations

import math
from collections.abc import Sequence

from wattmark_drivers.reading import Reading


class Unchanged:
    """Keeps the newest reading of each channel and since when its value stands."""

    def __init__(self) -> None:
        self._newest: dict[str, Reading] = {}
        self._since_ns: dict[str, int] = {}

    def take(self, readings: Sequence[Reading]) -> None:
        """Take over a poll."""
        for reading in readings:
            before = self._newest.get(reading.channel)
            same = before is not None and (
                before.value == reading.value or (math.isnan(before.value) and math.isnan(reading.value))
            )
            if not same:
                self._since_ns[reading.channel] = reading.t_ns
            self._newest[reading.channel] = reading

    @property
    def newest(self) -> list[Reading]:
        """List the newest reading of each channel."""
        return list(self._newest.values())

    @property
    def stood_s(self) -> dict[str, float]:
        """Return for how long each channel's value has stood [s]."""
        return {name: (reading.t_ns - self._since_ns[name]) / 1e9 for name, reading in self._newest.items()}
