"""Four stamps with the clock of another machine."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Sequence

import asyncssh
from wattmark_drivers.clock import Clock

from wattmark.analysis.clocks import Exchange
from wattmark.remote.connection import SshConnection, lost

TIMEOUT_S = 5.0
_ECHO = """
if [ -n "$BASH_VERSION" ] && [ -n "$EPOCHREALTIME" ]; then
  while IFS= read -r _; do a=$EPOCHREALTIME; echo "${a/[.,]/}000 ${EPOCHREALTIME/[.,]/}000"; done
else
  while IFS= read -r _; do a=$(date +%s%N); echo "$a $(date +%s%N)"; done
fi
"""
"""Answers each line with two stamps of this machine [ns since 1970]: when the line came and when the answer goes.

bash tells the time by itself; where there is only sh, each stamp starts a program, which costs a millisecond.
"""
_BEST_SHELL = 'if command -v bash >/dev/null; then exec bash -c "$1"; else exec sh -c "$1"; fi'


async def exchange(connection: SshConnection, clock: Clock, count: int = 8) -> Sequence[Exchange]:
    """Ask a server's clock ``count`` times. Raises `WorkloadFailed` when it does not answer with stamps."""
    opened = await connection.open()
    command = shlex.join(["sh", "-c", _BEST_SHELL, "sh", _ECHO])
    try:
        async with asyncio.timeout(TIMEOUT_S), opened.create_process(command, encoding="ascii") as process:
            return [await _one(process, clock) for _ in range(count)]
    except (asyncssh.Error, OSError, TimeoutError, ValueError) as error:
        raise lost(connection.address, error) from None


async def _one(process: asyncssh.SSHClientProcess[str], clock: Clock) -> Exchange:
    sent_ns = clock.utc_ns()
    process.stdin.write("?\n")
    answer = await process.stdout.readline()
    received_ns = clock.utc_ns()
    there, back = answer.split()
    return Exchange(sent_ns, int(there), int(back), received_ns)
