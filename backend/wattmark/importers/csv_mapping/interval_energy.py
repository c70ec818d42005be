"""Energy since the line before, as mean power over that time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from wattmark.importers.csv_mapping.mapping import CsvMapping
from wattmark.importers.csv_mapping.units import INTERVAL_ENERGY
from wattmark.importers.logs.log_blocks import ChannelPart
from wattmark.importers.logs.log_reader import UNUSABLE


class IntervalEnergy:
    """Turns energy since the line before into mean power over that time, block by block."""

    def __init__(self, mapping: CsvMapping) -> None:
        self._latest_ns: dict[int, int | None] = {
            number: None for number, column in enumerate(mapping.columns) if column.quantity == INTERVAL_ENERGY
        }

    def as_power(self, parts: Sequence[ChannelPart]) -> list[ChannelPart]:
        """Return a block with power [W] in place of energy [J]; the first reading has no interval."""
        return [self._as_power(part) if part.channel in self._latest_ns else part for part in parts]

    def _as_power(self, part: ChannelPart) -> ChannelPart:
        there = np.flatnonzero(~np.isnan(part.value))
        if not len(there):
            return part
        t_ns, value, latest_ns = part.t_ns[there], part.value.copy(), self._latest_ns[part.channel]
        before = np.concatenate((t_ns[:1] if latest_ns is None else np.array([latest_ns], np.int64), t_ns[:-1]))
        span_s = (t_ns - before) / 1e9
        value[there] = np.divide(value[there], span_s, out=np.full(len(there), UNUSABLE), where=span_s > 0)
        if latest_ns is None:
            value[there[0]] = np.nan
        self._latest_ns[part.channel] = int(t_ns[-1])
        return replace(part, value=value)
