"""How many parts of one line draw as much as one of another, and which draws less for the same capacity."""

from __future__ import annotations

from wattmark.analysis.parts.quotient import quotient
from wattmark.analysis.refusal import Refused
from wattmark.comparison.parts.counting import Counting
from wattmark.comparison.parts.rates import NO_PLUS_MINUS
from wattmark.comparison.parts.views import PartLine, PartRate
from wattmark.core.interval import Interval
from wattmark.core.numbers import format_number, format_rounded


def equal_power(
    costlier: tuple[PartLine, Counting], thriftier: tuple[PartLine, Counting]
) -> tuple[PartRate | None, list[str]]:
    """Compute how many parts of the thriftier line draw as much as one of the costlier, and say what that means.

    None where no one model is counted.
    """
    (much, of_much), (little, of_little) = costlier, thriftier
    if of_much.model is None or of_little.model is None:
        return None, []
    quantity, many = f"{little.title}: as many draw as much as one {much.title}", of_much.part.many
    try:
        value = quotient(much.watts_per_part, little.watts_per_part)
    except Refused:
        text = f"No figure: what a {little.title} adds to power may be 0 by its interval; nothing bounds the quotient."
        return PartRate(quantity=quantity, unit=many, remark=text), [text]
    remark = NO_PLUS_MINUS.format(of_much.part.one) if value.U95 is None else None
    rate = PartRate(quantity=quantity, value=value, unit=many, remark=remark)
    capacities = of_much.model.capacity_tb, of_little.model.capacity_tb
    return rate, [_as_many(much, little, value), *_at_equal_capacity(much, little, value, capacities)]


def _as_many(much: PartLine, little: PartLine, value: Interval) -> str:
    """Say how many parts of one line draw as much as one of the other."""
    half, (low, high) = value.U95, value.ends
    ends = "" if half is None else f" (95 % interval {format_rounded(low, half)} to {format_rounded(high, half)})"
    of, other = (f" of {line.server}" if much.server != little.server else "" for line in (much, little))
    return f"One {much.title}{of} draws as much as {format_rounded(value.value, half)} of {little.title}{other}{ends}."


def _at_equal_capacity(
    much: PartLine, little: PartLine, value: Interval, capacities: tuple[float | None, float | None]
) -> list[str]:
    """Say which of two parts draws less at equal capacity [TB]; nothing where one states none."""
    holds_much, holds_little = capacities
    if much.title == little.title or not holds_much or not holds_little:
        return []
    holds = holds_much / holds_little
    verdict = "which of them draws less for the same capacity is not known"
    if value.high is not None and value.high < holds:
        verdict = f"for the same capacity {much.title} draws less"
    elif value.low is not None and value.low > holds:
        verdict = f"for the same capacity {little.title} draws less"
    return [f"It holds as much as {format_number(holds, 3)} of them: {verdict}."]
