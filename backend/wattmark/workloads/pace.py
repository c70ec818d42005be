"""Whether a load that has a rate for a level did as much as that asks for."""

from __future__ import annotations

import math

from wattmark.analysis.comparison.specpower import TARGET_TOLERANCE_PCT
from wattmark.core.numbers import format_number
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.parsers.work import MarkedWork


def remark_on_pace(declaration: Declaration, level: int | None, work: MarkedWork) -> str | None:
    """Say that a level was not held; None where it was, where levels are no rates, and at more than there can be."""
    rule = declaration.level
    if rule is None or rule.asks_per_s is None or level is None or level == rule.most:
        return None
    asked = level * rule.asks_per_s
    done = work.stated_rate
    if done is None:
        done = math.fsum(item.amount for item in work.intervals) / work.duration_s
    off_pct = 100 * (done / asked - 1)
    if abs(off_pct) <= TARGET_TOLERANCE_PCT:
        return None
    unit = declaration.unit
    return (
        f"The level was not held: it asks for {format_number(asked, 4)} {unit}/s, and {format_number(done, 4)} "
        f"{unit}/s were done ({off_pct:+.1f} %; limit {TARGET_TOLERANCE_PCT:g} %)."
    )
