"""What starts loads on each server of a campaign: this machine, or another one over SSH."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from wattmark_drivers.clock import Clock

from wattmark.campaigns.processes import LocalProcesses, Processes
from wattmark.campaigns.processes_there import RemoteProcesses
from wattmark.inventory.server import Server
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.local import LocalTrigger
from wattmark.workloads.programs import remedy
from wattmark.workloads.trigger import Trigger

if TYPE_CHECKING:
    from wattmark.remote.connection import SshConnection
    from wattmark.remote.stamps import ServerStamps
    from wattmark.remote.trigger import SshTrigger

PATIENCE_S = 600.0
"""How long a server may take to come back before a run on it is repeated, as after a reboot [s]."""


class Triggers:
    """One trigger per server, made when it is asked for; ``given`` stands for all of them."""

    def __init__(self, clock: Clock, folder: Path, given: Trigger | None = None) -> None:
        self._clock = clock
        self._folder = folder
        self._here = given or LocalTrigger(clock, folder)
        self._given = given is not None
        self._elsewhere: dict[str, SshTrigger] = {}
        self._connections: dict[str, SshConnection] = {}

    def of(self, server: Server) -> Trigger:
        """Give the trigger of a server."""
        if self._given or server.access.ssh is None:
            return self._here
        if server.id not in self._elsewhere:
            from wattmark.remote.connection import SshConnection
            from wattmark.remote.trigger import SshTrigger

            connection = SshConnection(server.access.ssh, self._folder)
            self._connections[server.id] = connection
            self._elsewhere[server.id] = SshTrigger(connection, self._clock)
        return self._elsewhere[server.id]

    def stamps(self, server: Server) -> ServerStamps | None:
        """Give what asks the clock of another server; None where its loads run under the clock of this machine."""
        trigger = self._elsewhere.get(server.id)
        if trigger is None:
            return None
        from wattmark.remote.clock import StampLine
        from wattmark.remote.stamps import ServerStamps

        return ServerStamps(trigger, StampLine(self._connections[server.id], self._clock))

    async def missing(self, server: Server, declaration: Declaration) -> str | None:
        """Say which program of a workload is not on another server; None where all are there, or it is this machine."""
        trigger = self._elsewhere.get(server.id)
        for program, package in declaration.programs() if trigger is not None else ():
            if trigger is not None and await trigger.missing(program):
                return f"The program {program} is not on {trigger.label}; {remedy(package)}."
        return None

    def processes(self, server: Server) -> Processes | None:
        """Give what tells of the processes of a server; None where its loads are started by something else."""
        if self._given:
            return None
        connection = self._connections.get(server.id)
        return RemoteProcesses(connection) if connection else LocalProcesses()

    async def wait_for(self, server: Server) -> None:
        """Wait until a server elsewhere answers, as after a reboot, but not for ever."""
        connection = self._connections.get(server.id)
        if connection is not None:
            await connection.wait_for(self._clock, PATIENCE_S)

    async def clear(self, servers: Iterable[Server]) -> None:
        """End what an earlier wattmark left running on the servers. Raises `WorkloadFailed` for one out of reach."""
        for server in servers:
            await self.of(server).clear()

    async def close(self) -> None:
        """End all connections; loads that they carry end with them."""
        for connection in self._connections.values():
            await connection.close()
