"""Ranks with ties from all pairwise comparisons."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from wattmark.analysis.comparison.comparison import System, can_test
from wattmark.analysis.comparison.course import turns
from wattmark.analysis.comparison.pairwise import Ratios

SIGNIFICANCE = 0.05
Pair = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Comparisons:
    """p values of all pairs of a set of systems that can be tested, adjusted by Holm.

    ``not_in_turns`` are the pairs that only the order of their runs excludes from a test: made one after the other,
    or without recorded times. ``set_apart`` are those that differ in more than is to be compared.
    """

    p_adjusted: Mapping[Pair, float]
    not_in_turns: frozenset[Pair] = frozenset()
    set_apart: frozenset[Pair] = frozenset()

    @property
    def tested(self) -> frozenset[str]:
        """Return the systems that could be tested against any other."""
        return frozenset(key for pair in self.p_adjusted for key in pair)

    def significant(self, a: str, b: str) -> bool | None:
        """Return whether a and b differ; None where it cannot be tested."""
        p = self.p_adjusted.get((a, b), self.p_adjusted.get((b, a)))
        return None if p is None else p < SIGNIFICANCE

    def only_order_bars(self, a: str, b: str) -> bool:
        """Return whether only the order of their runs excludes a and b from a test."""
        return (a, b) in self.not_in_turns or (b, a) in self.not_in_turns

    def is_set_apart(self, a: str, b: str) -> bool:
        """Return whether a and b could be tested, but differ in more than is to be compared."""
        return (a, b) in self.set_apart or (b, a) in self.set_apart


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
    systems: Mapping[str, System],
    comparable: Callable[[str, str], bool] = lambda _a, _b: True,
    set_apart: Callable[[str, str], bool] = lambda _a, _b: False,
) -> Comparisons:
    """Compare every system with every other; pairs in the order of the mapping.

    ``comparable`` selects the pairs that may be tested at all, ``set_apart`` those of them that differ in more than is
    to be compared. Pairs whose runs were not made in turns are not tested either: their difference includes everything
    that changed in between.
    """
    keys = [key for key, system in systems.items() if system.log.u is not None]
    ratios = Ratios([systems[key] for key in keys])
    tested: list[Pair] = []
    p_values: list[float] = []
    apart: set[Pair] = set()
    unlike: set[Pair] = set()
    for i, key in enumerate(keys):
        candidates = [
            j for j in range(i + 1, len(keys)) if comparable(key, keys[j]) and can_test(systems[key], systems[keys[j]])
        ]
        unlike |= {(key, keys[j]) for j in candidates if set_apart(key, keys[j])}
        candidates = [j for j in candidates if (key, keys[j]) not in unlike]
        others = [j for j in candidates if turns(systems[key].course, systems[keys[j]].course) == "in turns"]
        apart |= {(key, keys[j]) for j in set(candidates) - set(others)}
        for j, p in zip(others, ratios.p(i, others), strict=True):
            if p is not None:
                tested.append((key, keys[j]))
                p_values.append(p)
    return Comparisons(dict(zip(tested, holm(p_values), strict=True)), frozenset(apart), frozenset(unlike))


def rank_interval(
    key: str, systems: Mapping[str, System], compared: Comparisons, *, lower_is_better: bool = False
) -> tuple[int, int] | None:
    """Return the best and the worst rank that a system may have among those it could be tested against.

    [1 + number significantly better, k - number significantly worse]; None where it was tested against none. One that
    only the order of its runs, or more than is to be compared, keeps from a test may be better or worse, as one that
    ties may.
    """
    tested = [other for other in systems if other != key and compared.significant(key, other) is not None]
    if not tested:
        return None
    mean = systems[key].log.mean
    differ = [other for other in tested if compared.significant(key, other)]
    better = sum((systems[other].log.mean > mean) is not lower_is_better for other in differ)
    barred = sum(compared.only_order_bars(key, other) or compared.is_set_apart(key, other) for other in systems)
    return 1 + better, len(tested) + barred + 1 - (len(differ) - better)
