"""A slope in words: watts per DIMM with the digits that its interval supports."""

from __future__ import annotations

from wattmark.core.numbers import format_rounded


def slope_words(value: float, interval: tuple[float, float] | None) -> tuple[str, str]:
    """Write a slope [W] and its 95 % interval to two digits of the half width; without one, to three digits."""
    if interval is None:
        return format_rounded(value, None, "W"), ""
    low, high = interval
    half = (high - low) / 2
    ends = f"{format_rounded(low, half)} to {format_rounded(high, half, 'W')}"
    return format_rounded(value, half, "W"), f" (95 % interval {ends})"
