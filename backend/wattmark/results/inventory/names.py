"""Which slots of two sources are the same: by their names.

Boards and bench files write them differently ("A1", "DIMM_A1", "P1-DIMMA1"), so words that every board uses do not
count, and one name may lack what the other begins with. Numbers alone are paired only where both sides number the same
slots: one may begin at 0 and the other at 1.
"""

from __future__ import annotations

import operator
import re
from collections import Counter

from wattmark.results.inventory.population import Source

_TOKENS = re.compile(r"[a-z]+|[0-9]+")
_NOISE = re.compile(r"dimm|slot|channel|socket|onboard|memory|module|device")


def same_slots(stated: Source, found: Source) -> tuple[dict[str, str], frozenset[str], frozenset[str]]:
    """Pair the names of slots: equal ones, then those of which one is the end of exactly one of the other side.

    Also return the names of each side that fit several, or tell nothing.
    """
    keys, other_keys = _keys(stated, found), _keys(found, stated)
    pairs: dict[str, str] = {}
    several: dict[str, list[str]] = {}
    for alike in (operator.eq, _ends_alike):
        taken = set(pairs.values())
        free = {name: key for name, key in other_keys.items() if key and name not in taken}
        fitting = {
            name: [other for other, key in free.items() if alike(own, key)]
            for name, own in keys.items()
            if own and name not in pairs
        }
        chosen = Counter(other for candidates in fitting.values() for other in candidates)
        pairs |= {
            name: candidates[0]
            for name, candidates in fitting.items()
            if len(candidates) == 1 and chosen[candidates[0]] == 1
        }
        several |= {name: candidates for name, candidates in fitting.items() if candidates and name not in pairs}
    several = {name: candidates for name, candidates in several.items() if name not in pairs}
    nameless, other_nameless = ({name for name, key in of.items() if not key} for of in (keys, other_keys))
    return pairs, frozenset(several) | nameless, frozenset(other_nameless).union(*several.values())


def _keys(source: Source, other: Source) -> dict[str, tuple[str, ...]]:
    """Return what tells each slot of a source from the others; nothing where its name does not.

    Numbers alone do where both sources number the same slots, or have modules under the same numbers.
    """
    (numbers, filled), (other_numbers, other_filled) = _numbers(source), _numbers(other)
    numbered_alike = numbers == other_numbers or (filled == other_filled and bool(filled))
    return {
        name: () if name in source.nameless or (_is_number(key) and not numbered_alike) else key
        for name, key in ((name, _key(name)) for name in source.slots)
    }


def _numbers(source: Source) -> tuple[set[tuple[str, ...]], set[tuple[str, ...]]]:
    """Return the names that are numbers alone: of all slots, and of those that hold a module."""
    keys = {name: key for name in source.slots if name not in source.nameless and _is_number(key := _key(name))}
    return set(keys.values()), {key for name, key in keys.items() if source.slots[name] is not None}


def _is_number(key: tuple[str, ...]) -> bool:
    return bool(key) and not any(token.isalpha() for token in key)


def _ends_alike(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    shorter, longer = sorted((a, b), key=len)
    # a number alone tells nothing: "DIMM 1" of one side need not be "A1" of the other
    return not _is_number(shorter) and longer[len(longer) - len(shorter) :] == shorter


def _key(name: str) -> tuple[str, ...]:
    """Return the letters and numbers of a name without words that every board uses; empty where it tells nothing."""
    return tuple(_TOKENS.findall(_NOISE.sub(" ", name.casefold())))
