"""The environment of this machine, asked for as before and after each run: at most a second, both together."""

from __future__ import annotations

import asyncio
import statistics
import time
from pathlib import Path

from wattmark.campaigns.server_facts import describe_server
from wattmark.workloads.local.local import LocalTrigger
from wattmark_drivers.clock import SystemClock

from tests.benchmarks.ratio import tell

ROUNDS = 20
LIMIT_S = 0.5


async def main() -> None:
    """Print the median and the longest of some rounds."""
    trigger, seconds = LocalTrigger(SystemClock(), Path("/")), []
    for _ in range(ROUNDS):
        begin = time.perf_counter()
        await describe_server(trigger, here=True)
        seconds.append(time.perf_counter() - begin)
    tell("environment of this machine, median", statistics.median(seconds) * 1e3, LIMIT_S * 1e3, "ms", "limit")
    tell("environment of this machine, longest", max(seconds) * 1e3, LIMIT_S * 1e3, "ms", "limit")


if __name__ == "__main__":
    asyncio.run(main())
