"""Whether the memory slots that the firmware showed hold what the bench file says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from wattmark.inventory.dmi import DmiSlot, parse_memory_devices
from wattmark.results.series import result_meters
from wattmark.runs.record import RunRecord

DISCLOSED = "memory_slots"
"""Where the host's disclosure keeps the text of dmidecode."""


def slot_notes(run: RunRecord) -> tuple[str, ...]:
    """Compare the modules of a run's configuration with what dmidecode printed; nothing where either is not known.

    A simulated server has no slots of its own.
    """
    if any(meter.simulated for meter in result_meters(run)):
        return ()
    text = (run.disclosure.get("host") or {}).get(DISCLOSED)
    modules = run.configuration_snapshot.get("modules") or []
    if not isinstance(text, str) or not modules:
        return ()
    found = parse_memory_devices(text)
    return mismatches(modules, found) if found else ()


def mismatches(modules: Sequence[Mapping[str, Any]], found: Sequence[DmiSlot]) -> tuple[str, ...]:
    """Say where count, capacities or type differ. Slots are not matched by name: boards and bench files differ."""
    declared = [m for m in modules if m.get("type")]
    fitted = [slot for slot in found if slot.capacity_gib is not None]
    said = []
    if len(declared) != len(fitted):
        said.append(f"{len(declared)} modules in the bench file, {len(fitted)} in the server")
    capacities = Counter(float(m["capacity_gib"]) for m in declared)
    seen = Counter(slot.capacity_gib for slot in fitted if slot.capacity_gib is not None)
    if capacities != seen:
        said.append(f"{_listed(capacities)} in the bench file, {_listed(seen)} in the server")
    types, told = {str(m["type"]) for m in declared}, {slot.module_type for slot in fitted if slot.module_type}
    if told and not told <= types:
        said.append(f"{', '.join(sorted(types))} in the bench file, {', '.join(sorted(told))} in the server")
    if not said:
        return ()
    return (f"The memory slots do not hold what the bench file says: {'; '.join(said)}. Correct the one or the other.",)


def _listed(capacities: Counter[float]) -> str:
    return " + ".join(f"{count} x {gib:g} GiB" for gib, count in sorted(capacities.items())) or "nothing"
