"""Four stamps with the clock of another machine."""

from __future__ import annotations

import asyncio
import shlex
from collections.abc import Sequence

import asyncssh
from wattmark_drivers.clock import Clock

from wattmark.analysis.clocks.clocks import Exchange
from wattmark.hosts.connection import SshConnection, lost

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


class StampLine:
    """A shell on the server that answers every line with stamps, started once, so that asking costs it next to nothing.

    When it stops answering it is given up, and the next question starts another.
    """

    def __init__(self, connection: SshConnection, clock: Clock) -> None:
        self._connection = connection
        self._clock = clock
        self._process: asyncssh.SSHClientProcess[str] | None = None
        self._asking = asyncio.Lock()

    async def ask(self, count: int) -> Sequence[Exchange]:
        """Read the server's clock ``count`` times. Raises `WorkloadFailed` when it does not answer with stamps."""
        async with self._asking:
            try:
                async with asyncio.timeout(TIMEOUT_S):
                    process = await self._open()
                    return [await _one(process, self._clock) for _ in range(count)]
            except (asyncssh.Error, OSError, TimeoutError, ValueError) as error:
                await self.close()
                raise lost(self._connection.address, error) from None
            except asyncio.CancelledError:
                await self.close()
                raise

    async def close(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            process.close()

    async def _open(self) -> asyncssh.SSHClientProcess[str]:
        if self._process is None:
            opened = await self._connection.open()
            command = shlex.join(["sh", "-c", _BEST_SHELL, "sh", _ECHO])
            self._process = await opened.create_process(command, encoding="ascii")
        return self._process


async def exchange(connection: SshConnection, clock: Clock, count: int = 8) -> Sequence[Exchange]:
    """Read a server's clock ``count`` times. Raises `WorkloadFailed` when it does not answer with stamps."""
    line = StampLine(connection, clock)
    try:
        return await line.ask(count)
    finally:
        await line.close()


async def _one(process: asyncssh.SSHClientProcess[str], clock: Clock) -> Exchange:
    sent_ns = clock.utc_ns()
    process.stdin.write("?\n")
    answer = await process.stdout.readline()
    received_ns = clock.utc_ns()
    there, back = answer.split()
    return Exchange(sent_ns, int(there), int(back), received_ns)
