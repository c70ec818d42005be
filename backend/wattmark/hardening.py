"""What keeps the memory of a process, which holds passwords, from others on the machine."""

from __future__ import annotations

import ctypes
import os
import resource

PR_SET_DUMPABLE = 4
"""linux/prctl.h"""


def protect_memory() -> None:
    """Write no core file, here and in what is started from here; let no other process of this user look in."""
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) != 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
