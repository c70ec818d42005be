"""Quotient of two slopes over the same runs, such as operations per second that a drive adds over its watts."""

from __future__ import annotations

from wattmark.analysis.refusal import Refused
from wattmark.core.interval import Interval, Interval95


def quotient(above: Interval95, below: Interval95) -> Interval:
    """Divide one figure by another, with a 95 % interval [unit of the one / unit of the other].

    The ends are those of both intervals divided: as wide as it takes whatever the correlation of the two, for the sd of
    T - r W is at most u(T) + r u(W). Without a ± of both there are no ends. Raises `Refused` where the interval of the
    divisor reaches 0: nothing then bounds the quotient.
    """
    if not below.low > 0:
        raise Refused("reaches-zero", "The interval of the divisor reaches 0, so nothing bounds the quotient.")
    value = above.value / below.value
    if not (above.complete and below.complete):
        return Interval(value=value)
    low = above.low / (below.high if above.low >= 0 else below.low)
    high = above.high / (below.low if above.high >= 0 else below.high)
    return Interval(value=value, low=low, high=high)
