"""Ranks with ties from all pairwise comparisons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from wattmark.analysis.comparison.comparison import System, can_test
from wattmark.analysis.comparison.pairwise import Ratios

SIGNIFICANCE = 0.05
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Comparisons:
    """p values of all pairs of a set of systems that can be tested, adjusted by Holm."""

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
    """Compare every system with every other; pairs in the order of the mapping.

    ``comparable`` tells which pairs may be tested at all.
    """
    keys = [key for key, system in systems.items() if system.log.u is not None]
    ratios = Ratios([systems[key] for key in keys])
    tested: list[Pair] = []
    p_values: list[float] = []
    for i, key in enumerate(keys):
        others = [
            j for j in range(i + 1, len(keys)) if comparable(key, keys[j]) and can_test(systems[key], systems[keys[j]])
        ]
        for j, p in zip(others, ratios.p(i, others), strict=True):
            if p is not None:
                tested.append((key, keys[j]))
                p_values.append(p)
    return Comparisons(dict(zip(tested, holm(p_values), strict=True)))


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
