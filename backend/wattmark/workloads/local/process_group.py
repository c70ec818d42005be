"""A program together with everything that it started: end it, and measure its CPU time."""

from __future__ import annotations

import contextlib
import os
import signal
import time
import uuid
from collections.abc import Collection, Iterator
from pathlib import Path

MARKER = "WATTMARK_LOAD"
"""Environment variable that a load's processes inherit; by it even those that left the group are found."""
RETRY_S = 0.05
OOM_SCORE_ADJ = 1000
"""Where memory runs out, the kernel ends a load first (proc_pid_oom_score_adj(5)); raising it takes no right."""


def signal_group(group: int, number: signal.Signals) -> None:
    """Send a signal to all processes of a group; an empty group is not an error."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def offer_to_the_kernel(pid: int) -> None:
    """Mark this process, and what it forks, as the first that the kernel ends when memory runs out."""
    with contextlib.suppress(OSError):
        Path(f"/proc/{pid}/oom_score_adj").write_text(str(OOM_SCORE_ADJ))


def new_marker() -> str:
    """Create a marker that names this process as the owner of a load."""
    return f"{os.getpid()}-{start_time(os.getpid())}-{uuid.uuid4().hex}"


def kill_marked(marker: str, patience_s: float = 2.0) -> None:
    """Stop every process of this user that carries the marker, and the load's own session, until none is left.

    That ends with the patience [s]. A program may write over its environment, and the marker with it, but not over
    its session.
    """
    deadline, sessions = time.monotonic() + patience_s, set[int]()
    while (alive := _of_load(marker, sessions)) and time.monotonic() < deadline:
        for pid in alive:
            _kill(pid, marker, sessions)
        time.sleep(RETRY_S)


def kill_orphans() -> None:
    """Stop the loads of owners that died without ending them."""
    for marker in {_marker(entry) for entry in _processes()} - {None}:
        owner, _, rest = str(marker).partition("-")
        # Another process may have the number of a dead owner by now; its start time differs.
        if owner.isdecimal() and start_time(int(owner)) != rest.partition("-")[0]:
            kill_marked(str(marker))


def marked(marker: str) -> list[int]:
    """Find the live processes that carry the marker; a zombie has no environment any more."""
    return [int(entry.name) for entry in _processes() if _marker(entry) == marker]


def children_of(parent: int) -> list[int]:
    """List the children of a process, including those that have ended and wait to be reaped."""
    stats = ((int(entry.name), _stat(int(entry.name))) for entry in _processes())
    return [pid for pid, fields in stats if len(fields) > 1 and int(fields[1]) == parent]


def _of_load(marker: str, sessions: set[int]) -> list[int]:
    """Find the live processes of a load; ``sessions`` grows by its own, those that the marker's carriers are in."""
    carriers = marked(marker)
    sessions |= {session for pid in carriers if (session := _session(pid)) is not None and _owns(marker, session)}
    others = [int(entry.name) for entry in _processes() if sessions and _session(int(entry.name)) in sessions]
    return list({*carriers, *others})


def _owns(marker: str, session: int) -> bool:
    """Return whether a session is a load's own: its leader carries the marker or has ended. A shell's is not."""
    return session != os.getsid(0) and (_session(session) is None or _marker(Path("/proc") / str(session)) == marker)


def session_of(pid: int) -> int | None:
    """Read the session of a process, even of an unreaped one; None where there is no process."""
    fields = _stat(pid)
    return int(fields[3]) if len(fields) > 3 else None


def _session(pid: int) -> int | None:
    """Read the session of a process; None where it has ended."""
    fields = _stat(pid)
    return int(fields[3]) if len(fields) > 3 and fields[0] != "Z" else None


def _processes() -> Iterator[Path]:
    return (entry for entry in Path("/proc").iterdir() if entry.name.isdecimal())


def _marker(process: Path) -> str | None:
    try:
        variables = (process / "environ").read_bytes().split(b"\0")
    except OSError:
        return None
    markers = (entry.partition(b"=")[2] for entry in variables if entry.startswith(f"{MARKER}=".encode()))
    return next(markers, b"").decode("ascii", "replace") or None


def start_time(pid: int) -> str | None:
    """Read when a process was started [clock ticks since boot], which distinguishes two with the same number."""
    fields = _stat(pid)
    return fields[19] if len(fields) > 19 else None


def _stat(pid: int) -> list[str]:
    """Read the fields after the name (proc_pid_stat(5)); none where there is no such process."""
    try:
        return Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    except OSError:
        return []


def _kill(pid: int, marker: str, sessions: Collection[int]) -> None:
    """Stop a process by descriptor, so that a reused process number cannot hit a process outside the load."""
    with contextlib.suppress(OSError):
        pidfd = os.pidfd_open(pid)
        try:
            if _marker(Path("/proc") / str(pid)) == marker or _session(pid) in sessions:
                signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        finally:
            os.close(pidfd)


def tree_cpu_s(pid: int) -> float | None:
    """Compute the user and system time of a process and its descendants [s]: the living, and those waited for.

    None where the process is gone or the kernel does not list children (proc_pid_task_children(5)).
    """
    try:
        total = _own_cpu_s(pid)
        for children in Path(f"/proc/{pid}/task").glob("*/children"):
            total += sum(tree_cpu_s(int(child)) or 0.0 for child in children.read_text().split())
    except (OSError, IndexError, ValueError):
        return None
    return total


def _own_cpu_s(pid: int) -> float:
    """Read utime, stime, cutime and cstime of proc_pid_stat(5), which follow the name in parentheses [s]."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    return sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
