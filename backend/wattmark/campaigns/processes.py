"""Which processes took CPU time between two instants, other than the load's own."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from wattmark.workloads.process_group import MARKER

PROC = Path("/proc")
LIMIT_PCT = 5.0
"""Of one core; what takes less is the background of an idle system."""


@dataclass(frozen=True, slots=True)
class ProcessTime:
    """CPU time of a process so far [s]."""

    name: str
    cpu_s: float


Snapshot = Mapping[tuple[int, int], ProcessTime]
"""By number and start time, which together name a process."""


def snapshot(proc: Path = PROC) -> Snapshot:
    """Read the CPU time of every process (proc_pid_stat(5)); one that ends meanwhile is passed over."""
    found = (_process(entry) for entry in proc.iterdir() if entry.name.isdigit())
    return dict(one for one in found if one is not None)


def other_processes(before: Snapshot, after: Snapshot, seconds: float, proc: Path = PROC) -> list[dict[str, object]]:
    """Name what took more than `LIMIT_PCT` of a core and is neither of a load nor this process, most first.

    Each with pid, name and core_pct.
    A process that began in between counts with all that it took; one that ended in between is not seen.
    """
    taken = {key: one.cpu_s - (before[key].cpu_s if key in before else 0.0) for key, one in after.items()}
    heavy = [key for key, cpu_s in taken.items() if 100 * cpu_s / seconds > LIMIT_PCT and key[0] != os.getpid()]
    return [
        {"pid": key[0], "name": after[key].name, "core_pct": round(100 * taken[key] / seconds, 1)}
        for key in sorted(heavy, key=lambda key: -taken[key])
        if not _of_load(proc, key[0])
    ]


def _process(entry: Path) -> tuple[tuple[int, int], ProcessTime] | None:
    try:
        head, _, rest = (entry / "stat").read_text("utf-8", "replace").rpartition(")")
        fields = rest.split()
        cpu_s = (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
        return (int(entry.name), int(fields[19])), ProcessTime(head.partition("(")[2], cpu_s)
    except (OSError, IndexError, ValueError):
        return None


def _of_load(proc: Path, pid: int) -> bool:
    try:
        variables = (proc / str(pid) / "environ").read_bytes().split(b"\0")
    except OSError:
        return False
    return any(variable.startswith(f"{MARKER}=".encode()) for variable in variables)
