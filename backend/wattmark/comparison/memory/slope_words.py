"""A slope in words: watts per DIMM with the digits that its interval supports."""

from __future__ import annotations

from wattmark.analysis.comparison.course import Turns
from wattmark.comparison.compare.wording import CHANGES
from wattmark.core.numbers import format_rounded


def slope_words(value: float, interval: tuple[float, float] | None) -> tuple[str, str]:
    """Write a slope [W] and its 95 % interval to two digits of the half width; without one, to three digits."""
    if interval is None:
        return format_rounded(value, None, "W"), ""
    low, high = interval
    half = (high - low) / 2
    ends = f"{format_rounded(low, half)} to {format_rounded(high, half, 'W')}"
    return format_rounded(value, half, "W"), f" (95 % interval {ends})"


def order_words(order: Turns) -> str | None:
    """Explain, in a clause, that a slope holds what changed with time; None where the counts were measured in turns."""
    if order == "in turns":
        return None
    if order == "not recorded":
        return "when the runs were made is not recorded, so that the slope cannot be told from a change with time"
    return (
        f"the DIMM counts were measured one after the other, so that everything that changed with time ({CHANGES}) is "
        "in the slope; sweeps up and down tell them apart"
    )
