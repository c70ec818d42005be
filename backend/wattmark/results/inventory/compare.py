"""Where two sources list different memory: slot by slot, or by count and kind where no name fits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from itertools import chain

from wattmark.results.inventory.attributes import ATTRIBUTES, KIND, Sides, same_words
from wattmark.results.inventory.matching import most_pairs
from wattmark.results.inventory.population import Module, Source
from wattmark.results.inventory.slot_names import Pairing, same_slots


@dataclass(frozen=True, slots=True)
class Difference:
    """What two sources state differently, of a slot of the first one; None: of the whole population."""

    slot: str | None
    what: str
    text: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """The slots of one source that another one lists too, and where the two differ."""

    source: Source
    """The other one."""
    pairing: Pairing
    differences: tuple[Difference, ...]
    agreed: Mapping[str, Mapping[str, str]] = field(default_factory=dict)
    """Slots of the same contents, each with the words of the attributes that both state; none of an empty one."""
    same_parts: frozenset[str] = frozenset()
    """Slots whose part number the other one states too."""
    unpaired: tuple[str, ...] = ()
    unpaired_there: tuple[str, ...] = ()
    """Slots of each side that were not paired, and that no difference names."""


def compare(here: Source, there: Source, *, with_parts: bool = True) -> Comparison:
    """Compare what two sources state, slot by slot where their names fit; ``with_parts``: part numbers too."""
    sides, pairing = Sides(here, there, with_parts), same_slots(here, there)
    return _by_slot(sides, pairing) if pairing.pairs else _by_count(sides, pairing)


def _by_slot(sides: Sides, pairing: Pairing) -> Comparison:
    here, there, pairs = sides.here, sides.there, pairing.pairs
    names = {name: slot for slot, name in pairs.items()}
    both = {
        slot: (module, other)
        for slot, name in pairs.items()
        if (module := here.slots[slot]) is not None and (other := there.slots[name]) is not None
    }
    doubtful, missing = _by_name(here, pairing.doubtful, both)
    doubtful_there, more = _by_name(there, pairing.doubtful_there, {pairs[slot] for slot in both})
    missing = _not_beside(missing, pairs, doubtful_there, sides.alike)
    more = _not_beside(more, names, doubtful, lambda other, module: sides.alike(module, other))
    unlike = {slot: list(_unlike(slot, *modules, sides)) for slot, modules in both.items()}
    differences = (*_counts(sides), *_moved(missing, more, names, sides), *chain.from_iterable(unlike.values()))
    agreed: dict[str, Mapping[str, str]] = {slot: {} for slot in _empty_in_both(sides, pairing, doubtful_there)}
    same_parts = set()
    for slot, (module, other) in both.items():
        answers = sides.answers(module, other)
        words = same_words(module, other, answers)
        # a module whose size is not stated there may be any; records of old state none here
        if words and not unlike[slot] and answers.get("size", True):
            agreed[slot] = words
        if answers.get("part"):
            same_parts.add(slot)
    named = {difference.slot for difference in differences}
    return Comparison(
        there,
        pairing,
        differences,
        agreed,
        frozenset(same_parts),
        tuple(slot for slot in here.slots if slot not in pairs and slot not in agreed and slot not in named),
        tuple(
            name
            for name, module in there.slots.items()
            if name not in names and name not in named and (module or name in pairing.doubtful_there)
        ),
    )


def _by_name(
    source: Source, doubtful: Collection[str], shared: Collection[str]
) -> tuple[list[Module], dict[str, Module]]:
    """Return the modules in slots with doubtful names, and those in other slots that do not hold one on both sides."""
    filled = {slot: module for slot, module in source.slots.items() if module is not None}
    rest = {slot: module for slot, module in filled.items() if slot not in doubtful and slot not in shared}
    return [module for slot, module in filled.items() if slot in doubtful], rest


def _not_beside(
    modules: Mapping[str, Module],
    known: Collection[str],
    doubtful: Sequence[Module],
    alike: Callable[[Module, Module], bool],
) -> dict[str, Module]:
    """Return the modules that are in none of the slots whose names are doubtful; each of these holds one.

    A slot that both sides know (``known``) holds what they say of it.
    """
    unknown = {slot: module for slot, module in modules.items() if slot not in known}
    beside = most_pairs(unknown, dict(enumerate(doubtful)), alike)
    return {slot: module for slot, module in modules.items() if slot not in beside}


def _empty_in_both(sides: Sides, pairing: Pairing, doubtful_there: Sequence[Module]) -> Iterator[str]:
    """Yield the slots that both sides state to be empty; some sources list no empty slot at all."""
    here, there, pairs = sides.here, sides.there, pairing.pairs
    empty_by_silence = None not in there.slots.values() and not doubtful_there
    for slot, module in here.slots.items():
        if module is None and slot not in pairing.doubtful:
            is_empty_there = there.slots[pairs[slot]] is None if slot in pairs else empty_by_silence
            if is_empty_there:
                yield slot


def _counts(sides: Sides) -> Iterator[Difference]:
    """Yield where the DIMMs are not as many; persistent memory is in no count.

    A module of which one side does not say whether it is persistent may be one that the other side says is.
    """
    (least, most), (least_there, most_there) = (
        _dimm_counts(*of) for of in ((sides.here, sides.there), (sides.there, sides.here))
    )
    if least > most_there or least_there > most:
        own, others = (least, most_there) if least > most_there else (most, least_there)
        noun = "module" if own == 1 else "modules"
        yield Difference(None, "count", f"{own} {noun} {sides.here.where}, {others} {sides.there.where}")


def _dimm_counts(source: Source, other: Source) -> tuple[int, int]:
    """Return how many DIMMs a source lists at least and at most."""
    persistent = [module.persistent for module in source.modules]
    most = len(persistent) - persistent.count(True)
    elsewhere = sum(module.persistent is True for module in other.modules)
    return most - min(persistent.count(None), max(0, elsewhere - persistent.count(True))), most


def _moved(
    missing: Mapping[str, Module], more: Mapping[str, Module], names: Mapping[str, str], sides: Sides
) -> Iterator[Difference]:
    """Yield the modules that are not where they are stated to be: in another slot, nowhere, or one too many."""
    here, there = sides.here.where, sides.there.where
    moved = most_pairs(missing, more, sides.alike)
    for slot, module in missing.items():
        if slot in moved:
            yield Difference(slot, "place", f"{slot}: {module} {here}, in slot {moved[slot]} {there}")
        else:
            yield Difference(slot, "empty", f"{slot}: {module} {here}, nothing {there}")
    elsewhere = set(moved.values())
    for name, module in more.items():
        if name not in elsewhere:
            slot = names.get(name, name)
            yield Difference(slot, "filled", f"{slot}: nothing {here}, {module} {there}")


def _unlike(slot: str, module: Module, other: Module, sides: Sides) -> Iterator[Difference]:
    """Yield what two sources state differently of the module of a slot."""
    for attribute, same in sides.answers(module, other).items():
        if same is False:
            text = f"{slot}: {module.words[attribute]} {sides.here.where}, {other.words[attribute]} {sides.there.where}"
            yield Difference(slot, attribute, text)


def _by_count(sides: Sides, pairing: Pairing) -> Comparison:
    """Compare two populations whose slots have no name in common: by count and kind of their modules."""
    own, others = sides.here.modules, sides.there.modules
    differences = list(_counts(sides))
    if not differences and len(own) != len(others):
        text = f"{len(own)} modules with persistent memory {sides.here.where}, {len(others)} {sides.there.where}"
        differences.append(Difference(None, "count", text))
    differences += _kinds(sides, own, others)
    parts = [module.part for module in (*own, *others)]
    same_parts = all(parts) and len(own) == len(others) and not any(d.what in ("part", "kind") for d in differences)
    filled = frozenset(slot for slot, module in sides.here.slots.items() if module)
    return Comparison(sides.there, pairing, tuple(differences), same_parts=filled if same_parts else frozenset())


def _kinds(sides: Sides, own: Sequence[Module], others: Sequence[Module]) -> Iterator[Difference]:
    """Yield the attributes by which the modules cannot be the same.

    Speeds, ranks and parts are held together with size and type. What only several attributes show says all of them.
    """

    answers = cache(sides.answers)

    def differ(fits: Callable[[Module, Module], bool]) -> bool:
        pairs = most_pairs(dict(enumerate(own)), dict(enumerate(others)), fits)
        return len(pairs) < min(len(own), len(others))

    def agree(attributes: Collection[str], module: Module, other: Module) -> bool:
        return all(answers(module, other).get(attribute) is not False for attribute in attributes)

    of_kind: list[str] = []
    any_alone = False
    for attribute in ATTRIBUTES:
        if not differ(partial(agree, (*of_kind, attribute))):
            of_kind += [attribute] if attribute in KIND else []
            continue
        here, there = (
            _listed(module.words[attribute] for module in modules if attribute in module.words)
            for modules in (own, others)
        )
        if here != there:
            any_alone = True
            yield Difference(None, attribute, f"{here} {sides.here.where}, {there} {sides.there.where}")
    if not any_alone and differ(sides.alike):
        here, there = (_listed(" ".join(module.words.values()) for module in modules) for modules in (own, others))
        yield Difference(None, "kind", f"{here} {sides.here.where}, {there} {sides.there.where}")


def _listed(words: Iterable[str]) -> str:
    return " + ".join(f"{count} x {word}" for word, count in sorted(Counter(words).items())) or "nothing"
