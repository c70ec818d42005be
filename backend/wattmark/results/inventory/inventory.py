"""The memory slots of the bench file against the inventory: the firmware's tables, and what the BMC lists by Redfish.

Slots are paired by their names. Where no name fits, the modules are compared by count and kind alone, and no slot is
verified.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from typing import Any

from wattmark.results.inventory.compare import Comparison, Difference, compare
from wattmark.results.inventory.population import Module, Source
from wattmark.results.inventory.sources import declared_source, sources_of
from wattmark.results.inventory.statement import (
    agreed,
    from_each_other,
    from_the_bench,
    unpaired_text,
    unread,
    untold,
    way_of,
)
from wattmark.results.inventory_part import CheckedSlot, MemoryInventory
from wattmark.runs.record import RunRecord


def memory_inventory(run: RunRecord, *, simulated: bool) -> MemoryInventory | None:
    """Compare the declared slots of a run with the inventory of its server; None without declared slots.

    A simulated server has no slots of its own: what is declared of it stays a declaration.
    """
    declared, host = declared_source(run), run.disclosure.host
    if not declared.slots:
        return None
    sources = [] if simulated else list(sources_of(run))
    compared = [compare(declared, source) for source in sources]
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
    statements = [from_the_bench(own), from_each_other(apart)] if own or apart else []
    if not statements:
        statements = [agreed(sources) if sources else unread(run, simulated=simulated)]
    return MemoryInventory(
        way="; ".join(way_of(host.memory_slots_way, source, host.out_of_band) for source in sources) or None,
        slots=slots,
        contradictions=tuple(difference.text for difference in (*own, *apart)),
        statement=" ".join(text for text in (*statements, unpaired_text(sources, compared), untold(slots)) if text),
    )


def _once(by_source: Sequence[Sequence[Difference]], apart: Sequence[Difference]) -> Iterator[Difference]:
    """Yield what the firmware contradicts, and what the BMC alone does, unless firmware and BMC differ in just that."""
    said: set[tuple[str | None, str]] = set()
    for differences in by_source:
        yield from (difference for difference in differences if (difference.slot, difference.what) not in said)
        said |= {(difference.slot, difference.what) for difference in (*differences, *apart)}


def _apart(sources: Sequence[Source], compared: Sequence[Comparison]) -> list[Difference]:
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
        for difference in compare(by_firmware, bmc, parts=False).differences
    ]


def _verified(
    slot: str,
    module: Module | None,
    sources: Sequence[Source],
    compared: Sequence[Comparison],
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
