"""Which processes took CPU time between two instants beside the load: other programs, and wattmark itself."""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from wattmark.runs.disclosure import OtherProcess, OtherPrograms, disclosing
from wattmark.workloads.local.process_group import MARKER

if TYPE_CHECKING:
    from wattmark.hosts.connection import SshConnection

PROC = Path("/proc")
LIMIT_PCT = 5.0
"""Of one core; what takes less is the background of an idle system."""
ENDED = frozenset("ZX")
"""States of a process that has ended and is still listed: its environment, which would show its owner, is gone."""
TICKS_PER_S = 100
"""USER_HZ, in which Linux reports CPU time to programs on every machine that it still runs on (time(7))."""
SHORTEST_S = 100 / (LIMIT_PCT * TICKS_PER_S)
"""Between two readings: in less a single clock tick is more than `LIMIT_PCT` of a core."""
INIT = 1
"""It waits for processes that lost their parents, of loads and of others alike."""
_ENVIRON = re.compile(r"/proc/[0-9]+/environ")
SEPARATOR = "+wattmark-loads"
_READ = (
    f"cat /proc/uptime; grep '^cpu' /proc/stat; echo '{SEPARATOR}'; "
    f"cat /proc/[0-9]*/stat 2>/dev/null; echo '{SEPARATOR}'; "
    f"grep -ls '{MARKER}=' /proc/[0-9]*/environ 2>/dev/null; exit 0"
)
Key = tuple[int, int]
"""Number and start time, which together name a process."""


@dataclass(frozen=True, slots=True)
class ProcessTime:
    """CPU time of a process so far, and of its children that it waited for [s]; whose it is, and whose child."""

    name: str
    cpu_s: float
    waited_s: float
    parent: int
    session: int
    of_load: bool
    own: bool
    """wattmark itself, or what it started that is no load."""
    carries_load: bool
    """A load descends from it, so that what it waits for may be the load's."""
    ended: bool


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The processes of a machine at an instant, and how long its CPUs have worked since it was started."""

    processes: Mapping[Key, ProcessTime]
    sessions: frozenset[int] = frozenset()
    """Those of loads."""
    up_s: float | None = None
    """By the machine's own clock since its start [s]; None: not known."""
    busy_s: float | None = None
    """What its CPUs spent on programs and the kernel for them, without interrupts [s]."""
    interrupts_s: float = 0.0
    """What they spent on interrupts, in all [s]. A kernel without CONFIG_IRQ_TIME_ACCOUNTING has it in the time of the
    processes that were interrupted, too."""
    stolen_s: float | None = None
    """What a hypervisor gave to other guests although programs here were ready to run, of all CPUs [s]."""
    cpus: int = 0
    reading_s: float = 0.0
    """CPU time that wattmark itself took to read the list, from the instant on [s]."""


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
        itself = self._proc / str(os.getpid()) / "stat"
        machine, at_begin = [_text(self._proc / "uptime"), *_text(self._proc / "stat").splitlines()], _text(itself)
        entries = [entry for entry in self._proc.iterdir() if entry.name.isdigit()]
        loads = {int(entry.name) for entry in entries if _of_load(entry)}
        stats = [at_begin, *(_text(entry / "stat") for entry in entries if entry.name != itself.parent.name)]
        snapshot = snapshot_of(stats, loads, {os.getpid()}, machine)
        begin, end = _process(at_begin), _process(_text(itself))
        return replace(snapshot, reading_s=end[1].cpu_s - begin[1].cpu_s if begin and end else 0.0)


class RemoteProcesses:
    """The processes of another machine, read over SSH twice a run: three programs there for each reading."""

    def __init__(self, connection: SshConnection) -> None:
        self._connection = connection

    async def snapshot(self) -> Snapshot:
        """Read the CPU time of every process there. Raises `WorkloadFailed`."""
        text = (await self._connection.run(["sh", "-c", _READ])).decode("utf-8", "replace")
        machine, stats, loads = [*text.split(f"{SEPARATOR}\n"), "", ""][:3]
        marked = {int(line.split("/")[2]) for line in loads.splitlines() if _ENVIRON.fullmatch(line)}
        return snapshot_of(stats.splitlines(), marked, machine=machine.splitlines())


def snapshot_of(
    stats: Iterable[str], loads: Collection[int], own: Collection[int] = (), machine: Iterable[str] = ()
) -> Snapshot:
    """Create a snapshot from the texts of stat files (proc_pid_stat(5)), of uptime and of the machine's stat file.

    One that is cut off is passed over.

    ``loads`` are the processes that carry a load's marker. All of their sessions is of the load, because a program may
    write over its environment, as stress-ng does to show another name. ``own`` is wattmark, with what descends from it
    but not from a load.
    """
    listed = [entry for text in stats if (entry := _process(text)) is not None]
    sessions = frozenset(process.session for (pid, _), process in listed if pid in loads)
    parents = {pid: process.parent for (pid, _), process in listed}
    of_loads = {pid for (pid, _), process in listed if process.session in sessions}
    carriers = {INIT}.union(*(_ancestors(pid, parents) for pid in of_loads))

    def is_own(pid: int) -> bool:
        lineage = {pid, *_ancestors(pid, parents)}
        return not lineage.isdisjoint(own) and lineage.isdisjoint(of_loads)

    processes = {
        key: replace(process, of_load=key[0] in of_loads, own=is_own(key[0]), carries_load=key[0] in carriers)
        for key, process in listed
    }
    up_s, times, cpus = _machine(machine)
    busy_s = stolen_s = None
    if times:
        busy_s, stolen_s = sum(times[:3]) / TICKS_PER_S, (times[7] / TICKS_PER_S if len(times) > 7 else None)
    return Snapshot(processes, sessions, up_s, busy_s, sum(times[5:7]) / TICKS_PER_S, stolen_s, cpus)


def _process(stat: str) -> tuple[Key, ProcessTime] | None:
    """Read one stat file; None where it is cut off."""
    head, _, rest = stat.rpartition(")")
    pid, _, name = head.partition(" (")
    fields = rest.split()
    try:
        cpu_s, waited_s = ((int(fields[n]) + int(fields[n + 1])) / TICKS_PER_S for n in (11, 13))
        key, parent, session = (int(pid), int(fields[19])), int(fields[1]), int(fields[3])
    except (IndexError, ValueError):
        return None
    return key, ProcessTime(name, cpu_s, waited_s, parent, session, False, False, False, fields[0] in ENDED)


def _ancestors(pid: int, parents: Mapping[int, int]) -> set[int]:
    """Return the processes that a process descends from, as far as they are listed."""
    ancestors: set[int] = set()
    parent = parents.get(pid, 0)
    while parent and parent not in ancestors:
        ancestors.add(parent)
        parent = parents.get(parent, 0)
    return ancestors


def _machine(lines: Iterable[str]) -> tuple[float | None, Sequence[int], int]:
    """Read seconds since the start, the times of all CPUs [ticks] and their number (proc_uptime(5), proc_stat(5)).

    The times begin with user, nice and system, which are work, that of virtual machines included; the sixth and seventh
    are interrupts, the eighth is stolen.
    """
    up_s, times, cpus = None, list[int](), 0
    for line in lines:
        fields = line.split()
        try:
            if fields[:1] == ["cpu"]:
                times = list(map(int, fields[1:]))
            elif fields and fields[0].startswith("cpu"):
                cpus += 1
            elif len(fields) == 2 and up_s is None:
                up_s = float(fields[0])
        except ValueError:
            continue
    return up_s, times, cpus


def _text(file: Path) -> str:
    try:
        return file.read_text("utf-8", "replace")
    except OSError:
        return ""


@disclosing()
def other_processes(before: Snapshot, after: Snapshot, seconds: float) -> tuple[OtherProcess, ...]:
    """Return what took more than `LIMIT_PCT` of a core and is neither of a load nor wattmark itself, most first.

    A process that began in between counts with all that it took; one that ended in between is not seen. Readings less
    than `SHORTEST_S` apart tell nothing.
    """
    if before.up_s is not None and after.up_s is not None:
        seconds = max(seconds, after.up_s - before.up_s)
    if seconds < SHORTEST_S:
        return ()
    listed, earlier = after.processes, before.processes
    taken = {
        key: 100 * (process.cpu_s - (earlier[key].cpu_s if key in earlier else 0.0)) / seconds
        for key, process in listed.items()
        if not (process.ended or process.own or _is_of_load(process, before, after))
    }
    return tuple(
        OtherProcess(pid=key[0], name=listed[key].name, core_pct=round(taken[key], 1))
        for key in sorted(taken, key=lambda key: -taken[key])
        if taken[key] > LIMIT_PCT
    )


@disclosing()
def other_programs(before: Snapshot, after: Snapshot, *, read_before: bool = False) -> OtherPrograms | None:
    """Add up the CPU time that other programs took between two readings, and wattmark, as shares of all CPUs.

    What ended in between is in the time of the process that waited for it. The time of an ancestor of the load's may
    be the load's, and counts for nobody. What no process accounts for (nobody waited for it, or it is hidden from who
    reads) is `unseen_pct`. ``read_before``: the first list was read before the window, so that this took nothing of it.
    None where the machine reports no CPU times, and for less than `SHORTEST_S`.
    """
    if before.up_s is None or after.up_s is None or before.busy_s is None or after.busy_s is None or not after.cpus:
        return None
    over_s = after.up_s - before.up_s
    if over_s < SHORTEST_S:
        return None
    inherited_s = _inherited_s(before, after)
    seen_s = others_s = load_s = wattmark_s = 0.0
    for key, process in after.processes.items():
        earlier = before.processes.get(key)
        own_s = process.cpu_s - (earlier.cpu_s if earlier else 0.0)
        waited_s = process.waited_s - (earlier.waited_s if earlier else 0.0) - inherited_s.get(key, 0.0)
        waited_s = max(waited_s, 0.0)
        seen_s += own_s + waited_s
        if process.own:
            # what wattmark waited for is loads that have ended
            wattmark_s, load_s = wattmark_s + own_s, load_s + waited_s
        elif _is_of_load(process, before, after):
            load_s += own_s + waited_s
        elif not process.ended:
            shared = process.carries_load or (earlier is not None and earlier.carries_load)
            others_s += own_s if shared else own_s + waited_s
    busy_s, interrupts_s = after.busy_s - before.busy_s, after.interrupts_s - before.interrupts_s
    stolen_s = None if before.stolen_s is None or after.stolen_s is None else after.stolen_s - before.stolen_s
    runs_here = any(process.own for process in after.processes.values())

    def share_of(seconds: float) -> float:
        return round(min(max(100 * seconds / (over_s * after.cpus), 0.0), 100.0), 2)

    return OtherPrograms(
        share_pct=share_of(others_s),
        unseen_pct=share_of(busy_s - seen_s),
        at_most_pct=share_of(busy_s + interrupts_s - load_s - wattmark_s) if runs_here else None,
        own_pct=share_of(wattmark_s - before.reading_s * read_before) if runs_here else None,
        stolen_pct=None if stolen_s is None else share_of(stolen_s),
        over_s=round(over_s, 2),
        cpus=after.cpus,
    )


def _inherited_s(before: Snapshot, after: Snapshot) -> dict[Key, float]:
    """Compute what processes took before the first reading that ended since: their ancestors have it by the second."""
    by_pid = {key[0]: key for key in before.processes}
    inherited: dict[Key, float] = {}
    for key, process in before.processes.items():
        if key in after.processes:
            continue
        heir = by_pid.get(process.parent)
        while heir is not None and heir not in after.processes:
            heir = by_pid.get(before.processes[heir].parent)
        if heir is not None:
            inherited[heir] = inherited.get(heir, 0.0) + process.cpu_s + process.waited_s
    return inherited


def _is_of_load(process: ProcessTime, before: Snapshot, after: Snapshot) -> bool:
    return process.of_load or process.session in before.sessions | after.sessions


def _of_load(process: Path) -> bool:
    try:
        variables = (process / "environ").read_bytes().split(b"\0")
    except OSError:
        return False
    return any(variable.startswith(f"{MARKER}=".encode()) for variable in variables)
