"""Which processes took CPU time between two instants, other than the load's own."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from wattmark.workloads.process_group import MARKER

PROC = Path("/proc")
LIMIT_PCT = 5.0
"""Of one core; what takes less is the background of an idle system."""
TICKS_PER_S = 100
"""USER_HZ, in which Linux tells CPU time to programs on every machine that it still runs on (time(7))."""


@dataclass(frozen=True, slots=True)
class ProcessTime:
    """CPU time of a process so far [s], and whether it is part of a load or wattmark itself."""

    name: str
    cpu_s: float
    ours: bool


Snapshot = Mapping[tuple[int, int], ProcessTime]
"""By number and start time, which together name a process."""


class Processes(Protocol):
    """The processes of one machine."""

    async def snapshot(self) -> Snapshot:
        """Read the CPU time of every process; one that ends meanwhile is passed over."""
        ...


class LocalProcesses:
    """The processes of this machine; tests bring their own ``proc``."""

    def __init__(self, proc: Path = PROC) -> None:
        self._proc = proc

    async def snapshot(self) -> Snapshot:
        """Read the CPU time of every process (proc_pid_stat(5))."""
        return await asyncio.to_thread(self._read)

    def _read(self) -> Snapshot:
        found = (self._process(entry) for entry in self._proc.iterdir() if entry.name.isdigit())
        return {key: one for pair in found if pair is not None for key, one in [pair]}

    def _process(self, entry: Path) -> tuple[tuple[int, int], ProcessTime] | None:
        try:
            text = (entry / "stat").read_text("utf-8", "replace")
        except OSError:
            return None
        return process_time(text, ours=int(entry.name) == os.getpid() or _of_load(entry))


def process_time(stat: str, *, ours: bool) -> tuple[tuple[int, int], ProcessTime] | None:
    """Read the text of one stat file (proc_pid_stat(5)); None for one that is cut off."""
    head, _, rest = stat.rpartition(")")
    pid, _, name = head.partition(" (")
    fields = rest.split()
    try:
        cpu_s = (int(fields[11]) + int(fields[12])) / TICKS_PER_S
        return (int(pid), int(fields[19])), ProcessTime(name, cpu_s, ours)
    except (IndexError, ValueError):
        return None


def other_processes(before: Snapshot, after: Snapshot, seconds: float) -> list[dict[str, object]]:
    """Name what took more than `LIMIT_PCT` of a core and is neither of a load nor this process, most first.

    Each with pid, name and core_pct.
    A process that began in between counts with all that it took; one that ended in between is not seen.
    """
    taken = {
        key: 100 * (one.cpu_s - (before[key].cpu_s if key in before else 0.0)) / seconds for key, one in after.items()
    }
    return [
        {"pid": key[0], "name": after[key].name, "core_pct": round(taken[key], 1)}
        for key in _most_first(taken)
        if taken[key] > LIMIT_PCT and not after[key].ours
    ]


def _most_first(taken: Mapping[tuple[int, int], float]) -> Iterable[tuple[int, int]]:
    return sorted(taken, key=lambda key: -taken[key])


def _of_load(process: Path) -> bool:
    try:
        variables = (process / "environ").read_bytes().split(b"\0")
    except OSError:
        return False
    return any(variable.startswith(f"{MARKER}=".encode()) for variable in variables)
