"""Steps of an energy counter that no load makes: a first reading of 0, the end of an integer format, a jump."""

from __future__ import annotations

import numpy as np

from wattmark.core.errors import InputError
from wattmark.importers.logs.log_blocks import ChannelPart

_LONE = 50.0
"""A mean power this many times that of all other steps is none: servers take three to ten times their idle power."""
_FEWEST = 2
_JOULES_PER_WH = 3600.0


class CounterSteps:
    """The two largest mean powers between readings of a counter [W], block by block."""

    def __init__(self) -> None:
        self._last: tuple[int, float] | None = None
        self._largest = [0.0, 0.0]
        self._steps = 0

    def add(self, part: ChannelPart) -> None:
        """Take note of readings that follow the others [Wh]."""
        there = np.isfinite(part.value)
        t_ns, value = part.t_ns[there], part.value[there]
        if self._last is not None:
            t_ns, value = np.append(self._last[0], t_ns), np.append(self._last[1], value)
        if not len(t_ns):
            return
        self._last = int(t_ns[-1]), float(value[-1])
        span_s, rise = np.diff(t_ns) / 1e9, np.diff(value)
        watts = rise[(span_s > 0) & (rise > 0)] * _JOULES_PER_WH / span_s[(span_s > 0) & (rise > 0)]
        self._steps += len(watts)
        self._largest = sorted([*self._largest, *watts.tolist()])[-2:]

    def require_possible(self, how: str) -> None:
        """Refuse a counter that rises in one step as no load can. Raises `InputError`."""
        others, most = self._largest
        if self._steps >= _FEWEST and most > _LONE * others:
            raise InputError(
                f"{how} rises as at {most:.6g} W in one step and at most as at {others:.6g} W in all others: it began "
                "or ended there with a number that is none, or jumped.",
                "Remove that line, or choose a part of the log without it.",
            )
