"""Strays of a load: processes that gave up its group, its session and its environment (`env -i setsid`).

While it runs loads, wattmark is a subreaper (PR_SET_CHILD_SUBREAPER, prctl(2)): a process whose parent ends becomes a
child of wattmark instead of init's, however it was started. Children that wattmark has not started itself are strays.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import threading
import time
from collections.abc import Sequence
from subprocess import Popen
from typing import Any

from wattmark.workloads.local.process_group import RETRY_S, children_of, session_of, start_time

_SET_CHILD_SUBREAPER = 36
"""PR_SET_CHILD_SUBREAPER of linux/prctl.h."""


class Strays:
    """Tracks the programs started here in separate sessions, and kills all other children."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._started: set[int] = set()

    def start(self, command: Sequence[str], **options: Any) -> Popen[bytes]:
        """Start a program as `subprocess.Popen` does, in a separate session; while it lives it is not a stray."""
        with self._lock:
            process = Popen(command, start_new_session=True, **options)
            self._started.add(process.pid)
        return process

    def kill(self, since: int, patience_s: float = 2.0) -> None:
        """Stop the strays of a load and what they leave, until none is left or the patience [s] ends.

        ``since`` is when the load began [clock ticks since boot]: older ones are not its own. Strays of another load
        that runs on this machine at the same time are killed too.
        """
        deadline = time.monotonic() + patience_s
        while self._kill_once(since) and time.monotonic() < deadline:
            time.sleep(RETRY_S)

    def _kill_once(self, since: int) -> bool:
        own = os.getsid(0)
        with self._lock:
            children = children_of(os.getpid())
            self._started.intersection_update(children)
            others = [pid for pid in children if pid not in self._started and session_of(pid) != own]
            strays = [pid for pid in others if int(start_time(pid) or 0) >= since]
            for pid in strays:
                with contextlib.suppress(ProcessLookupError, ChildProcessError):
                    os.kill(pid, signal.SIGKILL)  # only this process reaps it, so the number is still its own
                    os.waitpid(pid, os.WNOHANG)
        return bool(strays)


def adopt_orphans() -> None:
    """Become the parent of every descendant whose parent ends."""
    ctypes.CDLL(None).prctl(_SET_CHILD_SUBREAPER, 1, 0, 0, 0)


STRAYS = Strays()
"""The one instance of this process, because the kernel keeps one list of its children."""
