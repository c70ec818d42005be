"""The power of each source of a log beside its volts and amperes at the same stamps."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from wattmark.importers.impossible_loads import ElectricalLoad
from wattmark.importers.logs.log_blocks import ChannelPart
from wattmark.importers.logs.log_channel import POWER, LogChannel

BESIDE = ("voltage", "current", "apparent_power", "power_factor")


def loads_of(
    channels: Sequence[LogChannel], block: Sequence[ChannelPart]
) -> dict[str, tuple[ChannelPart, ElectricalLoad]]:
    """Return by source the readings of its power in a block, and what they are held against."""
    of_source: dict[str, dict[str, ChannelPart]] = {}
    for part in block:
        channel = channels[part.channel]
        of_source.setdefault(channel.source, {})[channel.id] = part
    return {source: (parts[POWER], _load(parts)) for source, parts in of_source.items() if POWER in parts}


def _load(parts: Mapping[str, ChannelPart]) -> ElectricalLoad:
    power = parts[POWER]
    return ElectricalLoad(_finite(power.value), *(_at(parts.get(name), power.t_ns) for name in BESIDE))


def _at(part: ChannelPart | None, t_ns: NDArray[np.int64]) -> NDArray[np.float64] | None:
    """Return the readings at the stamps of the power; NaN where there is none."""
    if part is None:
        return None
    value = _finite(part.value)
    if np.array_equal(part.t_ns, t_ns):
        return value
    placed = np.full(len(t_ns), np.nan)
    _, where, whence = np.intersect1d(t_ns, part.t_ns, return_indices=True)
    placed[where] = value[whence]
    return placed


def _finite(value: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(np.isfinite(value), value, np.nan)
