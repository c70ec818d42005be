"""What keeps the memory of a process, which holds passwords, from others on the machine."""

from __future__ import annotations

import ctypes
import os
import resource

PR_SET_DUMPABLE = 4
"""linux/prctl.h"""


def protect_memory() -> None:
    """Refuse core files and access to memory by other processes of this user, here and in child processes."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
