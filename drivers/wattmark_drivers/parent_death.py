"""Children that cannot outlive this process, however it dies."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Callable
from functools import partial

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)


def die_with_parent() -> Callable[[], None]:
    """Build the ``preexec_fn`` of a child that the kernel kills when this process dies (prctl(2), PR_SET_PDEATHSIG).

    Start the child from the main thread: the kernel watches the thread that forks.
    """
    return partial(end_with, os.getpid())


def end_with(parent: int) -> None:
    """Let the kernel kill this process when ``parent``, which started it, dies; where it has died already, at once."""
    _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os.kill(os.getpid(), signal.SIGKILL)
