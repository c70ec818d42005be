"""What lists the memory slots of a run: the bench file, the firmware's tables, and the BMC by Redfish."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from wattmark.bench.dmi import numbered, parse_memory_devices, slot_names
from wattmark.results.inventory.population import Module, Source
from wattmark.runs.configuration import PERSISTENT
from wattmark.runs.disclosure import FittedSlot
from wattmark.runs.record import RunRecord

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


def declared_source(run: RunRecord) -> Source:
    """Return what the bench file declared of the slots when the run was made."""
    configuration = run.configuration_snapshot
    documents = {} if configuration.declared.memory is None else configuration.declared.memory.slots
    slots: dict[str, Module | None] = {}
    for module in configuration.modules:
        document = documents.get(module.slot)
        part = document.get("part") if isinstance(document, dict) else None
        slots[module.slot] = (
            Module(module.type, module.capacity_gib, module.speed_mts, module.ranks, str(part) if part else None)
            if module.type
            else None
        )
    return Source("in the bench file", slots)


def sources_of(run: RunRecord) -> Iterator[Source]:
    """Yield what lists the slots of the server, the firmware first."""
    host = run.disclosure.host
    devices = parse_memory_devices(host.memory_slots) if host.memory_slots else ()
    if devices:
        yield Source(
            "in the server",
            {
                name: Module(slot.module_type, slot.capacity_gib, slot.speed_mts, slot.ranks, slot.part)
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
        yield Source(
            f"by the BMC {bmc.bmc}",
            {
                name: Module(_bmc_type(slot), slot.capacity_gib, slot.speed_mts, slot.ranks, slot.part)
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
