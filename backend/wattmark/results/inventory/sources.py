"""What lists the memory slots of a run: the bench file, the firmware's tables, and the BMC by Redfish."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

from wattmark_drivers.stated_text import stated

from wattmark.bench.dmi import DmiSlot, numbered, parse_memory_devices, slot_names
from wattmark.results.inventory.population import Module, Source
from wattmark.results.inventory_part import FIRMWARE, OUT_OF_BAND
from wattmark.runs.configuration import PERSISTENT, RecordedModule
from wattmark.runs.disclosure import FittedSlot
from wattmark.runs.record import RunRecord

_SO_DIMM = "SO-DIMM"
_MODULE_TYPES = {
    "rdimm": "RDIMM",
    "udimm": "UDIMM",
    "lrdimm": "LRDIMM",
    **dict.fromkeys(("so_dimm", "so_rdimm_72b", "so_udimm_72b", "so_dimm_16b", "so_dimm_32b"), _SO_DIMM),
}
"""BaseModuleType of DSP0268, in small letters, in the words of the bench file."""
_FB_DIMM = "ddr2_sdram_fb_dimm"
"""Begin of the MemoryDeviceType of DSP0268 of fully buffered modules."""
_SOLID = ("nvdimm_f", "nvdimm_p", "inteloptane")
"""MemoryTypes of DSP0268 of persistent memory; an NVDIMM_N is DRAM that is backed up."""
_LOGICAL = "logical"
"""The MemoryDeviceType of DSP0268 of the same."""


def declared_source(run: RunRecord) -> Source:
    """Return what the bench file declared of the slots when the run was made."""
    configuration = run.configuration_snapshot
    documents = {} if configuration.declared.memory is None else configuration.declared.memory.slots
    slots = {module.slot: _of_bench(module, documents.get(module.slot)) for module in configuration.modules}
    return Source("the bench file", "in the bench file", slots)


def sources_of(run: RunRecord) -> Iterator[Source]:
    """Yield what lists the slots of the server, the firmware first."""
    host = run.disclosure.host
    devices = parse_memory_devices(host.memory_slots) if host.memory_slots else ()
    if devices:
        slots = {name: _of_firmware(slot) for name, slot in zip(slot_names(devices), devices, strict=True)}
        yield Source("the firmware", "in the server", slots, FIRMWARE)
    bmc = host.out_of_band
    # a BMC that lists no module at all has not seen the server start
    if bmc is not None and any(slot.filled for slot in bmc.slots):
        names = _bmc_names(bmc.slots)
        yield Source(
            f"the BMC {bmc.bmc}",
            f"by the BMC {bmc.bmc}",
            {name: _of_bmc(slot) for name, slot in zip(names, bmc.slots, strict=True)},
            OUT_OF_BAND,
            frozenset(name for name, known in names.items() if not known),
        )


def _of_bench(module: RecordedModule, document: object) -> Module | None:
    if not module.type:
        return None
    part = document.get("part") if isinstance(document, dict) else None
    return Module(
        module.type,
        module.capacity_gib,
        module.speed_mts,
        module.ranks,
        stated(str(part)) if part else None,
        module.type == PERSISTENT,
    )


def _of_firmware(slot: DmiSlot) -> Module | None:
    if not slot.filled:
        return None
    persistent = None if slot.module_type is None else slot.module_type == PERSISTENT
    return Module(slot.module_type, slot.capacity_gib, slot.speed_mts, slot.ranks, slot.part, persistent)


def _of_bmc(slot: FittedSlot) -> Module | None:
    if not slot.filled:
        return None
    module_type = _bmc_type(slot)
    # BaseModuleType is the form of the module alone, which persistent memory has too
    persistent = True if module_type == PERSISTENT else False if slot.memory_type else None
    return Module(module_type, slot.capacity_gib, slot.speed_mts, slot.ranks, stated(slot.part), persistent)


def _bmc_type(slot: FittedSlot) -> str | None:
    """Return the type of a module in the words of the bench file; None: the BMC does not tell."""
    memory, device, module = (
        (word or "").casefold() for word in (slot.memory_type, slot.device_type, slot.module_type)
    )
    if memory in _SOLID or device == _LOGICAL:
        return PERSISTENT
    return "FB-DIMM" if device.startswith(_FB_DIMM) else _MODULE_TYPES.get(module)


def _bmc_names(slots: Sequence[FittedSlot]) -> dict[str, bool]:
    """Name each slot as the BMC does; where names repeat, by its place too, or by a number, which tells no slot."""
    names = [slot.name for slot in slots]
    if len(set(names)) < len(names):
        names = [" ".join(part for part in (slot.name, slot.place) if part) for slot in slots]
    alike = Counter(names)
    return {free: alike[name] == 1 for name, free in zip(names, numbered(names, "{} #{}"), strict=True)}
