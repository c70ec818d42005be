"""Child processes that cannot outlive this one."""

from __future__ import annotations

import asyncio
import ctypes
import os
import signal
from asyncio.subprocess import DEVNULL, STDOUT, Process
from pathlib import Path
from typing import IO

_PR_SET_PDEATHSIG = 1
_LIBC = ctypes.CDLL(None, use_errno=True)
STOP_TIMEOUT_S = 3.0


async def start_bound(argv: list[str], folder: Path, log: IO[bytes]) -> Process:
    """Start a program that the kernel kills when this process dies, however it dies (prctl(2), PR_SET_PDEATHSIG).

    Call it from the main thread: the kernel watches the thread that forks. Raises OSError when it cannot be started.
    """
    parent = os.getpid()

    def bind_to_parent() -> None:
        _LIBC.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
        if os.getppid() != parent:
            os.kill(os.getpid(), signal.SIGKILL)

    return await asyncio.create_subprocess_exec(
        *argv, cwd=folder, stdin=DEVNULL, stdout=log, stderr=STDOUT, preexec_fn=bind_to_parent
    )


async def stop(process: Process) -> None:
    """End a child: ask, wait, then kill."""
    if process.returncode is not None:
        return
    process.terminate()
    try:
        await asyncio.wait_for(process.wait(), STOP_TIMEOUT_S)
    except TimeoutError:
        process.kill()
        await process.wait()
