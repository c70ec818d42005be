"""What keeps the memory of a process, which holds passwords, from others on the machine."""

from __future__ import annotations

import ctypes
import os
import resource
from pathlib import Path

PR_SET_DUMPABLE = 4
"""linux/prctl.h"""
_ENV_START = 50 - 3
"""Place of the address of the environment among the fields of ``/proc/PID/stat`` behind the name, proc_pid_stat(5)."""


def protect_memory() -> None:
    """Refuse core files and access to memory by other processes of this user, here and in child processes."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))


def take_variables(*names: str) -> dict[str, str]:
    """Take variables out of the environment of this process and of its children, forked ones too; return those set.

    The kernel shows the memory that the environment came in as ``/proc/PID/environ``, and a fork copies it: their
    values are overwritten there. Before `protect_memory`, after which that file cannot be read.
    """
    values = {name: os.environ.pop(name) for name in names if name in os.environ}
    block = Path("/proc/self/environ").read_bytes()
    address = int(Path("/proc/self/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[_ENV_START])
    for entry in block.split(b"\0"):
        if os.fsdecode(entry.partition(b"=")[0]) in names:
            ctypes.memset(address, 0, len(entry))
        address += len(entry) + 1
    return values
