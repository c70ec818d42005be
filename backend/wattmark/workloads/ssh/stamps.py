"""What one run learns of a server's clock: exchanges, and the stamps that its programs were given there."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark.analysis.clocks.clocks import Exchange
from wattmark.hosts.clock import StampLine
from wattmark.runs.disclosure import StampedLoad
from wattmark.workloads.ssh.trigger import SshTrigger


class ServerStamps:
    """Asks the clock of the server whose programs a trigger starts."""

    def __init__(self, trigger: SshTrigger, line: StampLine) -> None:
        self._trigger = trigger
        self._line = line

    async def ask(self, count: int) -> Sequence[Exchange]:
        """Read the clock ``count`` times. Raises `WorkloadFailed` when it does not answer."""
        return await self._line.ask(count)

    async def close(self) -> None:
        """Close the connection to the clock."""
        await self._line.close()

    def loads(self) -> list[StampedLoad]:
        """List the programs since the last call: asked for by our clock, begun and ended by the server's [ns].

        And what held their processes together there.
        """
        recent = list(self._trigger.recent)
        self._trigger.recent.clear()
        return [
            StampedLoad(
                asked_ns=execution.started.utc_ns,
                begun_there_ns=execution.begun_ns,
                ended_there_ns=execution.ended_ns,
                held_by=execution.held_by,
            )
            for execution in recent
        ]
