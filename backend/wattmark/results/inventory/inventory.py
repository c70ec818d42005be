"""The memory slots of the bench file against the inventory: the firmware's tables, and what the BMC lists by Redfish.

Slots are paired by their names. Where no name fits, the modules are compared by count and kind alone, and no slot is
verified.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from wattmark.results.inventory import words
from wattmark.results.inventory.attributes import same_part
from wattmark.results.inventory.compare import Comparison, Difference, compare
from wattmark.results.inventory.population import Module, Source
from wattmark.results.inventory.sources import declared_source, sources_of
from wattmark.results.inventory_part import DECLARED, CheckedSlot, MemoryInventory
from wattmark.runs.record import RunRecord


def memory_inventory(run: RunRecord, *, simulated: bool) -> MemoryInventory | None:
    """Compare the declared slots of a run with the inventory of its server; None without declared slots.

    A simulated server has no slots of its own: what is declared of it stays a declaration.
    """
    declared, host = declared_source(run), run.disclosure.host
    if not declared.slots:
        return None
    compared = [] if simulated else _compared(declared, list(sources_of(run)))
    between = _between(compared)
    from_bench = list(_from_bench([comparison.differences for comparison in compared], between))
    differences = (*from_bench, *between)
    slots = tuple(_checked(slot, module, compared, differences) for slot, module in declared.slots.items())
    if differences:
        statements = [words.from_the_bench(from_bench), words.from_each_other(between)]
    else:
        statements = [words.agreed(compared) if compared else words.unread(run, simulated=simulated)]
    statements += [_other_parts(declared, compared), words.unpaired(compared), words.untold(slots)]
    ways = (words.way_of(host.memory_slots_way, comparison.source, host.out_of_band) for comparison in compared)
    return MemoryInventory(
        way="; ".join(ways) or None,
        slots=slots,
        contradictions=tuple(difference.text for difference in differences),
        statement=" ".join(text for text in statements if text),
    )


def _compared(declared: Source, sources: Sequence[Source]) -> list[Comparison]:
    """Compare the bench file with each source, the firmware first.

    Where the firmware has a declared part number, a BMC is not asked for it: some makers of servers show their own.
    """
    compared: list[Comparison] = []
    for source in sources:
        known = {slot for comparison in compared for slot in comparison.same_parts}
        rest = {
            slot: replace(module, part=None) if module and slot in known else module
            for slot, module in declared.slots.items()
        }
        compared.append(compare(replace(declared, slots=rest), source))
    return compared


def _other_parts(declared: Source, compared: Sequence[Comparison]) -> str:
    """State which part numbers a BMC shows instead of those that the firmware has as declared."""
    if len(compared) < 2:
        return ""
    firmware, bmc = compared
    shown = {slot: bmc.source.slots[name] for slot, name in bmc.pairing.pairs.items() if slot in firmware.same_parts}
    parts = [
        f"{slot} {other.part}"
        for slot, other in shown.items()
        if other and (module := declared.slots[slot]) and same_part(module.part, other.part) is False
    ]
    return words.other_parts(bmc.source, parts)


def _from_bench(by_source: Sequence[Sequence[Difference]], between: Sequence[Difference]) -> Iterator[Difference]:
    """Yield what the firmware contradicts, and what the BMC alone does, unless firmware and BMC differ in just that."""
    said: set[tuple[str | None, str]] = set()
    for differences in by_source:
        yield from (difference for difference in differences if (difference.slot, difference.what) not in said)
        said |= {(difference.slot, difference.what) for difference in (*differences, *between)}


def _between(compared: Sequence[Comparison]) -> list[Difference]:
    """List where firmware and BMC state different things, by the names of the bench file.

    Makers of servers print their own part number in one of the two, so part numbers are not compared.
    """
    if len(compared) < 2:
        return []
    firmware, bmc = compared
    names = {name: slot for slot, name in firmware.pairing.pairs.items()}
    by_firmware = replace(firmware.source, where="by the firmware")
    return [
        replace(difference, slot=names.get(difference.slot, difference.slot) if difference.slot else None)
        for difference in compare(by_firmware, bmc.source, with_parts=False).differences
    ]


def _checked(
    slot: str, module: Module | None, compared: Sequence[Comparison], differences: Sequence[Difference]
) -> CheckedSlot:
    """Return a declared slot with what verified it, in which attributes, and in which not."""
    texts = tuple(difference.text for difference in differences if difference.slot == slot)
    declared = "empty" if module is None else str(module)
    agreeing = [comparison for comparison in compared if slot in comparison.agreed and not texts]
    if not agreeing:
        return CheckedSlot(slot=slot, declared=declared, status=DECLARED, contradictions=texts)
    best, *others = agreeing
    verified = best.agreed[slot]
    out_of_band = {
        attribute: f"{text} out of band"
        for comparison in others
        for attribute, text in comparison.agreed[slot].items()
        if attribute not in verified
    }
    known = {*verified, *out_of_band}
    return CheckedSlot(
        slot=slot,
        declared=declared,
        status=best.source.status,
        verified=(*verified.values(), *out_of_band.values()),
        unverified=() if module is None else tuple(name for name in module.words if name not in known),
    )
