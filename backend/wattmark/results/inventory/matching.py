"""Which things of two sides belong together, where some fit several of the other side."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from typing import TypeVar

Here = TypeVar("Here", bound=Hashable)
There = TypeVar("There", bound=Hashable)
Thing = TypeVar("Thing")


def most_pairs(
    here: Mapping[Here, Thing], there: Mapping[There, Thing], fits: Callable[[Thing, Thing], bool]
) -> dict[Here, There]:
    """Pair as many as possible, by their names (a maximum matching, by augmenting paths).

    Whoever is paired first gives way to those that fit nothing else.
    """
    pairs: dict[Here, There] = {}
    partner: dict[There, Here] = {}
    hopeless: set[There] = set()
    for begin in here:
        asked_by: dict[There, Here] = {}
        free = None
        waiting = [begin]
        for name in waiting:  # grows by those who may have to give way
            for other in there:
                if other in asked_by or other in hopeless or not fits(here[name], there[other]):
                    continue
                asked_by[other] = name
                if other not in partner:
                    free = other
                    break
                waiting.append(partner[other])
            if free is not None:
                break
        if free is None:
            hopeless |= asked_by.keys()  # nothing leads from these to a free one, now or later
        while free is not None:
            name = asked_by[free]
            partner[free] = name
            pairs[name], free = free, pairs.get(name)
    return pairs
