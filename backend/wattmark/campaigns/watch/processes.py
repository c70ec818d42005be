"""Which processes took CPU time between two instants, other than the load's own."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from wattmark.runs.disclosure import OtherProcess, disclosing
from wattmark.workloads.local.process_group import MARKER

if TYPE_CHECKING:
    from wattmark.hosts.connection import SshConnection

PROC = Path("/proc")
LIMIT_PCT = 5.0
"""Of one core; what takes less is the background of an idle system."""
ENDED = frozenset("ZX")
"""States of a process that has ended and is still listed: its environment, which would tell whose it was, is gone."""
TICKS_PER_S = 100
"""USER_HZ, in which Linux tells CPU time to programs on every machine that it still runs on (time(7))."""
_ENVIRON = re.compile(r"/proc/[0-9]+/environ")
SEPARATOR = "+wattmark-loads"
_READ = (
    f"cat /proc/[0-9]*/stat 2>/dev/null; echo '{SEPARATOR}'; "
    f"grep -ls '{MARKER}=' /proc/[0-9]*/environ 2>/dev/null; exit 0"
)


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
        entries = [entry for entry in self._proc.iterdir() if entry.name.isdigit()]
        loads = {int(entry.name) for entry in entries if _of_load(entry)}
        return snapshot_of((_text(entry / "stat") for entry in entries), loads, {os.getpid()})


class RemoteProcesses:
    """The processes of another machine, read over SSH twice a run: two programs there for each reading."""

    def __init__(self, connection: SshConnection) -> None:
        self._connection = connection

    async def snapshot(self) -> Snapshot:
        """Read the CPU time of every process there. Raises `WorkloadFailed`."""
        text = (await self._connection.run(["sh", "-c", _READ])).decode("utf-8", "replace")
        stats, _, loads = text.partition(f"{SEPARATOR}\n")
        marked = {int(line.split("/")[2]) for line in loads.splitlines() if _ENVIRON.fullmatch(line)}
        return snapshot_of(stats.splitlines(), marked)


def snapshot_of(stats: Iterable[str], loads: Collection[int], own: Collection[int] = ()) -> Snapshot:
    """Create a snapshot from the texts of stat files (proc_pid_stat(5)).

    One that is cut off is passed over, and so is one of a process that has ended.

    ``loads`` are the processes that carry a load's marker. All of their sessions is of the load, because a program may
    write over its environment, as stress-ng does to show another name.
    """
    processes = [fields for text in stats if (fields := _fields(text)) is not None]
    sessions = {session for key, _, _, session in processes if key[0] in loads}
    return {
        key: ProcessTime(name, cpu_s, session in sessions or key[0] in own) for key, name, cpu_s, session in processes
    }


def _fields(stat: str) -> tuple[tuple[int, int], str, float, int] | None:
    """Read number and start time, name, CPU time [s] and session."""
    head, _, rest = stat.rpartition(")")
    pid, _, name = head.partition(" (")
    fields = rest.split()
    if fields[:1] and fields[0] in ENDED:
        return None
    try:
        cpu_s = (int(fields[11]) + int(fields[12])) / TICKS_PER_S
        return (int(pid), int(fields[19])), name, cpu_s, int(fields[3])
    except (IndexError, ValueError):
        return None


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace")
    except OSError:
        return ""


@disclosing()
def other_processes(before: Snapshot, after: Snapshot, seconds: float) -> tuple[OtherProcess, ...]:
    """Return what took more than `LIMIT_PCT` of a core and is neither of a load nor this process, most first.

    A process that began in between counts with all that it took; one that ended in between is not seen.
    """
    taken = {
        key: 100 * (process.cpu_s - (before[key].cpu_s if key in before else 0.0)) / seconds
        for key, process in after.items()
    }
    return tuple(
        OtherProcess(pid=key[0], name=after[key].name, core_pct=round(taken[key], 1))
        for key in _most_first(taken)
        if taken[key] > LIMIT_PCT and not after[key].ours
    )


def _most_first(taken: Mapping[tuple[int, int], float]) -> Iterable[tuple[int, int]]:
    return sorted(taken, key=lambda key: -taken[key])


def _of_load(process: Path) -> bool:
    try:
        variables = (process / "environ").read_bytes().split(b"\0")
    except OSError:
        return False
    return any(variable.startswith(f"{MARKER}=".encode()) for variable in variables)
