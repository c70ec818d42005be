"""What a channel is, by its quantity: one decision for records, live view and figures."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Literal

Total = Literal["power", "energy"]
QUANTITIES: tuple[Total, ...] = ("power", "energy")
TOTALS: Mapping[Total, tuple[str, ...]] = {"power": ("power", "dcmi_power"), "energy": ("energy", "energy_import")}
"""Channels that hold the whole of an instrument's power or energy; others are phases, supplies or exports."""
BIT_MASKS = "status"
"""Quantity of which a mean is nothing: several masks have none, and what looks like one names other reasons."""
_PART = re.compile(r".+_(?:l|ch|phase|outlet)_?\d+|.+_export")
"""Names of a phase, an input, an outlet or the energy given back: even a single one is not a total."""


def total_channel(channels: Iterable[str], quantity: Total = "power") -> str | None:
    """Find the channel with an instrument's total power or energy among its channels of that quantity.

    None where it shows parts only. They are not added up, as they are not declared to be complete.
    """
    distinct = dict.fromkeys(channels)
    named = next((channel for channel in TOTALS[quantity] if channel in distinct), None)
    if named is not None or len(distinct) != 1:
        return named
    lone = next(iter(distinct))
    return None if _PART.fullmatch(lone) else lone


def total_channels(channels: Iterable[tuple[str, str]]) -> set[tuple[str, str]]:
    """Find the totals of an instrument among all its channels, given and returned as quantity and name."""
    named = list(channels)
    totals = {q: total_channel((channel for quantity, channel in named if quantity == q), q) for q in QUANTITIES}
    return {(quantity, channel) for quantity, channel in totals.items() if channel is not None}
