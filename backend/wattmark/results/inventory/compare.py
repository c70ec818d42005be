"""Where two sources list different memory: slot by slot, or by count and kind where no name fits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from wattmark.results.inventory.attributes import answers_of, plain, same_type, same_words
from wattmark.results.inventory.names import same_slots
from wattmark.results.inventory.population import Module, Source
from wattmark.runs.configuration import PERSISTENT

_ORDERED: Mapping[str, Callable[[Module], Any]] = {
    "size": lambda module: module.capacity_gib,
    "ranks": lambda module: module.ranks,
    "part": lambda module: plain(module.part or ""),
    "speed": lambda module: module.speed_mts,
}
"""Attributes whose values have an order, by which two populations without common slots are held side by side."""


@dataclass(frozen=True, slots=True)
class Difference:
    """What two sources state differently, of a slot of the first one; None: of the whole population."""

    slot: str | None
    what: str
    text: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """The slots of one source that another one lists too, and where the two differ."""

    differences: tuple[Difference, ...]
    same_slots: Mapping[str, str] = field(default_factory=dict)
    """Slots by their names in both."""
    unpaired: tuple[str, ...] = ()
    """Slots that could be several of the other source, or any."""
    agreed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Slots of the same contents, each with the attributes that both state; none of an empty one."""


def compare(stated: Source, found: Source, *, parts: bool = True) -> Comparison:
    """Compare what two sources state, slot by slot where their names fit; ``parts``: part numbers too."""
    pairs, doubtful, doubtful_there = same_slots(stated, found)
    if not pairs:
        return Comparison(tuple(_by_count(stated, found, parts=parts)))

    def answers(module: Module, there: Module) -> dict[str, bool | None]:
        return dict(answers_of(module, there, stated, found, parts=parts))

    def alike(module: Module, there: Module) -> bool:
        return False not in answers(module, there).values()

    filled = {
        slot: (module, there)
        for slot, other in pairs.items()
        if (module := stated.slots[slot]) is not None and (there := found.slots[other]) is not None
    }
    hidden_here = [module for slot, module in stated.slots.items() if slot in doubtful and module is not None]
    hidden_there = [module for slot, module in found.slots.items() if slot in doubtful_there and module is not None]
    lists_empty_slots = None in found.slots.values()
    empty = [
        slot
        for slot, module in stated.slots.items()
        if module is None
        and slot not in doubtful
        and (found.slots[pairs[slot]] is None if slot in pairs else not lists_empty_slots and not hidden_there)
    ]
    names = {other: slot for slot, other in pairs.items()}
    missing = {
        slot: module
        for slot, module in stated.slots.items()
        if module is not None and slot not in doubtful and slot not in filled
    }
    more = {
        slot: module
        for slot, module in found.slots.items()
        if module is not None and slot not in doubtful_there and names.get(slot) not in filled
    }
    missing = _beside(missing, pairs, hidden_there, alike)
    more = _beside(more, names, hidden_here, lambda module, hidden: alike(hidden, module))
    unlike = {slot: list(_unlike(slot, *modules, answers(*modules), stated, found)) for slot, modules in filled.items()}
    differences = (
        *_counts(stated, found),
        *_moved(missing, more, names, alike, stated, found),
        *(difference for texts in unlike.values() for difference in texts),
    )
    same = {slot: same_words(*modules, answers(*modules)) for slot, modules in filled.items() if not unlike[slot]}
    agreed: dict[str, tuple[str, ...]] = dict.fromkeys(empty, ())
    # a module whose size is not stated there may be any; records of old state none here
    agreed |= {slot: words for slot, words in same.items() if words and answers(*filled[slot]).get("size", True)}
    return Comparison(differences, pairs, tuple(slot for slot in stated.slots if slot in doubtful), agreed)


def _beside(
    modules: Mapping[str, Module],
    known: Collection[str],
    hidden: Iterable[Module],
    alike: Callable[[Module, Module], bool],
) -> dict[str, Module]:
    """Return the modules that are in none of the slots whose names tell nothing; each of these holds one.

    A slot that both sides ``know`` holds what they say of it.
    """
    hidden_left = list(hidden)
    outside: dict[str, Module] = {}
    for slot, module in modules.items():
        places = (n for n, other in enumerate(hidden_left) if slot not in known and alike(module, other))
        place = next(places, None)
        if place is None:
            outside[slot] = module
        else:
            del hidden_left[place]
    return outside


def _counts(stated: Source, found: Source) -> Iterator[Difference]:
    own, others = (sum(module.type != PERSISTENT for module in source.modules) for source in (stated, found))
    if own != others:
        noun = "module" if own == 1 else "modules"
        yield Difference(None, "count", f"{own} {noun} {stated.where}, {others} {found.where}")


def _moved(
    missing: Mapping[str, Module],
    more: Mapping[str, Module],
    names: Mapping[str, str],
    alike: Callable[[Module, Module], bool],
    stated: Source,
    found: Source,
) -> Iterator[Difference]:
    """Yield the modules that are not where they are stated to be: in another slot, nowhere, or one too many."""
    left = dict(more)
    for slot, module in missing.items():
        there = next((other for other, candidate in left.items() if alike(module, candidate)), None)
        if there is None:
            text = f"{slot}: {module} {stated.where}, nothing {found.where}"
            yield Difference(slot, "empty", text)
        else:
            del left[there]
            text = f"{slot}: {module} {stated.where}, in slot {there} {found.where}"
            yield Difference(slot, "place", text)
    for other, module in left.items():
        slot = names.get(other, other)
        yield Difference(slot, "filled", f"{slot}: nothing {stated.where}, {module} {found.where}")


def _unlike(
    slot: str,
    module: Module,
    there: Module,
    answers: Mapping[str, bool | None],
    stated: Source,
    found: Source,
) -> Iterator[Difference]:
    """Yield what two sources state differently of the module of a slot."""
    for attribute, same in answers.items():
        if same is False:
            text = f"{slot}: {module.words[attribute]} {stated.where}, {there.words[attribute]} {found.where}"
            yield Difference(slot, attribute, text)


def _by_count(stated: Source, found: Source, *, parts: bool) -> Iterator[Difference]:
    """Yield where two populations differ whose slots have no name in common: by count and kind of their modules."""
    yield from _counts(stated, found)
    own, others = stated.modules, found.modules
    for attribute, value in _ORDERED.items():
        mine, theirs = (
            sorted((module for module in modules if attribute in module.words), key=value) for modules in (own, others)
        )
        if len(mine) == len(own) == len(others) == len(theirs) and any(
            dict(answers_of(*two, stated, found, parts=parts)).get(attribute) is False
            for two in zip(mine, theirs, strict=True)
        ):
            here, there = (_listed(module.words[attribute] for module in modules) for modules in (mine, theirs))
            yield Difference(None, attribute, f"{here} {stated.where}, {there} {found.where}")
    own_types, other_types = ({module.type for module in modules if module.type} for modules in (own, others))
    strange = (all(same_type(kind, other, stated, found) is False for kind in own_types) for other in other_types)
    if own and all(module.type for module in own) and any(strange):
        text = f"{', '.join(sorted(own_types))} {stated.where}, {', '.join(sorted(other_types))} {found.where}"
        yield Difference(None, "type", text)


def _listed(words: Iterable[str]) -> str:
    return " + ".join(f"{count} x {word}" for word, count in sorted(Counter(words).items())) or "nothing"
