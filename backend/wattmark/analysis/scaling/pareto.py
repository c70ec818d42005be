"""Which points are beaten: another gives its users at least as much, for less energy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

Standing = Literal["front", "not told", "beaten"]
"""On the front; beaten by the values, within their intervals; beaten beyond them."""


@dataclass(frozen=True, slots=True)
class Tradeoff:
    """What each user gets (more is better) and what it costs (less is better), with the interval of the cost.

    Without an interval the ends are those of all numbers: nothing is told by such a point.
    """

    gain: float
    cost: float
    low: float = -math.inf
    high: float = math.inf


def standings(points: Sequence[Tradeoff]) -> list[Standing]:
    """Judge each point against all others."""
    return [_standing(point, points) for point in points]


def _standing(point: Tradeoff, points: Sequence[Tradeoff]) -> Standing:
    better = [other for other in points if _beats(other, point)]
    if not better:
        return "front"
    return "beaten" if any(other.high < point.low for other in better) else "not told"


def _beats(other: Tradeoff, point: Tradeoff) -> bool:
    as_good = other.gain >= point.gain and other.cost <= point.cost
    return as_good and (other.gain > point.gain or other.cost < point.cost)
