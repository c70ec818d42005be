"""A slope in words: watts per part with the digits that its interval supports."""

from __future__ import annotations

from wattmark.analysis.comparison.course import Turns
from wattmark.analysis.parts.fit import CountFit
from wattmark.analysis.parts.slopes import one_line
from wattmark.comparison.compare.wording import CHANGES
from wattmark.core.interval import Interval
from wattmark.core.numbers import format_rounded
from wattmark.core.part_words import PartWords


def slope_words(slope: Interval) -> tuple[str, str]:
    """Write a slope [W] and its 95 % interval to two digits of the half width; without one, to three digits."""
    half, (low, high) = slope.U95, slope.ends
    ends = f"{format_rounded(low, half)} to {format_rounded(high, half, 'W')}"
    return format_rounded(slope.value, half, "W"), "" if half is None else f" (95 % interval {ends})"


def order_words(order: Turns, part: PartWords) -> str | None:
    """Explain, in a clause, that a slope holds what changed with time; None where the counts were measured in turns."""
    if order == "in turns":
        return None
    if order == "not recorded":
        return "when the runs were made is not recorded, so that the slope cannot be told from a change with time"
    return (
        f"the {part.one} counts were measured one after the other: time and the number of {part.many} changed "
        "together, so that "
        f"everything that changed over time ({CHANGES}) is in the slope; random blocks, or sweeps up and down, tell "
        "them apart"
    )


def why_unbounded(fit: CountFit) -> str | None:
    """Explain in sentences why a slope has no ±; None where its own runs allow one."""
    order = order_words(fit.turns, fit.part) if fit.turns == "one after the other" else None
    if order is not None:
        return f"There is no ±: {order}.{'' if fit.seated else f' {one_line(fit.part)}'}"
    return None if fit.seated else f"There is no ±. {one_line(fit.part)}"


def slope_remark(fit: CountFit) -> str | None:
    """Explain in sentences why a slope has no ±, or which other effects it may include; None: neither."""
    order = order_words(fit.turns, fit.part)
    return why_unbounded(fit) or (None if order is None else f"{order[0].upper()}{order[1:]}.")
