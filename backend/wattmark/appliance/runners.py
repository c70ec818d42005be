"""What runs a plan of the bench: a campaign runner on the rooms that it needs, once its instruments answer."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

from wattmark_drivers.clock import Clock

from wattmark.appliance.bench_desk import BenchDesk
from wattmark.appliance.campaigns import PreparedCampaign
from wattmark.appliance.instruments import meter_records
from wattmark.appliance.live_feed import HubFeed
from wattmark.appliance.readiness import wait_until_ready
from wattmark.campaigns.rooms import AlarmsWithin
from wattmark.campaigns.runner import CampaignRunner
from wattmark.campaigns.status import CampaignOut
from wattmark.campaigns.stored import StoredCampaign
from wattmark.inventory.plan import Plan
from wattmark.recording.monitor import Monitor
from wattmark.recording.recorder import Recorder
from wattmark.runs.record import MeterRecord
from wattmark.runs.result import Result
from wattmark.storage.open import Storage
from wattmark.workloads.markers import MarkerBoard


@dataclass(slots=True)
class Runners:
    """Make the runner of a plan. ``planned`` is the plan of the newest one, None before the first."""

    desk: BenchDesk
    storage: Storage
    monitor: Monitor
    recorder: Recorder
    board: MarkerBoard
    feed: HubFeed
    alarms: AlarmsWithin
    evaluate: Callable[[str], Result]
    clock: Clock
    planned: Plan | None = None

    def make(
        self, plan: str, on_status: Callable[[CampaignOut], None], resume: StoredCampaign | None = None
    ) -> PreparedCampaign:
        """Prepare a plan, or the rest of a stored campaign. Raises `Conflict` while the bench is being changed."""
        self.desk.require_rest()
        bench = self.desk.room.bench
        planned = self.planned = resume.plan if resume else bench.plan(plan)
        runner = CampaignRunner(
            bench,
            planned,
            runs=self.storage.runs,
            recorder=self.recorder,
            meters=self.records,
            on_status=on_status,
            evaluate=self.evaluate,
            clock=self.clock,
            board=self.board,
            feed=self.feed,
            alarms=self.alarms,
            resume=resume,
        )
        return PreparedCampaign(runner, partial(self._instruments_answer, planned))

    def records(self, server: str) -> list[MeterRecord]:
        """Describe the meters of a server as a run would record them now."""
        return meter_records(self.desk.room.bench, self.monitor.meters, server)

    def bench_records(self) -> list[MeterRecord]:
        """Describe every meter of the bench as a run would record it now."""
        return [record for server in self.desk.room.bench.servers for record in self.records(server.id)]

    async def _instruments_answer(self, plan: Plan, stopped: Callable[[], bool]) -> None:
        bench = self.desk.room.bench
        servers = {reference.partition("/")[0] for reference in plan.configurations}
        meters = {meter.id for server in servers for meter in bench.meters_of(server)}
        bmcs = {bmc.id for server in servers for bmc in bench.bmcs_of(server)}
        await wait_until_ready(self.monitor, meters | bmcs, self.clock, stopped)
