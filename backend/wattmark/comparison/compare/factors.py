"""The factors of a run by name: everything that its configuration's snapshot states, workload and level."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from typing import Any

from wattmark.runs.record import RunRecord

TIED: Mapping[str, tuple[str, ...]] = {
    "configuration": ("*",),
    "server": ("*",),
    "cpu.model": ("cpu.*",),
    "cpu.clock_mhz": ("cpu.model",),
    "cpu.sockets": ("cpu.cores", "cpu.threads"),
    "cpu.cores": ("cpu.threads", "cpu.model"),
    "memory.dimm_count": ("memory.gib", "memory.slots"),
    "memory.gib": ("memory.dimm_count", "memory.slots"),
    "memory.type": ("memory.slots",),
    "os.name": ("os.kernel",),
}
"""Factor -> factors that necessarily change with it; they are excluded from "all else equal"."""
ALWAYS = ("workload", "level")
"""Never tied: work and load stay the same unless they are the factor that is compared."""
_NAMED = {
    "cpu": ("model", "sockets", "cores", "threads", "clock_mhz"),
    "os": ("name", "kernel"),
}
_DIGITS = re.compile(r"(\d+)")


def factors(run: RunRecord) -> dict[str, str]:
    """List the factors of a run as texts by name; what its snapshot does not state is omitted."""
    declared = _part(run.configuration_snapshot, "declared")
    snapshot = {**run.configuration_snapshot, **declared}
    by_name: dict[str, Any] = {
        "server": run.server,
        "configuration": f"{run.server}/{run.configuration}",
        "workload": run.workload,
        "level": run.level,
    }
    for part, names in _NAMED.items():
        by_name |= {f"{part}.{name}": _part(snapshot, part).get(name) for name in names}
    by_name |= {f"firmware.{name}": value for name, value in _part(snapshot, "firmware").items()}
    by_name |= _memory(snapshot)
    by_name["psus"] = _listed(p.get("id") for p in _entries(snapshot, "psus") if p.get("powered", True))
    for name in ("disks", "nics"):
        value = snapshot.get(name)
        by_name[name] = ", ".join(map(str, value)) if isinstance(value, list | tuple) else None
    return {name: _text(value) for name, value in by_name.items() if value not in (None, "")}


def left_equal(by_name: Mapping[str, str], factor: str, ignored: Iterable[str] = ()) -> dict[str, str]:
    """Select the factor and those that must be equal when it is compared; tied ones and identities are dropped."""
    patterns = (*TIED.get(factor, ()), *ignored)
    selected = {}
    for name, value in by_name.items():
        tied = name not in ALWAYS and any(fnmatchcase(name, pattern) for pattern in patterns)
        if name == factor or not (tied or name in ignored or name == "configuration"):
            selected[name] = value
    return selected


def in_order(values: Iterable[str]) -> list[str]:
    """Sort values as people count: 2.6.9 before 2.6.18, 4 before 16."""
    return sorted(set(values), key=_natural)


def _natural(text: str) -> list[tuple[int, int, str]]:
    return [(0, int(p), "") if p.isdecimal() and p.isascii() else (1, 0, p) for p in _DIGITS.split(text) if p]


def _memory(snapshot: Mapping[str, Any]) -> dict[str, Any]:
    slots = _part(_part(snapshot, "memory"), "slots")
    modules = {slot: module for slot, module in slots.items() if isinstance(module, dict)}
    types = sorted({str(module.get("type")) for module in modules.values() if module.get("type")})
    return {
        "memory.dimm_count": snapshot.get("dimm_count"),
        "memory.gib": snapshot.get("memory_gib"),
        "memory.type": " + ".join(types) or snapshot.get("memory_type"),
        "memory.slots": _listed(f"{slot}={_module(module)}" for slot, module in modules.items()),
    }


def _module(module: Mapping[str, Any]) -> str:
    return f"{module.get('type', '?')} {_text(module.get('capacity_gib', '?'))} GiB"


def _part(snapshot: Mapping[str, Any], name: str) -> Mapping[str, Any]:
    part = snapshot.get(name)
    return part if isinstance(part, dict) else {}


def _entries(snapshot: Mapping[str, Any], name: str) -> list[Mapping[str, Any]]:
    entries = snapshot.get(name)
    return [e for e in entries if isinstance(e, dict)] if isinstance(entries, list | tuple) else []


def _listed(names: Iterable[Any]) -> str | None:
    return ", ".join(sorted(map(str, names))) or None


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) and abs(value) < 1e6 else str(value)
