"""The memory slots of the bench file against the inventory: the firmware's tables, and what the BMC lists by Redfish.

A slot is found by its name. Boards and bench files write it differently ("A1", "DIMM_A1", "P1-DIMMA1"), so words that
every board uses do not count, and one name may lack what the other begins with. Numbers alone are paired only where
both sides number the same slots: one may begin at 0 and the other at 1. Where no name fits, the modules are compared by
count and kind alone, and no slot is verified.

Of each attribute a source states the same, something else, or nothing: what it does not state is not verified.
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import Any

from wattmark.bench.dmi import SlotsWay, numbered, parse_memory_devices, slot_names
from wattmark.core.numbers import format_number
from wattmark.results.inventory_part import CheckedSlot, MemoryInventory, SlotStatus
from wattmark.runs.configuration import PERSISTENT
from wattmark.runs.disclosure import FittedSlot, OutOfBand
from wattmark.runs.record import RunRecord

WAYS: Mapping[SlotsWay, str] = {
    "dmidecode": "the firmware's tables by dmidecode",
    "file": "the firmware's tables by the file of wattmark-inventory.service",
    "sudo": "the firmware's tables by sudo dmidecode",
}
SPEED_STEP_MTS = 2
"""Roundings of one speed differ by so much: 2666.67 MT/s is printed as 2666, 2667 and 2668."""
SHORTEST_PART = 8
"""Characters of a part number that tell a module, where a maker appends a revision or a shop its own letters."""
MOST_NAMED = 8
_TOKENS = re.compile(r"[a-z]+|[0-9]+")
_NOISE = re.compile(r"dimm|slot|channel|socket|onboard|memory|module|device")
_SO_DIMM = "SO-DIMM"
_MODULE_TYPES = {
    "RDIMM": "RDIMM",
    "UDIMM": "UDIMM",
    "LRDIMM": "LRDIMM",
    **dict.fromkeys(("SO_DIMM", "SO_RDIMM_72b", "SO_UDIMM_72b", "SO_DIMM_16b", "SO_DIMM_32b"), _SO_DIMM),
}
"""BaseModuleType of DSP0268 in the words of the bench file."""
_FB_DIMM = "DDR2_SDRAM_FB_DIMM"
"""Begin of the MemoryDeviceType of DSP0268 of fully buffered modules."""
_SOLID = ("NVDIMM_N", "NVDIMM_F", "NVDIMM_P", "IntelOptane")
"""MemoryTypes of DSP0268 of modules that keep their contents without power."""
_LOGICAL = "Logical"
"""The MemoryDeviceType of DSP0268 of the same."""


@dataclass(frozen=True, slots=True)
class _Module:
    """A module as one source states it; None: the source does not tell."""

    type: str | None = None
    capacity_gib: float | None = None
    speed_mts: int | None = None
    ranks: int | None = None
    part: str | None = None

    def __str__(self) -> str:
        size = "" if self.capacity_gib is None else f"{format_number(self.capacity_gib)} GiB"
        kind = " ".join(part for part in (self.type, size) if part) or "a module"
        return kind if self.speed_mts is None else f"{kind}, {self.speed_mts} MT/s"

    @property
    def words(self) -> dict[str, str]:
        """Return what is stated of each attribute, in words."""
        words = {
            "size": f"{format_number(self.capacity_gib)} GiB" if self.capacity_gib else "",
            "type": self.type or "",
            "speed": f"{self.speed_mts} MT/s" if self.speed_mts else "",
            "ranks": f"{self.ranks} rank{'s' * (self.ranks > 1)}" if self.ranks else "",
            "part": f"part {self.part}" if self.part else "",
        }
        return {attribute: text for attribute, text in words.items() if text}


_ORDERED: Mapping[str, Callable[[_Module], Any]] = {
    "size": lambda module: module.capacity_gib,
    "ranks": lambda module: module.ranks,
    "part": lambda module: _plain(module.part or ""),
    "speed": lambda module: module.speed_mts,
}
"""Attributes whose values have an order, by which two populations without common slots are held side by side."""
_Population = Mapping[str, _Module | None]
"""Modules by the names of their slots; None: the slot is empty."""


@dataclass(frozen=True, slots=True)
class _Source:
    """Who states what is in the slots, with the words that end "RDIMM 16 GiB ..." in a sentence."""

    where: str
    slots: _Population
    status: SlotStatus = "declared, not verified"
    nameless: frozenset[str] = frozenset()
    """Slots that the source calls by one name, and that were numbered here: which is which is not known."""
    clock_for_speed: bool = False
    """It may state the clock of memory that transfers twice in each period."""

    @property
    def modules(self) -> list[_Module]:
        return [module for module in self.slots.values() if module is not None]

    @property
    def by_firmware(self) -> bool:
        return self.status == "verified by firmware"


@dataclass(frozen=True, slots=True)
class _Difference:
    """What two sources state differently, of a slot of the first one; None: of the whole population."""

    slot: str | None
    what: str
    text: str


@dataclass(frozen=True, slots=True)
class _Comparison:
    """The slots of one source that another one lists too, and where the two differ."""

    differences: tuple[_Difference, ...]
    same_slots: Mapping[str, str] = field(default_factory=dict)
    """Slots by their names in both."""
    unpaired: tuple[str, ...] = ()
    """Slots that could be several of the other source, or any."""
    agreed: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Slots of the same contents, each with the attributes that both state; none of an empty one."""


def memory_inventory(run: RunRecord, *, simulated: bool) -> MemoryInventory | None:
    """Compare the declared slots of a run with the inventory of its server; None without declared slots.

    A simulated server has no slots of its own: what is declared of it stays a declaration.
    """
    declared, host = _declared(run), run.disclosure.host
    if not declared.slots:
        return None
    sources = [] if simulated else list(_sources(run))
    compared = [_compare(declared, source) for source in sources]
    apart = _apart(sources, compared)
    own = list(_once([comparison.differences for comparison in compared], apart))
    contradicted = {difference.slot for difference in (*own, *apart)}
    slots = tuple(
        CheckedSlot(
            slot=slot,
            declared="empty" if module is None else str(module),
            **_verified(slot, module, sources, compared, contradicted),
            contradictions=tuple(difference.text for difference in (*own, *apart) if difference.slot == slot),
        )
        for slot, module in declared.slots.items()
    )
    statements = [_from_the_bench(own), _from_each_other(apart)] if own or apart else []
    if not statements:
        statements = [_agreed(sources) if sources else _unread(run, simulated=simulated)]
    return MemoryInventory(
        way="; ".join(_way(host.memory_slots_way, source, host.out_of_band) for source in sources) or None,
        slots=slots,
        contradictions=tuple(difference.text for difference in (*own, *apart)),
        statement=" ".join(text for text in (*statements, _unpaired(sources, compared), _untold(slots)) if text),
    )


def _declared(run: RunRecord) -> _Source:
    configuration = run.configuration_snapshot
    documents = {} if configuration.declared.memory is None else configuration.declared.memory.slots
    slots: dict[str, _Module | None] = {}
    for module in configuration.modules:
        document = documents.get(module.slot)
        part = document.get("part") if isinstance(document, dict) else None
        slots[module.slot] = (
            _Module(module.type, module.capacity_gib, module.speed_mts, module.ranks, str(part) if part else None)
            if module.type
            else None
        )
    return _Source("in the bench file", slots)


def _sources(run: RunRecord) -> Iterator[_Source]:
    """Yield what lists the slots of the server, the firmware first."""
    host = run.disclosure.host
    devices = parse_memory_devices(host.memory_slots) if host.memory_slots else ()
    if devices:
        yield _Source(
            "in the server",
            {
                name: _Module(slot.module_type, slot.capacity_gib, slot.speed_mts, slot.ranks, slot.part)
                if slot.filled
                else None
                for name, slot in zip(slot_names(devices), devices, strict=True)
            },
            "verified by firmware",
            # dmidecode of old calls every speed one in MHz, of a module that may transfer twice in each period
            clock_for_speed=" MHz" in (host.memory_slots or ""),
        )
    bmc = host.out_of_band
    # a BMC that lists no module at all has not seen the server start
    if bmc is not None and any(slot.filled for slot in bmc.slots):
        names = _bmc_names(bmc.slots)
        yield _Source(
            f"by the BMC {bmc.bmc}",
            {
                name: _Module(_bmc_type(slot), slot.capacity_gib, slot.speed_mts, slot.ranks, slot.part)
                if slot.filled
                else None
                for name, slot in zip(names, bmc.slots, strict=True)
            },
            "verified out of band",
            frozenset(name for name, known in names.items() if not known),
            clock_for_speed=True,
        )


def _bmc_type(slot: FittedSlot) -> str | None:
    """Return the type of a module in the words of the bench file; None: the BMC does not tell."""
    if slot.memory_type in _SOLID or slot.device_type == _LOGICAL:
        return PERSISTENT
    if (slot.device_type or "").startswith(_FB_DIMM):
        return "FB-DIMM"
    return _MODULE_TYPES.get(slot.module_type or "")


def _bmc_names(slots: Sequence[FittedSlot]) -> dict[str, bool]:
    """Name each slot as the BMC does; where names repeat, by its place too, or by a number, which tells no slot."""
    names = [slot.name for slot in slots]
    if len(set(names)) < len(names):
        names = [" ".join(part for part in (slot.name, slot.place) if part) for slot in slots]
    alike = Counter(names)
    return {free: alike[name] == 1 for name, free in zip(names, numbered(names, "{} #{}"), strict=True)}


def _compare(stated: _Source, found: _Source, *, parts: bool = True) -> _Comparison:
    """Compare what two sources state, slot by slot where their names fit; ``parts``: part numbers too."""
    pairs, doubtful, doubtful_there = _same_slots(stated, found)
    if not pairs:
        return _Comparison(tuple(_by_count(stated, found, parts=parts)))

    def answers(module: _Module, there: _Module) -> dict[str, bool | None]:
        return dict(_answers(module, there, stated, found, parts=parts))

    def alike(module: _Module, there: _Module) -> bool:
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
    same = {slot: _same_words(*modules, answers(*modules)) for slot, modules in filled.items() if not unlike[slot]}
    agreed: dict[str, tuple[str, ...]] = dict.fromkeys(empty, ())
    # a module whose size is not stated there may be any; records of old state none here
    agreed |= {slot: words for slot, words in same.items() if words and answers(*filled[slot]).get("size", True)}
    return _Comparison(differences, pairs, tuple(slot for slot in stated.slots if slot in doubtful), agreed)


def _beside(
    modules: Mapping[str, _Module],
    known: Collection[str],
    hidden: Iterable[_Module],
    alike: Callable[[_Module, _Module], bool],
) -> dict[str, _Module]:
    """Return the modules that are in none of the slots whose names tell nothing; each of these holds one.

    A slot that both sides ``know`` holds what they say of it.
    """
    hidden_left = list(hidden)
    outside: dict[str, _Module] = {}
    for slot, module in modules.items():
        places = (n for n, other in enumerate(hidden_left) if slot not in known and alike(module, other))
        place = next(places, None)
        if place is None:
            outside[slot] = module
        else:
            del hidden_left[place]
    return outside


def _counts(stated: _Source, found: _Source) -> Iterator[_Difference]:
    own, others = (sum(module.type != PERSISTENT for module in source.modules) for source in (stated, found))
    if own != others:
        noun = "module" if own == 1 else "modules"
        yield _Difference(None, "count", f"{own} {noun} {stated.where}, {others} {found.where}")


def _moved(
    missing: Mapping[str, _Module],
    more: Mapping[str, _Module],
    names: Mapping[str, str],
    alike: Callable[[_Module, _Module], bool],
    stated: _Source,
    found: _Source,
) -> Iterator[_Difference]:
    """Yield the modules that are not where they are stated to be: in another slot, nowhere, or one too many."""
    left = dict(more)
    for slot, module in missing.items():
        there = next((other for other, candidate in left.items() if alike(module, candidate)), None)
        if there is None:
            text = f"{slot}: {module} {stated.where}, nothing {found.where}"
            yield _Difference(slot, "empty", text)
        else:
            del left[there]
            text = f"{slot}: {module} {stated.where}, in slot {there} {found.where}"
            yield _Difference(slot, "place", text)
    for other, module in left.items():
        slot = names.get(other, other)
        yield _Difference(slot, "filled", f"{slot}: nothing {stated.where}, {module} {found.where}")


def _answers(
    module: _Module, there: _Module, stated: _Source, found: _Source, *, parts: bool
) -> Iterator[tuple[str, bool | None]]:
    """Yield for each attribute that one source states whether the other states the same; None: it does not tell."""
    if module.capacity_gib:
        yield "size", _same_size(module, there)
    if module.type:
        yield "type", _same_type(module.type, there.type, stated, found)
    if module.speed_mts:
        yield "speed", _same_speed(module.speed_mts, there.speed_mts, stated, found)
    if module.ranks:
        yield "ranks", None if there.ranks is None else module.ranks == there.ranks
    if parts and module.part:
        yield "part", None if there.part is None else _same_part(module.part, there.part)


def _same_size(module: _Module, there: _Module) -> bool | None:
    own, other = module.capacity_gib, there.capacity_gib
    if own is None or other is None:
        return None
    # only these have capacities that are no whole powers of two, and that people round
    rounded = max(_half_digit(own), _half_digit(other)) if PERSISTENT in (module.type, there.type) else 0.0
    return abs(own - other) <= rounded


def _half_digit(number: float) -> float:
    """Return half of the last digit with which a number is stated, at most one half."""
    exponent = Decimal(repr(number)).normalize().as_tuple().exponent
    return 0.5 * 10.0 ** min(0, int(exponent))


def _same_type(own: str, other: str | None, stated: _Source, found: _Source) -> bool | None:
    if own == other or other is None:
        return None if other is None else True
    # "Registered" of SMBIOS holds for an LRDIMM too, and not every firmware sets the bit of its own that it has
    by_smbios = {own} if stated.by_firmware else {other} if found.by_firmware else set()
    return None if by_smbios == {"RDIMM"} and "LRDIMM" in (own, other) else False


def _same_speed(own_mts: int, other_mts: int | None, stated: _Source, found: _Source) -> bool | None:
    if other_mts is None:
        return None
    if abs(own_mts - other_mts) <= SPEED_STEP_MTS:
        return True
    half_there = found.clock_for_speed and abs(own_mts - 2 * other_mts) <= SPEED_STEP_MTS
    half_here = stated.clock_for_speed and abs(2 * own_mts - other_mts) <= SPEED_STEP_MTS
    return None if half_there or half_here else False


def _same_part(own: str, other: str) -> bool:
    shorter, longer = sorted((_plain(own), _plain(other)), key=len)
    return shorter == longer or (len(shorter) >= SHORTEST_PART and longer.startswith(shorter))


def _plain(part: str) -> str:
    return re.sub(r"\s+", "", part).casefold()


def _same_words(module: _Module, there: _Module, answers: Mapping[str, bool | None]) -> tuple[str, ...]:
    """Name the attributes that two sources state alike; a part number that goes on in one of them says so."""
    lengths = {len(_plain(part or "")) for part in (module.part, there.part)}
    part = "part" if len(lengths) == 1 else f"part by its first {min(lengths)} characters"
    return tuple(part if attribute == "part" else attribute for attribute, same in answers.items() if same)


def _unlike(
    slot: str,
    module: _Module,
    there: _Module,
    answers: Mapping[str, bool | None],
    stated: _Source,
    found: _Source,
) -> Iterator[_Difference]:
    """Yield what two sources state differently of the module of a slot."""
    for attribute, same in answers.items():
        if same is False:
            text = f"{slot}: {module.words[attribute]} {stated.where}, {there.words[attribute]} {found.where}"
            yield _Difference(slot, attribute, text)


def _by_count(stated: _Source, found: _Source, *, parts: bool) -> Iterator[_Difference]:
    """Yield where two populations differ whose slots have no name in common: by count and kind of their modules."""
    yield from _counts(stated, found)
    own, others = stated.modules, found.modules
    for attribute, value in _ORDERED.items():
        mine, theirs = (
            sorted((module for module in modules if attribute in module.words), key=value) for modules in (own, others)
        )
        if len(mine) == len(own) == len(others) == len(theirs) and any(
            dict(_answers(*two, stated, found, parts=parts)).get(attribute) is False
            for two in zip(mine, theirs, strict=True)
        ):
            here, there = (_listed(module.words[attribute] for module in modules) for modules in (mine, theirs))
            yield _Difference(None, attribute, f"{here} {stated.where}, {there} {found.where}")
    own_types, other_types = ({module.type for module in modules if module.type} for modules in (own, others))
    strange = (all(_same_type(kind, other, stated, found) is False for kind in own_types) for other in other_types)
    if own and all(module.type for module in own) and any(strange):
        text = f"{', '.join(sorted(own_types))} {stated.where}, {', '.join(sorted(other_types))} {found.where}"
        yield _Difference(None, "type", text)


def _listed(words: Iterable[str]) -> str:
    return " + ".join(f"{count} x {word}" for word, count in sorted(Counter(words).items())) or "nothing"


def _same_slots(stated: _Source, found: _Source) -> tuple[dict[str, str], frozenset[str], frozenset[str]]:
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


def _keys(source: _Source, other: _Source) -> dict[str, tuple[str, ...]]:
    """Return what tells each slot of a source from the others; nothing where its name does not.

    Numbers alone do where both sources number the same slots, or have modules under the same numbers.
    """
    (numbers, filled), (other_numbers, other_filled) = _numbers(source), _numbers(other)
    numbered_alike = numbers == other_numbers or (filled == other_filled and bool(filled))
    return {
        name: () if name in source.nameless or (_is_number(key) and not numbered_alike) else key
        for name, key in ((name, _key(name)) for name in source.slots)
    }


def _numbers(source: _Source) -> tuple[set[tuple[str, ...]], set[tuple[str, ...]]]:
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


def _once(by_source: Sequence[Sequence[_Difference]], apart: Sequence[_Difference]) -> Iterator[_Difference]:
    """Yield what the firmware contradicts, and what the BMC alone does, unless firmware and BMC differ in just that."""
    said: set[tuple[str | None, str]] = set()
    for differences in by_source:
        yield from (difference for difference in differences if (difference.slot, difference.what) not in said)
        said |= {(difference.slot, difference.what) for difference in (*differences, *apart)}


def _apart(sources: Sequence[_Source], compared: Sequence[_Comparison]) -> list[_Difference]:
    """List where firmware and BMC state different things, by the names of the bench file.

    Makers of servers print their own part number in one of the two, so part numbers are not compared.
    """
    if len(sources) < 2:
        return []
    firmware, bmc = sources
    names = {other: slot for slot, other in compared[0].same_slots.items()}
    by_firmware = replace(firmware, where="by the firmware")
    return [
        replace(difference, slot=names.get(difference.slot, difference.slot) if difference.slot else None)
        for difference in _compare(by_firmware, bmc, parts=False).differences
    ]


def _verified(
    slot: str,
    module: _Module | None,
    sources: Sequence[_Source],
    compared: Sequence[_Comparison],
    contradicted: Collection[str | None],
) -> dict[str, Any]:
    """Return the fields of a slot that say by what it was verified, in which attributes, and in which not."""
    by = [
        (source, comparison.agreed[slot])
        for source, comparison in zip(sources, compared, strict=True)
        if slot in comparison.agreed and slot not in contradicted
    ]
    if not by:
        return {"status": "declared, not verified"}
    (best, words), others = by[0], by[1:]
    by_others = [word for _, more in others for word in more if _attribute(word) not in map(_attribute, words)]
    told = {_attribute(word) for word in (*words, *by_others)}
    return {
        "status": best.status,
        "verified": (*words, *(f"{word} out of band" for word in by_others)),
        "unverified": () if module is None else tuple(name for name in module.words if name not in told),
    }


def _attribute(words: str) -> str:
    return words.partition(" ")[0]


def _from_the_bench(differences: Sequence[_Difference]) -> str:
    if not differences:
        return ""
    return (
        f"The memory slots differ from the bench file: {_named(differences)}. "
        "Correct the bench file, or move the modules in the server."
    )


def _from_each_other(differences: Sequence[_Difference]) -> str:
    if not differences:
        return ""
    return (
        f"The firmware and the BMC list different memory: {_named(differences)}. "
        "Restart the server, so that its BMC reads the modules again."
    )


def _named(differences: Sequence[_Difference]) -> str:
    more = len(differences) - MOST_NAMED
    named = "; ".join(difference.text for difference in differences[:MOST_NAMED])
    return f"{named}; and {more} more" if more > 0 else named


def _agreed(sources: Sequence[_Source]) -> str:
    """State that the modules are those of the inventory."""
    lists = " and ".join("the firmware" if source.by_firmware else source.where[3:] for source in sources)
    return f"The memory modules are those that {lists} list{'s' * (len(sources) == 1)}."


def _unpaired(sources: Sequence[_Source], compared: Sequence[_Comparison]) -> str:
    """Name the slots that no source lists under a name that tells which it is; empty where all are paired."""
    if not sources:
        return ""
    if not any(comparison.same_slots for comparison in compared):
        names = ", ".join(list(sources[0].slots)[:MOST_NAMED])
        return (
            "The slots could not be paired with those of the bench file, and are not verified: the server calls them "
            f"{names}. Use these names in the bench file."
        )
    doubtful = [set(comparison.unpaired) for comparison in compared if comparison.same_slots]
    alone = [slot for slot in next(c.unpaired for c in compared if c.same_slots) if all(slot in of for of in doubtful)]
    if not alone:
        return ""
    more = f" and {len(alone) - MOST_NAMED} more" if len(alone) > MOST_NAMED else ""
    return f"Not paired with a slot of the server, and not verified: {', '.join(alone[:MOST_NAMED])}{more}."


def _untold(slots: Sequence[CheckedSlot]) -> str:
    """Name the declared attributes of verified slots that no source states; empty where all are verified."""
    counts = Counter(attribute for slot in slots for attribute in slot.unverified)
    named = ", ".join(f"{attribute} of {count} slot{'s' * (count > 1)}" for attribute, count in counts.items())
    return f"Stated by the bench file alone: {named}." if named else ""


def _unread(run: RunRecord, *, simulated: bool) -> str:
    if simulated:
        return "A simulated server has no memory slots of its own."
    host = run.disclosure.host
    bmc = host.out_of_band
    texts = [host.memory_slots_unread or "The firmware's list of memory modules was not read."]
    if bmc is not None:
        texts.append(f"The BMC {bmc.bmc} was asked too. {bmc.problem or 'It lists no module.'}")
    return " ".join(texts)


def _way(way: SlotsWay | None, source: _Source, bmc: OutOfBand | None) -> str:
    if source.status == "verified out of band":
        return f"Redfish of the BMC {bmc.bmc}" if bmc else "Redfish"
    return WAYS[way] if way else "the firmware's tables"
