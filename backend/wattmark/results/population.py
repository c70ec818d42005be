"""The memory population of a run: type and channels; whether channels are alike; what reaches the modules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from wattmark.analysis.psu import marginal_efficiency
from wattmark.analysis.refusal import Refused
from wattmark.runs.record import RunRecord
from wattmark.runs.result import MemoryPopulation, Result


def memory_population(run: RunRecord) -> MemoryPopulation | None:
    """Read which channel holds how much; None where the record does not tell the slots and channels."""
    slots = run.configuration_snapshot.get("modules") or []
    if not slots or not all(slot.get("channel") for slot in slots):
        return None
    fitted = [slot for slot in slots if slot.get("type")]
    named = {str(slot["channel"]) for slot in slots}
    declared = ((run.configuration_snapshot.get("declared") or {}).get("memory") or {}).get("channels")
    capacity: Counter[str] = Counter()
    for slot in fitted:
        capacity[str(slot["channel"])] += float(slot["capacity_gib"])  # type: ignore[assignment]
    return MemoryPopulation(
        type=" + ".join(sorted({str(slot["type"]) for slot in fitted})),
        modules=dict(sorted(Counter(str(slot["channel"]) for slot in fitted).items())),
        capacity_gib={channel: float(gib) for channel, gib in sorted(capacity.items())},
        channels=max(int(declared or 0), len(named)),
    )


def balance_warnings(results: Sequence[Result]) -> list[str]:
    """Name the configurations whose channels hold different modules, or leave channels empty."""
    said = []
    for title, of in {(r.configuration_title or r.configuration): r.memory for r in results if r.memory}.items():
        shown = ", ".join(f"{channel} {count}" for channel, count in of.modules.items())
        if not of.balanced:
            said.append(f"“{title}” fills its memory channels unequally ({shown}): its throughput may suffer.")
        elif of.modules and len(of.modules) < of.channels:
            said.append(f"“{title}” uses {len(of.modules)} of {of.channels} memory channels.")
    return said


def supply_efficiency(run: RunRecord, power_w: float | None) -> float | None:
    """Compute the watts that one watt more at the wall brings behind the supplies; None without a curve of each."""
    declared: dict[str, Any] = run.configuration_snapshot.get("declared") or {}
    supplies = [one for one in declared.get("psus") or [] if one.get("powered", True)]
    curves = [one.get("efficiency_pct") for one in supplies]
    if power_w is None or not supplies or not all(curves) or any(curve != curves[0] for curve in curves):
        return None
    rated = [one.get("rated_w") for one in supplies]
    if not all(rated) or len(set(rated)) > 1:
        return None
    curve = {float(load): float(pct) for load, pct in curves[0].items()}
    try:
        return marginal_efficiency(curve, float(rated[0]) * len(rated), power_w)
    except Refused:
        return None
