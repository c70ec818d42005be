"""Ranks with ties from all pairwise comparisons."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from wattmark.analysis.comparison.comparison import Estimate, System, can_test, ratio

SIGNIFICANCE = 0.05
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Comparisons:
    """All pairwise ratios of a set of systems: estimates, and p values adjusted by Holm where they can be tested."""

    estimates: Mapping[Pair, Estimate]
    p_adjusted: Mapping[Pair, float]

    def significant(self, a: str, b: str) -> bool | None:
        """Return whether a and b differ; None where it cannot be tested."""
        p = self.p_adjusted.get((a, b), self.p_adjusted.get((b, a)))
        return None if p is None else p < SIGNIFICANCE


def holm(p: Sequence[float]) -> list[float]:
    """Compute p-values adjusted for their number by Holm (1979)."""
    order = sorted(range(len(p)), key=lambda i: p[i])
    adjusted = [0.0] * len(p)
    reached = 0.0
    for rank, i in enumerate(order):
        reached = max(reached, min(1.0, (len(p) - rank) * p[i]))
        adjusted[i] = reached
    return adjusted


def compare_all(
    systems: Mapping[str, System], comparable: Callable[[str, str], bool] = lambda _a, _b: True
) -> Comparisons:
    """Compare every system with every other; pairs in the order of the mapping, a/b for (a, b).

    ``comparable`` tells which pairs may be tested at all; of the others only the ratio is given.
    """
    estimates = {
        (a, b): estimate
        for a, b in itertools.combinations(systems, 2)
        if (estimate := ratio(systems[a], systems[b])) is not None
    }
    tested = [
        (a, b)
        for (a, b), estimate in estimates.items()
        if estimate.u > 0 and comparable(a, b) and can_test(systems[a], systems[b])
    ]
    adjusted = holm([estimates[pair].p for pair in tested])
    return Comparisons(estimates, dict(zip(tested, adjusted, strict=True)))


def rank_interval(
    key: str, systems: Mapping[str, System], compared: Comparisons, *, lower_is_better: bool = False
) -> tuple[int, int] | None:
    """Return the best and the worst rank that a system may have among those it was tested against.

    [1 + number significantly better, k - number significantly worse]; None where it was tested against none.
    """
    others = [other for other in systems if other != key and compared.significant(key, other) is not None]
    if not others:
        return None
    mean = systems[key].log.mean
    differ = [other for other in others if compared.significant(key, other)]
    better = sum((systems[other].log.mean > mean) is not lower_is_better for other in differ)
    return 1 + better, len(others) + 1 - (len(differ) - better)
