"""End a program together with everything that it started."""

from __future__ import annotations

import contextlib
import os
import signal
import time
from pathlib import Path

MARKER = "WATTMARK_LOAD"
"""Environment variable that a load's processes inherit; by it even those that left the group are found."""
RETRY_S = 0.05


def signal_group(group: int, number: signal.Signals) -> None:
    """Send a signal to all processes of a group; none left is no error."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)


def kill_marked(marker: str, patience_s: float = 2.0) -> None:
    """Kill every process of this user that carries the marker, until none is left or the patience ends."""
    deadline = time.monotonic() + patience_s
    while (alive := marked(marker)) and time.monotonic() < deadline:
        for pid in alive:
            _kill(pid, marker)
        time.sleep(RETRY_S)


def marked(marker: str) -> list[int]:
    """Find the live processes that carry the marker; a zombie has no environment any more."""
    return [int(entry.name) for entry in Path("/proc").iterdir() if entry.name.isdigit() and _carries(entry, marker)]


def _carries(entry: Path, marker: str) -> bool:
    try:
        return f"{MARKER}={marker}".encode() in (entry / "environ").read_bytes().split(b"\0")
    except OSError:
        return False


def _kill(pid: int, marker: str) -> None:
    """Kill by descriptor: a number that has passed to another process meanwhile does not carry the marker."""
    with contextlib.suppress(OSError):
        pidfd = os.pidfd_open(pid)
        try:
            if _carries(Path("/proc") / str(pid), marker):
                signal.pidfd_send_signal(pidfd, signal.SIGKILL)
        finally:
            os.close(pidfd)
