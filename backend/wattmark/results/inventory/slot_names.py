"""Which slots of two sources are the same: by their names.

Boards and bench files write them differently ("A1", "DIMM_A1", "P1-DIMMA1"), so words that every board uses do not
count, and one name may lack what the other begins with. Numbers alone are paired only where both sides number the same
slots.

One side may count processors or slots from 0 and the other from 1; equal names are then not of the same slot. So all
names of one side are shifted where that alone makes the two lists fit, and none is paired where both readings do.
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from itertools import product

from wattmark.results.inventory.population import Source

Key = tuple[str, ...]
"""The letters and numbers that tell a slot from others; empty where its name does not."""
Keys = Mapping[str, Key]
"""Keys of slots by their names."""
Shift = Mapping[int, int]
"""What is added to numbers, by their place in a key counted from its end."""
_TOKENS = re.compile(r"[a-z]+|[0-9]+")
_NOISE = re.compile(r"dimm|slot|channel|socket|onboard|memory|module|device")


@dataclass(frozen=True, slots=True)
class Pairing:
    """The slots of one source that another one lists too."""

    pairs: Mapping[str, str]
    """Slots by their names in both."""
    doubtful: frozenset[str]
    doubtful_there: frozenset[str]
    """Names of each side that fit several, or tell nothing."""
    is_shifted: bool = False
    """One side counts from 0 and the other from 1."""
    may_be_shifted: bool = False
    """That may be so, or not: nothing is paired."""


def same_slots(here: Source, there: Source) -> Pairing:
    """Pair the names of slots, as they are or with the numbers of one side shifted, all or none."""
    keys, other_keys = _keys(here), _keys(there)
    shifts = _shifts(keys.values(), other_keys.values())
    if not shifts:
        return _paired(keys, other_keys, numbers=_numbered_alike(here, there, keys, other_keys))
    as_named, *shifted = (
        _paired(own, other_keys, numbers=_one_is_part(own, other_keys))
        for own in (keys, *({name: _shifted(key, shift) for name, key in keys.items()} for shift in shifts))
    )
    fitting = [pairing for pairing in shifted if _fits(pairing, keys, other_keys)]
    if _fits(as_named, keys, other_keys):
        misplaced = _misplaced(as_named, here, there)
        if all(misplaced < _misplaced(pairing, here, there) for pairing in fitting):
            return as_named
    elif len(fitting) == 1:
        return replace(fitting[0], is_shifted=True)
    return Pairing({}, frozenset(here.slots), frozenset(there.slots), may_be_shifted=True)


def _paired(keys: Keys, other_keys: Keys, *, numbers: bool) -> Pairing:
    """Pair equal keys, then those of which one is the end of exactly one of the other side.

    ``numbers``: numbers alone tell slots.
    """
    if not numbers:
        keys, other_keys = (
            {name: () if _is_number(key) else key for name, key in of.items()} for of in (keys, other_keys)
        )
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
    return Pairing(pairs, frozenset(several) | nameless, frozenset(other_nameless).union(*several.values()))


def _numbered_alike(here: Source, there: Source, keys: Keys, other_keys: Keys) -> bool:
    """Return whether names that are numbers alone tell the slots of both sides.

    They do where both number the same slots, or have modules under the same numbers.
    """
    if _numbers_alone(keys) == _numbers_alone(other_keys):
        return True
    filled, other_filled = (
        _numbers_alone({name: key for name, key in of.items() if source.slots[name] is not None})
        for source, of in ((here, keys), (there, other_keys))
    )
    return filled == other_filled and bool(filled)


def _one_is_part(keys: Keys, other_keys: Keys) -> bool:
    """Return whether the numbers alone of one side are all among those of the other."""
    numbers, other_numbers = _numbers_alone(keys), _numbers_alone(other_keys)
    return numbers <= other_numbers or other_numbers <= numbers


def _numbers_alone(keys: Keys) -> set[Key]:
    return {key for key in keys.values() if _is_number(key)}


def _fits(pairing: Pairing, keys: Keys, other_keys: Keys) -> bool:
    """Return whether all names of one side that tell a slot are paired."""
    own, others = ({name for name, key in of.items() if key} for of in (keys, other_keys))
    return bool(pairing.pairs) and (own <= pairing.pairs.keys() or others <= set(pairing.pairs.values()))


def _misplaced(pairing: Pairing, here: Source, there: Source) -> int:
    """Count the slots that hold a module on one side only."""
    filled, other_filled = ({name for name, module in of.slots.items() if module} for of in (here, there))
    both = sum(slot in filled and other in other_filled for slot, other in pairing.pairs.items())
    return len(filled) + len(other_filled) - 2 * both


def _shifts(keys: Iterable[Key], other_keys: Iterable[Key]) -> list[Shift]:
    """List the ways to shift numbers of one side where it counts from 1 and the other from 0, or the reverse."""
    numbers, other_numbers = _numbers(keys), _numbers(other_keys)
    steps = {
        place: (-1 if "0" in other_numbers[place] else 1)
        for place in numbers.keys() & other_numbers.keys()
        if ("0" in numbers[place]) != ("0" in other_numbers[place])
    }
    chosen = product((False, True), repeat=len(steps))
    return [
        {place: step for (place, step), is_shifted in zip(steps.items(), each, strict=True) if is_shifted}
        for each in chosen
        if any(each)
    ]


def _numbers(keys: Iterable[Key]) -> dict[int, set[str]]:
    """Return the numbers in keys by their place, counted from the end."""
    numbers: dict[int, set[str]] = {}
    for key in keys:
        for place, token in enumerate(reversed(key)):
            if token.isdecimal():
                numbers.setdefault(place, set()).add(token)
    return numbers


def _shifted(key: Key, shift: Shift) -> Key:
    last = len(key) - 1
    return tuple(
        str(int(token) + shift[last - n]) if token.isdecimal() and last - n in shift else token
        for n, token in enumerate(key)
    )


def _keys(source: Source) -> Keys:
    return {name: () if name in source.nameless else _key(name) for name in source.slots}


def _is_number(key: Key) -> bool:
    return bool(key) and not any(token.isalpha() for token in key)


def _ends_alike(a: Key, b: Key) -> bool:
    shorter, longer = sorted((a, b), key=len)
    # a number alone tells nothing: "DIMM 1" of one side need not be "A1" of the other
    return not _is_number(shorter) and longer[len(longer) - len(shorter) :] == shorter


def _key(name: str) -> Key:
    """Return the letters and numbers of a name without words that every board uses."""
    tokens = _TOKENS.findall(_NOISE.sub(" ", name.casefold()))
    return tuple(token.lstrip("0") or "0" if token.isdecimal() else token for token in tokens)
