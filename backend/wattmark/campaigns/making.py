"""Make a run: its record, its phases, its result."""

from __future__ import annotations

from typing import Any

from wattmark.campaigns.course import Course
from wattmark.campaigns.equipment import Equipment
from wattmark.campaigns.host_facts import describe_host
from wattmark.campaigns.memory_slots import memory_slots
from wattmark.campaigns.new_record import new_record
from wattmark.campaigns.one_run import OneRun
from wattmark.campaigns.planned import PlannedRun
from wattmark.campaigns.rooms import Job, Rooms
from wattmark.campaigns.stopping import StopSwitch
from wattmark.hooks.trigger import Caller
from wattmark.inventory.configuration import Configuration
from wattmark.inventory.server import Server, host_source
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.workloads.commands import program_version


class Making:
    """Makes the runs of a campaign, one at a time, and remembers what their records share."""

    def __init__(self, equipment: Equipment, course: Course, stop: StopSwitch) -> None:
        self.under_way: OneRun | None = None
        self._equipment = equipment
        self._course = course
        self._stop = stop
        self._hosts: dict[str, dict[str, Any]] = {}
        self._versions: dict[tuple[str, str], str | None] = {}

    async def get_to_know(self, server: Server) -> None:
        """Learn what records say of a server, before its first run. Raises `WorkloadFailed` when it does not answer."""
        if server.id not in self._hosts:
            trigger = self._equipment.triggers.of(server)
            self._hosts[server.id] = await describe_host(trigger, here=server.access.ssh is None)

    async def look_at_memory(self, server: Server) -> None:
        """Learn what the firmware says of the memory slots, as they are now."""
        self._hosts[server.id] |= await memory_slots(self._equipment.triggers.of(server))

    async def make(self, run: PlannedRun, server: Server, configuration: Configuration) -> None:
        """Carry out one run. A failing run ends in its record. Raises `Stopped`."""
        self._stop.check()
        level = self._course.decisions.level(run)
        record = self._record(run, configuration, await self._version(run.workload, server), level)
        one = OneRun(record, self._job(run, level), self._rooms(server, record))
        self._course.progress.begin_run(run, record)
        self.under_way = one
        try:
            await self._stop.until_stopped(one.carry_out())
        finally:
            self.under_way = None
            await self._course.end(run, one.record)

    async def fail(self, run: PlannedRun, configuration: Configuration, reason: str) -> None:
        """Record that a run could not begin."""
        record = self._record(run, configuration, None, run.level_value)
        record = record.model_copy(update={"status": RunStatus.FAILED, "reason": " ".join(reason.split())})
        self._equipment.journal.put(record)
        await self._course.end(run, record)

    def _job(self, run: PlannedRun, level: int | None) -> Job:
        declaration = self._equipment.bench.workload(run.workload)
        return Job(self._equipment.plan, declaration, level, active_idle=run.task == "idle")

    def _rooms(self, server: Server, record: RunRecord) -> Rooms:
        of = self._equipment
        caller = Caller(record.run_id, server.id, record.configuration)
        return Rooms(
            of.journal,
            of.recorder,
            of.trigger(server, of.bench.workload(record.workload), caller),
            of.clock,
            self._course.progress.phase,
            feed=of.feed,
            local=of.triggers.runs_here(server),
            host=host_source(server),
            board=of.board,
            stamps=of.triggers.stamps(server),
        )

    def _record(
        self, run: PlannedRun, configuration: Configuration, program: str | None, level: int | None
    ) -> RunRecord:
        of = self._equipment
        return new_record(
            run,
            level=level,
            attempt=len(self._course.table.attempts[run.order]) + 1,
            run_id=of.new_id(),
            campaign_id=self._course.progress.out.campaign_id,
            created_ns=of.clock.utc_ns(),
            plan=of.plan,
            configuration=configuration,
            declaration=of.bench.workload(run.workload),
            meters=of.meters(run.server),
            program=program,
            host=self._hosts.get(run.server, {}),
            known=self._course.latencies.facts(run.server),
        )

    async def _version(self, workload: str, server: Server) -> str | None:
        key = (workload, server.id)
        if key not in self._versions:
            of = self._equipment
            self._versions[key] = await program_version(of.bench.workload(workload), of.triggers.of(server))
        return self._versions[key]
