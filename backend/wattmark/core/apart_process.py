"""The process that reads for `apart.Apart`: orders come in, answers go out, and it ends with who started it.

Arguments: process id of who started it, seconds of processor time for a file, bytes of memory.
"""

from __future__ import annotations

import os
import pickle
import resource
import signal
import sys
from contextlib import suppress
from pathlib import Path
from typing import IO

from wattmark_drivers.parent_death import end_with

from wattmark.core.apart import LENGTH

_FIRST_TO_GO = "800"
"""As the reader of stored runs: where memory runs out, the kernel ends it before the service (proc(5))."""
_NICENESS = 10


def main() -> None:
    """Read what standard input orders until it ends."""
    parent, seconds, memory = map(int, sys.argv[1:])
    end_with(parent)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _step_back(memory)
    orders, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    while head := orders.read(LENGTH.size):
        used_s = sum(resource.getrusage(resource.RUSAGE_SELF)[:2])
        resource.setrlimit(resource.RLIMIT_CPU, (int(used_s) + seconds, resource.RLIM_INFINITY))
        _answer(orders.read(LENGTH.unpack(head)[0]), answers)


def _step_back(memory: int) -> None:
    """Leave processor and memory to the service, and write no core."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text(_FIRST_TO_GO)
    os.nice(_NICENESS)
    resource.setrlimit(resource.RLIMIT_DATA, (memory, memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _answer(order: bytes, answers: IO[bytes]) -> None:
    read, path = pickle.loads(order)  # noqa: S301 - of the process that started this one
    answer = pickle.dumps(read(path), protocol=pickle.HIGHEST_PROTOCOL)
    answers.write(LENGTH.pack(len(answer)))
    answers.write(answer)
    answers.flush()


if __name__ == "__main__":
    main()
