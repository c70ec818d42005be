"""The memory slots of the bench file against the inventory: the firmware's tables, and what the BMC lists by Redfish.

A slot is found by its name. Boards and bench files write it differently ("A1", "DIMM_A1", "P1-DIMMA1"), so words that
every board uses do not count, and one name may lack what the other begins with. Where no name fits, the modules are
compared by count and kind alone, and no slot is verified.
"""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from wattmark.bench.dmi import SlotsWay, parse_memory_devices, slot_names
from wattmark.core.numbers import format_number
from wattmark.results.inventory_part import CheckedSlot, MemoryInventory, SlotStatus
from wattmark.runs.disclosure import FittedSlot, OutOfBand
from wattmark.runs.record import RunRecord

WAYS: Mapping[SlotsWay, str] = {
    "dmidecode": "the firmware's tables by dmidecode",
    "file": "the firmware's tables by the file of wattmark-inventory.service",
    "sudo": "the firmware's tables by sudo dmidecode",
}
SPEED_STEP_MTS = 2
"""Roundings of one speed differ by so much: 2666.67 MT/s is printed as 2666, 2667 and 2668."""
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


_Population = Mapping[str, _Module | None]
"""Modules by the names of their slots; None: the slot is empty."""


@dataclass(frozen=True, slots=True)
class _Source:
    """Who states what is in the slots, with the words that end "RDIMM 16 GiB ..." in a sentence."""

    where: str
    slots: _Population
    unknown: frozenset[str] = frozenset()
    """Slots with a module that the source does not describe."""
    status: SlotStatus = "declared, not verified"
    clock_for_speed: bool = False
    """It may state the clock of memory that transfers twice in each period."""

    @property
    def modules(self) -> list[_Module]:
        return [module for module in self.slots.values() if module is not None]


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
    agreed: frozenset[str] = frozenset()


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
    statements = [_from_the_bench(own), _from_each_other(apart)] if own or apart else []
    if not statements:
        statements = [_agreed(sources, compared) if sources else _unread(run, simulated=simulated)]
    return MemoryInventory(
        way="; ".join(_way(host.memory_slots_way, source, host.out_of_band) for source in sources) or None,
        slots=tuple(
            CheckedSlot(
                slot=slot,
                declared="empty" if module is None else str(module),
                status=_status(slot, sources, compared, contradicted),
                contradictions=tuple(difference.text for difference in (*own, *apart) if difference.slot == slot),
            )
            for slot, module in declared.slots.items()
        ),
        contradictions=tuple(difference.text for difference in (*own, *apart)),
        statement=" ".join(statement for statement in statements if statement),
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
        names = slot_names(devices)
        yield _Source(
            "in the server",
            {
                name: _Module(slot.module_type, slot.capacity_gib, slot.speed_mts, slot.ranks, slot.part)
                if slot.capacity_gib
                else None
                for name, slot in zip(names, devices, strict=True)
            },
            frozenset(name for name, slot in zip(names, devices, strict=True) if slot.unknown),
            "verified by firmware",
        )
    bmc = host.out_of_band
    # a BMC that lists no module at all has not seen the server start
    if bmc is not None and any(slot.capacity_gib for slot in bmc.slots):
        yield _Source(
            f"by the BMC {bmc.bmc}",
            {
                name: _Module(
                    "FB-DIMM"
                    if (slot.device_type or "").startswith(_FB_DIMM)
                    else _MODULE_TYPES.get(slot.module_type or ""),
                    slot.capacity_gib,
                    slot.speed_mts,
                    slot.ranks,
                    slot.part,
                )
                if slot.capacity_gib
                else None
                for name, slot in zip(_bmc_names(bmc.slots), bmc.slots, strict=True)
            },
            status="verified out of band",
            clock_for_speed=True,
        )


def _bmc_names(slots: Sequence[FittedSlot]) -> list[str]:
    """Name each slot as the BMC does; where names repeat, by its place too, or by a number."""
    names = [slot.name for slot in slots]
    if len(set(names)) < len(names):
        names = [" ".join(part for part in (slot.name, slot.place) if part) for slot in slots]
    return [name if name not in names[:place] else f"{name} #{place + 1}" for place, name in enumerate(names)]


def _compare(stated: _Source, found: _Source, *, parts: bool = True) -> _Comparison:
    """Compare what two sources state, slot by slot where their names fit; ``parts``: part numbers too."""
    pairs, doubtful, doubtful_there = _same_slots(list(stated.slots), list(found.slots))
    if not pairs:
        return _Comparison(tuple(_by_count(stated, found, parts=parts)))
    filled = {
        slot: (module, there)
        for slot, other in pairs.items()
        if (module := stated.slots[slot]) is not None and (there := found.slots[other]) is not None
    }
    unlike = {slot: list(_unlike(slot, *modules, stated, found, parts=parts)) for slot, modules in filled.items()}

    def empty_there(slot: str) -> bool:
        """Return whether the other source has nothing in a slot: it lists the slot as empty, or not at all."""
        other = pairs.get(slot)
        return slot not in doubtful and (other is None or (found.slots[other] is None and other not in found.unknown))

    lists_empty_slots = any(module is None for module in found.slots.values())
    empty = {
        slot
        for slot, module in stated.slots.items()
        if module is None and empty_there(slot) and (slot in pairs or not lists_empty_slots)
    }
    # a module in a slot whose name tells nothing may be any that is missed on the other side
    missing = {slot: module for slot, module in stated.slots.items() if module is not None and empty_there(slot)}
    missing = {} if any(found.slots[name] for name in doubtful_there) else missing
    taken = {pairs[slot] for slot in filled}.union(doubtful_there)
    more = {name: module for name, module in found.slots.items() if module is not None and name not in taken}
    more = {} if any(stated.slots[name] for name in doubtful) else more
    names = {other: slot for slot, other in pairs.items()}
    differences = (
        *_counts(stated, found),
        *_moved(missing, more, names, stated, found),
        *(difference for texts in unlike.values() for difference in texts),
    )
    return _Comparison(differences, pairs, frozenset(empty).union(slot for slot, texts in unlike.items() if not texts))


def _counts(stated: _Source, found: _Source) -> Iterator[_Difference]:
    own, others = len(stated.modules), len(found.modules)
    if own != others and not found.unknown:
        noun = "module" if own == 1 else "modules"
        yield _Difference(None, "count", f"{own} {noun} {stated.where}, {others} {found.where}")


def _moved(
    missing: Mapping[str, _Module],
    more: Mapping[str, _Module],
    names: Mapping[str, str],
    stated: _Source,
    found: _Source,
) -> Iterator[_Difference]:
    """Yield the modules that are not where they are stated to be: in another slot, nowhere, or one too many."""
    left = dict(more)
    for slot, module in missing.items():
        there = next(
            (other for other, candidate in left.items() if not list(_unlike(slot, module, candidate, stated, found))),
            None,
        )
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


def _unlike(
    slot: str, module: _Module, there: _Module, stated: _Source, found: _Source, *, parts: bool = True
) -> Iterator[_Difference]:
    """Yield what two sources state differently of the module of a slot."""

    def differs(what: str, own: str, other: str) -> _Difference:
        return _Difference(slot, what, f"{slot}: {own} {stated.where}, {other} {found.where}")

    if module.capacity_gib and there.capacity_gib and module.capacity_gib != there.capacity_gib:
        yield differs("size", *(f"{format_number(size)} GiB" for size in (module.capacity_gib, there.capacity_gib)))
    if module.type and there.type and module.type != there.type:
        yield differs("type", module.type, there.type)
    if module.speed_mts and there.speed_mts and not _same_speed(module.speed_mts, there.speed_mts, found):
        yield differs("speed", f"{module.speed_mts} MT/s", f"{there.speed_mts} MT/s")
    if module.ranks and there.ranks and module.ranks != there.ranks:
        yield differs("ranks", *(f"{ranks} rank{'s' * (ranks > 1)}" for ranks in (module.ranks, there.ranks)))
    if parts and module.part and there.part and _plain(module.part) != _plain(there.part):
        yield differs("part", f"part {module.part}", f"part {there.part}")


def _same_speed(own_mts: int, other_mts: int, found: _Source) -> bool:
    speeds = (other_mts, 2 * other_mts) if found.clock_for_speed else (other_mts,)
    return any(abs(own_mts - speed) <= SPEED_STEP_MTS for speed in speeds)


def _plain(part: str) -> str:
    return re.sub(r"\s+", "", part).casefold()


def _by_count(stated: _Source, found: _Source, *, parts: bool) -> Iterator[_Difference]:
    """Yield where two populations differ whose slots have no name in common: by count and kind of their modules."""
    yield from _counts(stated, found)
    if found.unknown:
        return
    own, others = stated.modules, found.modules
    kinds = (
        ("size", [f"{format_number(m.capacity_gib)} GiB" if m.capacity_gib else "" for m in own],
         [f"{format_number(m.capacity_gib)} GiB" if m.capacity_gib else "" for m in others]),
        ("ranks", [f"{m.ranks} ranks" if m.ranks else "" for m in own],
         [f"{m.ranks} ranks" if m.ranks else "" for m in others]),
        ("part", [_plain(m.part or "") if parts else "" for m in own], [_plain(m.part or "") for m in others]),
    )  # fmt: skip
    for what, here, there in kinds:
        if all(here) and all(there) and Counter(here) != Counter(there):
            yield _Difference(None, what, f"{_listed(here)} {stated.where}, {_listed(there)} {found.where}")
    own_types, other_types = ({m.type for m in modules if m.type} for modules in (own, others))
    if other_types and not other_types <= own_types:
        text = f"{', '.join(sorted(own_types))} {stated.where}, {', '.join(sorted(other_types))} {found.where}"
        yield _Difference(None, "type", text)
    speeds = [sorted(m.speed_mts for m in modules if m.speed_mts) for modules in (own, others)]
    if len(speeds[0]) == len(own) == len(others) == len(speeds[1]) and not all(
        _same_speed(mine, other, found) for mine, other in zip(*speeds, strict=True)
    ):
        here, there = ([f"{speed} MT/s" for speed in of] for of in speeds)
        yield _Difference(None, "speed", f"{_listed(here)} {stated.where}, {_listed(there)} {found.where}")


def _listed(words: Iterable[str]) -> str:
    return " + ".join(f"{count} x {word}" for word, count in sorted(Counter(words).items())) or "nothing"


def _same_slots(names: Sequence[str], others: Sequence[str]) -> tuple[dict[str, str], frozenset[str], frozenset[str]]:
    """Pair the names of slots: equal ones, then those of which one is the end of exactly one of the other side.

    Also return the names of each side that fit several, or tell nothing.
    """
    keys, other_keys = {name: _key(name) for name in names}, {name: _key(name) for name in others}
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


def _ends_alike(a: tuple[str, ...], b: tuple[str, ...]) -> bool:
    shorter, longer = sorted((a, b), key=len)
    # a number alone tells nothing: "DIMM 1" of one side need not be "A1" of the other
    return any(token.isalpha() for token in shorter) and longer[len(longer) - len(shorter) :] == shorter


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


def _status(
    slot: str, sources: Sequence[_Source], compared: Sequence[_Comparison], contradicted: Collection[str | None]
) -> SlotStatus:
    if slot in contradicted:
        return "declared, not verified"
    for source, comparison in zip(sources, compared, strict=True):
        if slot in comparison.agreed:
            return source.status
    return "declared, not verified"


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


def _agreed(sources: Sequence[_Source], compared: Sequence[_Comparison]) -> str:
    """State that the modules are those of the inventory, and whether their slots are."""
    lists = " and ".join("the firmware" if s.status == "verified by firmware" else s.where[3:] for s in sources)
    text = f"The memory modules are those that {lists} list{'s' * (len(sources) == 1)}."
    if any(comparison.same_slots for comparison in compared):
        return text
    names = ", ".join(list(sources[0].slots)[:MOST_NAMED])
    return f"{text} Their slots are not verified: the server calls them {names}. Use these names in the bench file."


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
