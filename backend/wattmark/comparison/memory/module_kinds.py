"""Kinds of memory modules among runs, so that no line mixes modules that cost different power."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

from wattmark.comparison.compare.views import ModuleKind
from wattmark.core.errors import InputError
from wattmark.core.numbers import format_number
from wattmark.results.result import Result

ALL = "all"
"""Asks for the runs of all kinds in one line."""
UNKNOWN = "unknown modules"


def module_kind(r: Result) -> str:
    """Name the modules of a run by capacity and type, such as "16 GiB RDIMM"."""
    kind = r.memory.type if r.memory else ""
    if r.memory and r.memory.modules:
        sizes = {r.memory.capacity_gib[channel] / count for channel, count in r.memory.modules.items() if count}
    elif r.memory_gib and r.dimm_count:
        sizes = {r.memory_gib / r.dimm_count}
    else:
        sizes = set()
    capacity = " + ".join(f"{format_number(size)} GiB" for size in sorted(sizes))
    return " ".join(part for part in (capacity, kind or ("modules" if capacity else "")) if part) or UNKNOWN


def module_kinds(counted: Sequence[Result]) -> list[ModuleKind]:
    """List the kinds of modules among runs that count, those with most DIMM counts and then most runs first."""
    runs: dict[str, list[Result]] = defaultdict(list)
    for r in counted:
        runs[module_kind(r)].append(r)
    kinds = [
        ModuleKind(modules=name, counts=sorted({r.dimm_count for r in own if r.dimm_count is not None}), runs=len(own))
        for name, own in runs.items()
    ]
    return sorted(kinds, key=lambda kind: (-len(kind.counts), -kind.runs, kind.modules))


def choose_kind(kinds: Sequence[ModuleKind], modules: str | None) -> str:
    """Choose one kind, or `ALL` where none has two DIMM counts. Raises `InputError` for an unknown one."""
    names = [kind.modules for kind in kinds]
    if modules is not None and modules != ALL and modules not in names:
        raise InputError(f"No run that counts has modules {modules[:80]!r}.", f"Choose {', '.join([*names, ALL])}.")
    if modules is not None:
        return modules
    if not kinds or (len(kinds) > 1 and len(kinds[0].counts) < 2):
        return ALL
    return kinds[0].modules


def mixture(kinds: Sequence[ModuleKind], chosen: str) -> list[str]:
    """Explain in sentences which other modules were left out, or that the line mixes several kinds."""
    if len(kinds) < 2:
        return []
    if chosen == ALL:
        named = "; ".join(
            f"{_joined(kind.counts)} × {kind.modules}" for kind in sorted(kinds, key=lambda kind: kind.counts)
        )
        return [f"The modules differ too ({named}), so the slope is not that of one kind of module."]
    others = [kind for kind in kinds if kind.modules != chosen]
    named = ", ".join(f"{kind.runs} with {kind.modules}" for kind in others)
    runs = sum(kind.runs for kind in others)
    return [
        f"Only runs with {chosen} are shown; {runs} other {'run has' if runs == 1 else 'runs have'} other modules "
        f"({named})."
    ]


def _joined(counts: Sequence[int]) -> str:
    return " and ".join(part for part in (", ".join(map(str, counts[:-1])), str(counts[-1])) if part)
