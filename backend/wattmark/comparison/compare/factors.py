"""The factors of a run by name: all that its configuration's snapshot states, power settings, workload and level."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from wattmark.core.part_words import canonical_kind, part_text
from wattmark.core.texts import as_typed_by_anybody, one_writing
from wattmark.runs.configuration import PERSISTENT, DeclaredPart, RecordedConfiguration
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
    "parts.drive": ("disks",),
    "parts.network card": ("nics",),
}
"""Factor -> factors that necessarily change with it; they are excluded from "all else equal"."""
ALWAYS = ("workload", "level", "program")
"""Never tied: work, load and the version of the load program stay the same unless they are the factor that is
compared."""
MEMORY = "memory."
"""Begin of the factors that state the memory population."""
_OF_MODELS = ("cpu.model", "disks", "nics", "parts.*")
"""Factors that name models, which people type in several ways."""
_CPU = ("model", "sockets", "cores", "threads", "clock_mhz")
_DIGITS = re.compile(r"(\d+)")


def factors(run: RunRecord) -> dict[str, str]:
    """List the factors of a run as texts by name; what its snapshot does not state is omitted."""
    configuration = run.configuration_snapshot
    declared = configuration.declared
    by_name: dict[str, Any] = {
        "server": run.server,
        "configuration": f"{run.server}/{run.configuration}",
        "workload": run.workload,
        "level": run.level,
        "program": run.disclosure.program_version,
    }
    by_name |= {f"cpu.{name}": getattr(declared.cpu, name) for name in _CPU}
    by_name |= {f"os.{name}": declared.os.get(name) for name in ("name", "kernel")}
    firmware = declared.firmware or configuration.firmware
    by_name |= {f"firmware.{name}": value for name, value in firmware.items()}
    by_name |= _memory(configuration)
    if run.disclosure.settings is not None:
        by_name |= {f"settings.{name}": value for name, value in run.disclosure.settings.stated()}
    by_name["psus"] = _listed(supply.id for supply in declared.powered)
    by_name["disks"] = ", ".join(declared.disks or configuration.disks)
    by_name["nics"] = ", ".join(declared.nics)
    by_name |= {f"parts.{kind}": text for kind, text in _counted(declared.parts).items()}
    return {name: _text(value) for name, value in by_name.items() if value not in (None, "")}


def names_models(factor: str) -> bool:
    """Return whether the values of a factor are names of models."""
    return any(fnmatchcase(factor, pattern) for pattern in _OF_MODELS)


def is_same(factor: str, value: str | None, other: str | None) -> bool:
    """Return whether two values of a factor are the same, however a model was typed; None: it is not stated."""
    if value is None or other is None or not names_models(factor):
        return value == other
    return as_typed_by_anybody(value) == as_typed_by_anybody(other)


def typed_alike(rows: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
    """Write each model alike in all rows of factors, however it was typed in each."""
    names = {name for row in rows for name in row if names_models(name)}
    writings = {name: one_writing(row[name] for row in rows if name in row) for name in names}
    return [{name: writings[name][value] if name in writings else value for name, value in row.items()} for row in rows]


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


def _memory(configuration: RecordedConfiguration) -> dict[str, Any]:
    memory = configuration.declared.memory
    slots = memory.slots if memory else {}
    modules = {slot: module for slot, module in slots.items() if isinstance(module, dict)}
    dimms = {slot: module for slot, module in modules.items() if module.get("type") != PERSISTENT}
    types = sorted({str(module.get("type")) for module in dimms.values() if module.get("type")})
    return {
        f"{MEMORY}dimm_count": configuration.dimm_count,
        f"{MEMORY}gib": configuration.memory_gib,
        f"{MEMORY}type": " + ".join(types) or configuration.memory_type,
        f"{MEMORY}slots": _listed(f"{slot}={_module(module)}" for slot, module in dimms.items()),
        f"{MEMORY}persistent": _listed(f"{slot}={_module(modules[slot])}" for slot in modules.keys() - dimms.keys()),
    }


def _counted(parts: Iterable[DeclaredPart]) -> dict[str, str]:
    """List the declared parts by kind: "4 × Intel S3500"."""
    by_kind: dict[str, list[str]] = {}
    for part in parts:
        by_kind.setdefault(canonical_kind(part.kind), []).append(f"{part.count} × {part_text(part)}")
    return {kind: ", ".join(sorted(listed)) for kind, listed in by_kind.items()}


def _module(module: Mapping[str, Any]) -> str:
    return f"{module.get('type', '?')} {_text(module.get('capacity_gib', '?'))} GiB"


def _listed(names: Iterable[Any]) -> str | None:
    return ", ".join(sorted(map(str, names))) or None


def _text(value: Any) -> str:
    if isinstance(value, bool):
        return "on" if value else "off"
    return f"{value:g}" if isinstance(value, float) and abs(value) < 1e6 else str(value)
