"""The servers of a campaign, this machine or others over SSH: what starts loads on each, and what each has told."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING

from wattmark_drivers.clock import Clock

from wattmark.bench.bench import Bench
from wattmark.bench.plan import Plan
from wattmark.bench.server import Server, address_of
from wattmark.campaigns.out_of_band import ASKED_AGAIN, FAILURE_KEPT_S, read_out_of_band
from wattmark.campaigns.power.control import Machine
from wattmark.campaigns.server_facts import FirmwareSlots, boot_id, describe_server, memory_slots
from wattmark.campaigns.watch.processes import LocalProcesses, Processes, RemoteProcesses
from wattmark.runs.disclosure import HostFacts, OutOfBand, disclosing
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.http.hooked import called_elsewhere, hooked
from wattmark.workloads.http.trigger import Caller
from wattmark.workloads.local.commands import program_version
from wattmark.workloads.local.local import LocalTrigger
from wattmark.workloads.local.programs import remedy
from wattmark.workloads.trigger import Trigger

if TYPE_CHECKING:
    from wattmark.hosts.address import SshAddress
    from wattmark.hosts.connection import SshConnection
    from wattmark.workloads.ssh.stamps import ServerStamps
    from wattmark.workloads.ssh.trigger import SshTrigger

PATIENCE_S = 600.0
"""How long a server may take to come back before a run on it is repeated, as after a reboot [s]."""

NOT_THIS_MACHINE = "all its loads are begun by HTTP calls to other machines, so that it is not the machine of wattmark"
GIVE_BMC = "Give the BMC of the server a Redfish url in the bench file."


@dataclass(frozen=True, slots=True)
class _Asked:
    """What a BMC answered, in which boot of its server and when [ns of the monotonic clock]."""

    boot: str | None
    at_ns: int
    answer: OutOfBand | None

    @property
    def failed(self) -> bool:
        """Return whether the BMC listed no module, as one that has not seen its server start."""
        return self.answer is not None and not any(slot.filled for slot in self.answer.slots)


class Servers:
    """Reaches the servers of a plan; connections are made when they are asked for."""

    def __init__(self, bench: Bench, plan: Plan, clock: Clock) -> None:
        self._bench = bench
        self._plan = plan
        self._clock = clock
        self._here = LocalTrigger(clock, bench.folder)
        self._elsewhere: dict[str, SshTrigger] = {}
        self._connections: dict[str, SshConnection] = {}
        self._facts: dict[str, HostFacts] = {}
        self._versions: dict[tuple[str, str], str | None] = {}
        self._out_of_band: dict[str, _Asked] = {}
        """What each BMC listed last."""

    def trigger(self, server: Server) -> Trigger:
        """Return what starts programs on a server."""
        if server.access.ssh is None:
            return self._here
        if server.id not in self._elsewhere:
            connection, trigger = _elsewhere(server.access.ssh, self._bench, self._clock)
            self._connections[server.id], self._elsewhere[server.id] = connection, trigger
        return self._elsewhere[server.id]

    def machine(self, server: Server) -> Machine:
        """Return a server as what has power settings."""
        return _machine(server, self.trigger(server))

    def workload_trigger(self, server: Server, declaration: Declaration, caller: Caller) -> Trigger:
        """Return what starts a workload of a server: its hook, or what starts programs there."""
        return hooked(declaration, self.trigger(server), caller, folder=self._bench.folder, clock=self._clock)

    def stamps(self, server: Server) -> ServerStamps | None:
        """Return what asks the clock of another server; None where its loads run under the clock of this machine."""
        trigger = self._elsewhere.get(server.id)
        if trigger is None:
            return None
        from wattmark.hosts.clock import StampLine
        from wattmark.workloads.ssh.stamps import ServerStamps

        return ServerStamps(trigger, StampLine(self._connections[server.id], self._clock))

    def processes(self, server: Server) -> Processes:
        connection = self._connections.get(server.id)
        return RemoteProcesses(connection) if connection else LocalProcesses()

    def facts(self, server: str) -> HostFacts:
        """Return what records disclose of a server, as far as it was asked."""
        return self._facts.get(server, HostFacts())

    async def describe(self, server: Server) -> None:
        """Learn what records say of a server, before its first run. Raises `WorkloadFailed` when it does not answer."""
        if server.id not in self._facts:
            self._facts[server.id], _ = await describe_server(self.trigger(server), here=server.access.ssh is None)

    async def look_at_boot(self, server: Server) -> str | None:
        """Learn in which boot a server is now; this machine is in the one that it was in when it was asked first."""
        if server.access.ssh is not None:
            boot = await boot_id(self.trigger(server))
            with disclosing():
                self._facts[server.id] = self._facts[server.id].changed(boot_id=boot)
        return self._facts[server.id].boot_id

    async def look_at_memory(self, server: Server) -> None:
        """Learn what the firmware and the BMC say of the memory slots, as they are now."""
        known, here = self._facts[server.id], server.access.ssh is None
        if here and self._all_elsewhere():
            firmware, boot = FirmwareSlots(why=NOT_THIS_MACHINE, remedy=GIVE_BMC), None
        else:
            boot, sudo = known.boot_id, server.sudo_dmidecode
            firmware = await memory_slots(self.trigger(server), here=here, boot=boot, sudo=sudo)
        out_of_band = await self._listed_by_bmc(server, boot)
        with disclosing():
            self._facts[server.id] = known.changed(
                memory_slots=firmware.text,
                memory_slots_way=firmware.way,
                memory_slots_unread=firmware.unread,
                out_of_band=out_of_band,
            )

    def _all_elsewhere(self) -> bool:
        """Return whether no workload of the plan brings load to this machine: each is begun by calls to another.

        A server of such a plan needs no SSH, so that its entry in the bench file says local: true.
        """
        return all(called_elsewhere(self._bench.workload(workload)) for workload in self._plan.workloads)

    async def _listed_by_bmc(self, server: Server, boot: str | None) -> OutOfBand | None:
        """Ask the BMC of a server, once in a boot: it is slow, and nobody changes modules while the server is on.

        Without knowing the ``boot`` it is asked each time. One that lists nothing is asked again after a while.
        """
        asked, now_ns = self._out_of_band.get(server.id), self._clock.monotonic_ns()
        if asked is not None and asked.boot == boot:
            lasts = now_ns - asked.at_ns < FAILURE_KEPT_S * 1e9 if asked.failed else boot is not None
            if lasts:
                return asked.answer
        answer = await read_out_of_band(self._bench, server.id)
        if answer is not None and answer.problem is not None:
            with disclosing():
                answer = answer.changed(problem=f"{answer.problem} {ASKED_AGAIN}")
        self._out_of_band[server.id] = _Asked(boot, self._clock.monotonic_ns(), answer)
        return answer

    async def program_version(self, server: Server, declaration: Declaration) -> str | None:
        """Ask a workload's program on a server for its version, once; None where it reports none."""
        key = (declaration.id, server.id)
        if key not in self._versions:
            self._versions[key] = await program_version(declaration, self.trigger(server))
        return self._versions[key]

    async def missing_program(self, server: Server, declaration: Declaration) -> str | None:
        """Explain which program of a workload is not on another server; None: all are there, or it is this machine."""
        trigger = self._elsewhere.get(server.id)
        for program, package in declaration.programs() if trigger is not None else ():
            if trigger is not None and await trigger.missing(program):
                return f"The program {program} is not on {trigger.label}; {remedy(package)}."
        return None

    async def wait_for(self, server: Server) -> None:
        """Wait until a server elsewhere answers, as after a reboot, but not for ever."""
        connection = self._connections.get(server.id)
        if connection is not None:
            await connection.wait_for(self._clock, PATIENCE_S)

    async def cpus(self) -> dict[str, int]:
        """Count the CPUs of each server that loads may use."""
        return {server.id: await self.trigger(server).cpus() for server in self.all()}

    async def clear(self) -> None:
        """End what an earlier wattmark left running when it died, also by hooks.

        Raises `WorkloadFailed` for a server out of reach.
        """
        servers = self.all()
        for server in servers:
            await self.trigger(server).clear()
        for declaration in map(self._bench.workload, self._plan.workloads):
            for server in servers if declaration.hook else ():
                await self.workload_trigger(server, declaration, Caller(None, server.id)).clear()

    async def close(self) -> None:
        """Stop all connections; loads that they carry end with them."""
        for connection in self._connections.values():
            await connection.close()

    def all(self) -> list[Server]:
        """List the servers of the plan, each once."""
        servers = (self._bench.configuration(reference)[0] for reference in self._plan.configurations)
        return list({server.id: server for server in servers}.values())


@asynccontextmanager
async def reached(server: Server, bench: Bench, clock: Clock) -> AsyncIterator[Machine]:
    """Reach a server without a campaign; connections are made when they are asked for.

    Scripts that a killed wattmark left on this machine are ended first; on another one they end without its heartbeat.
    """
    if server.access.ssh is None:
        here = LocalTrigger(clock, bench.folder)
        await here.clear()
        yield _machine(server, here)
        return
    connection, trigger = _elsewhere(server.access.ssh, bench, clock)
    try:
        yield _machine(server, trigger)
    finally:
        await connection.close()


def _machine(server: Server, trigger: Trigger) -> Machine:
    return Machine(server.id, server.title or server.id, address_of(server), trigger, server.settings_command)


def _elsewhere(address: SshAddress, bench: Bench, clock: Clock) -> tuple[SshConnection, SshTrigger]:
    from wattmark.hosts.connection import SshConnection
    from wattmark.workloads.ssh.trigger import SshTrigger

    connection = SshConnection(address, bench.folder)
    return connection, SshTrigger(connection, clock)
