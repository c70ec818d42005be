"""The process that speaks: speakers apart from what measures, so that no client delays a reading.

It does what its standard input says, line by line, until that ends, which it does with the service.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import logging
import os
import resource
import signal
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from wattmark.core.event_loop import run_loop
from wattmark.core.hardening import protect_memory
from wattmark.gateway.messages import LONGEST, Said, indication_of, order_of, said_line
from wattmark.gateway.speaking import Speaking

NICENESS = 5
MOST_MEMORY = 2**30
"""Address space that clients can make it use at most [bytes]; beyond, it ends and is started again."""
FIRST_TO_GO = 800
"""Of 1000: where memory runs out, the kernel ends this process before the one that measures."""
REPORT_S = 1.0
MOST_UNREAD = 2**18
"""Bytes for a service that does not read; further news is dropped, as the next is newer."""


async def serve() -> None:
    """Speak until standard input ends."""
    loop = asyncio.get_running_loop()
    reader = asyncio.StreamReader(limit=LONGEST)
    await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(reader), sys.stdin)
    out, _ = await loop.connect_write_pipe(asyncio.Protocol, sys.stdout)

    def say(said: Said) -> None:
        if out.get_write_buffer_size() < MOST_UNREAD:
            out.write(said_line(said))

    speaking = Speaking(say)
    reporting = asyncio.create_task(_report(speaking, say))
    work: set[asyncio.Task[None]] = set()
    try:
        while line := await reader.readline():
            document = json.loads(line)
            if document["do"] == "show":
                until_ns = int(document["until_ns"])
                speaking.show(document["name"], indication_of(document), document["absent"], until_ns)
                continue
            task = asyncio.create_task(_obey(speaking, document))
            work.add(task)
            task.add_done_callback(work.discard)
    finally:
        reporting.cancel()
        await asyncio.gather(reporting, *work, return_exceptions=True)
        await speaking.close_all()


async def _obey(speaking: Speaking, document: dict[str, Any]) -> None:
    if document["do"] == "open":
        await speaking.open(order_of(document))
    else:
        await speaking.close(document["name"])


async def _report(speaking: Speaking, say: Callable[[Said], None]) -> None:
    """Say each second who asked, and that this process is alive."""
    while True:
        await asyncio.sleep(REPORT_S)
        await speaking.report()
        say(Said("alive"))


def step_back() -> None:
    """Leave cores and memory to the service, and let only the service end this process."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    with contextlib.suppress(OSError):
        os.nice(NICENESS)
        Path("/proc/self/oom_score_adj").write_text(str(FIRST_TO_GO))
    _, most = resource.getrlimit(resource.RLIMIT_AS)
    if most == resource.RLIM_INFINITY or most > MOST_MEMORY:
        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    protect_memory()


if __name__ == "__main__":
    logging.basicConfig(level=logging.WARNING, format="%(levelname)s gateway: %(message)s")
    step_back()
    run_loop(serve())
