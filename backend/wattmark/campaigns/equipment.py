"""What a campaign works with from its begin to its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from wattmark_drivers.clock import Clock

from wattmark.campaigns.journal import Journal
from wattmark.campaigns.live_feed import LiveFeed
from wattmark.campaigns.recorder_protocol import RunRecorder
from wattmark.campaigns.triggers import Triggers
from wattmark.inventory.bench import Bench
from wattmark.inventory.plan import Plan
from wattmark.inventory.server import Server
from wattmark.runs.record import MeterRecord
from wattmark.runs.result import Result
from wattmark.workloads.markers import MarkerBoard


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

    def servers(self) -> list[Server]:
        """List the servers of the plan, each once."""
        found = (self.bench.configuration(reference)[0] for reference in self.plan.configurations)
        return list({server.id: server for server in found}.values())

    async def cpus(self) -> dict[str, int]:
        """Count the CPUs of each server that loads may use."""
        return {server.id: await self.triggers.of(server).cpus() for server in self.servers()}
