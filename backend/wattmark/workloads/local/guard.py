"""Small processes that outlive wattmark, only to kill a load when wattmark is gone, however it died."""

from __future__ import annotations

import atexit
import os
import subprocess
import sys
import time
from collections import deque
from collections.abc import Mapping

from wattmark.workloads.local.process_group import kill_marked
from wattmark.workloads.local.strays import STRAYS

_IDLE: deque[subprocess.Popen[bytes]] = deque()
"""Processes that watch over nothing now. Starting one takes a tenth of a second of CPU time, and a load that runs in
slices would lose as much at each."""


class Guard:
    """Watches over a load from before it starts until `end`. The end of a pipe shows a process that its owner died."""

    def __init__(self, marker: str, environment: Mapping[str, str]) -> None:
        self._marker = marker
        self.started = int(time.clock_gettime(time.CLOCK_BOOTTIME) * os.sysconf("SC_CLK_TCK"))
        """Before any process of its load is started [clock ticks since boot]."""
        self._process = self._watching(environment)

    def end(self) -> None:
        """Stop what is left of the load, and wait until it has ended. Also where the guard itself was killed."""
        process = self._process
        if _say(process, "end") and process.stdout is not None and process.stdout.readline():
            _IDLE.append(process)
            return
        kill_marked(self._marker)
        process.kill()
        process.communicate()

    def _watching(self, environment: Mapping[str, str]) -> subprocess.Popen[bytes]:
        """Let an idle process watch over the load, or a new one."""
        while _IDLE:
            process = _IDLE.pop()
            if _say(process, self._marker):
                return process
            process.communicate()
        process = STRAYS.start(
            [sys.executable, "-P", "-m", __name__],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            bufsize=0,
        )
        _say(process, self._marker)
        return process


@atexit.register
def _dismiss() -> None:
    """Let the idle processes end, and wait for them."""
    while _IDLE:
        _IDLE.pop().communicate()


def _say(process: subprocess.Popen[bytes], word: str) -> bool:
    """Tell a process something; return whether it can still hear it."""
    try:
        return process.stdin is not None and bool(process.stdin.write(f"{word}\n".encode()))
    except BrokenPipeError:
        return False


def main() -> None:
    """Read a marker, then that its load is over, and so on; then kill every process that carries the marker.

    Standard input that ends instead is an owner that died.
    """
    for marker in iter(sys.stdin.buffer.readline, b""):
        is_over = sys.stdin.buffer.readline()
        kill_marked(marker.decode().strip())
        if is_over:
            sys.stdout.buffer.write(b"\n")
            sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
