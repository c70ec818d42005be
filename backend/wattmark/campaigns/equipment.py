"""What a campaign works with from its begin to its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wattmark_drivers.clock import Clock

from wattmark.campaigns.journal import Journal
from wattmark.campaigns.live_feed import LiveFeed
from wattmark.campaigns.recorder_protocol import RunRecorder
from wattmark.campaigns.rooms import AlarmsWithin
from wattmark.campaigns.triggers import Triggers
from wattmark.hooks.hooked import hooked
from wattmark.hooks.trigger import Caller
from wattmark.inventory.bench import Bench
from wattmark.inventory.plan import Plan
from wattmark.inventory.server import Server
from wattmark.runs.record import MeterRecord
from wattmark.runs.result import Result
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.markers import MarkerBoard
from wattmark.workloads.trigger import Trigger


@dataclass(frozen=True, slots=True)
class Equipment:
    """Bench, plan, clocks, instruments, and what starts loads."""

    bench: Bench
    plan: Plan
    clock: Clock
    journal: Journal
    recorder: RunRecorder
    triggers: Triggers
    meters: Callable[[str], Sequence[MeterRecord]]
    evaluate: Callable[[str], Result]
    new_id: Callable[[], str]
    board: MarkerBoard | None
    feed: LiveFeed | None
    alarms: AlarmsWithin | None

    def servers(self) -> list[Server]:
        """List the servers of the plan, each once."""
        found = (self.bench.configuration(reference)[0] for reference in self.plan.configurations)
        return list({server.id: server for server in found}.values())

    def trigger(self, server: Server, declaration: Declaration, caller: Caller) -> Trigger:
        """Give what starts a workload of a server: its hook, or what starts programs there."""
        inner = self.triggers.of(server)
        return hooked(declaration, inner, caller, folder=self.bench.folder, clock=self.clock)

    async def clear(self) -> None:
        """End what an earlier wattmark left running when it died, also by hooks. Raises `WorkloadFailed`."""
        await self.triggers.clear(self.servers())
        for declaration in map(self.bench.workload, self.plan.workloads):
            for server in self.servers() if declaration.hook else ():
                await self.trigger(server, declaration, Caller(None, server.id)).clear()

    async def cpus(self) -> dict[str, int]:
        """Count the CPUs of each server that loads may use."""
        return {server.id: await self.triggers.of(server).cpus() for server in self.servers()}
