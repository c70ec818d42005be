"""Child processes that cannot outlive this one."""

from __future__ import annotations

import asyncio
from asyncio.subprocess import DEVNULL, STDOUT, Process
from pathlib import Path
from typing import IO

from wattmark_drivers.parent_death import die_with_parent

STOP_TIMEOUT_S = 3.0


async def start_bound(argv: list[str], folder: Path, log: IO[bytes]) -> Process:
    """Start a program that the kernel kills when this process dies, however it dies.

    Call it from the main thread. Raises OSError when it cannot be started.
    """
    return await asyncio.create_subprocess_exec(
        *argv, cwd=folder, stdin=DEVNULL, stdout=log, stderr=STDOUT, preexec_fn=die_with_parent()
    )


async def stop(process: Process) -> None:
    """Stop a child: ask, wait, then kill."""
    if process.returncode is not None:
        return
    process.terminate()
    try:
        await asyncio.wait_for(process.wait(), STOP_TIMEOUT_S)
    except TimeoutError:
        process.kill()
        await process.wait()
