"""CPU time of a running program and everything below it, to tell whether it really had the CPUs to itself."""

from __future__ import annotations

import os
from pathlib import Path


def tree_cpu_s(pid: int) -> float | None:
    """Compute the user and system time of a process and its living descendants [s].

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
    """Read fields utime and stime of proc_pid_stat(5), which follow the name in parentheses [s]."""
    fields = Path(f"/proc/{pid}/stat").read_text("utf-8", "replace").rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
