"""Make the runs of a step: their records, their phases, their results."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from functools import partial
from typing import Any

from wattmark.campaigns.companions import Alone, Companions
from wattmark.campaigns.course import Course
from wattmark.campaigns.equipment import Equipment
from wattmark.campaigns.group import Group
from wattmark.campaigns.host_facts import boot_facts, describe_host
from wattmark.campaigns.installations import Installations
from wattmark.campaigns.memory_slots import memory_slots
from wattmark.campaigns.new_record import new_record
from wattmark.campaigns.one_fate import changed_fates
from wattmark.campaigns.one_run import OneRun
from wattmark.campaigns.planned import PlannedRun, Step
from wattmark.campaigns.rooms import Job, Rooms
from wattmark.campaigns.stopping import StopSwitch
from wattmark.campaigns.whereabouts import recorded_by
from wattmark.hooks.trigger import Caller
from wattmark.inventory.server import Server, host_source
from wattmark.runs.origin import RECORDED_BY
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.runs.structure import BOOT
from wattmark.workloads.commands import program_version


class Making:
    """Makes the runs of a campaign, step by step, and remembers what their records share."""

    def __init__(
        self, equipment: Equipment, course: Course, stop: StopSwitch, installations: Installations, appliance: str
    ) -> None:
        self.installations = installations
        self.under_way: dict[int, OneRun] = {}
        """What is being made now, by the order of the run."""
        self._equipment = equipment
        self._course = course
        self._stop = stop
        self._hosts: dict[str, dict[str, Any]] = {}
        self._versions: dict[tuple[str, str], str | None] = {}
        self._recorded_by = recorded_by(equipment.bench, appliance)

    async def get_to_know(self, server: Server) -> None:
        """Learn what records say of a server, before its first run. Raises `WorkloadFailed` when it does not answer."""
        if server.id not in self._hosts:
            trigger = self._equipment.triggers.of(server)
            self._hosts[server.id] = await describe_host(trigger, here=server.access.ssh is None)

    async def look_at_boot(self, server: Server) -> str | None:
        """Learn in which boot a server is now; this machine is in the one that it was in when it was asked first."""
        if server.access.ssh is not None:
            told = await boot_facts(self._equipment.triggers.of(server))
            self._hosts[server.id] = {**self._hosts[server.id], **told}
        boot: str | None = self._hosts[server.id].get(BOOT)
        return boot

    async def look_at_memory(self, server: Server) -> None:
        """Learn what the firmware says of the memory slots, as they are now."""
        slots = await memory_slots(self._equipment.triggers.of(server))
        self._hosts[server.id] = {**self._hosts[server.id], **slots}

    async def make(self, step: Step) -> None:
        """Carry out the runs of a step at the same time. A failing run ends in its record. Raises `Stopped`."""
        self._stop.check()
        begun = await self._begin(step)
        for run in step:
            self.installations.begin_repeat(run)
        self._course.progress.begin_runs([(run, one.record) for run, one in begun])
        self.under_way = {run.order: one for run, one in begun}
        try:
            await self._stop.until_stopped(_carry_out([one for _, one in begun]))
        finally:
            self.under_way = {}
            await self._end([(run, one.record) for run, one in begun])

    async def fail(self, step: Step, reason: str) -> None:
        """Record that the runs of a step could not begin."""
        for run in step:
            record = self._record(run, None, run.level_value)
            record = record.model_copy(update={"status": RunStatus.FAILED, "reason": " ".join(reason.split())})
            self._equipment.journal.put(record)
            await self._course.end(run, record)

    async def _begin(self, step: Step) -> list[tuple[PlannedRun, OneRun]]:
        """Write the records of a step; those of a group know of one another from the beginning."""
        levels = {run.order: self._course.decisions.level(run) for run in step}
        records = [self._record(run, await self._version(run), levels[run.order]) for run in step]
        if len(step) == 1:
            return [(step[0], self._one(step[0], records[0], levels[step[0].order], Alone()))]
        group = Group(self._equipment.new_id(), [run.server for run in step], self._equipment.clock)
        known, members = group.known(records), group.members()
        told = [one.model_copy(update={"disclosure": {**one.disclosure, **known}}) for one in records]
        return [
            (run, self._one(run, record, levels[run.order], members[run.server]))
            for run, record in zip(step, told, strict=True)
        ]

    def _one(self, run: PlannedRun, record: RunRecord, level: int | None, companions: Companions) -> OneRun:
        declaration = self._equipment.bench.workload(run.workload)
        job = Job(self._equipment.plan, declaration, level, active_idle=run.task == "idle")
        return OneRun(record, job, self._rooms(run, record, companions))

    async def _end(self, ended: Sequence[tuple[PlannedRun, RunRecord]]) -> None:
        changed = {one.run_id: one for one in changed_fates(record for _, record in ended)}
        for record in changed.values():
            self._equipment.journal.put(record)
        for run, record in ended:
            await self._course.end(run, changed.get(record.run_id, record))

    def _rooms(self, run: PlannedRun, record: RunRecord, companions: Companions) -> Rooms:
        of = self._equipment
        server, _ = of.bench.configuration(run.place)
        caller = Caller(record.run_id, server.id, record.configuration)
        return Rooms(
            of.journal,
            of.recorder,
            of.trigger(server, of.bench.workload(record.workload), caller),
            of.clock,
            partial(self._course.progress.phase, run.order),
            feed=of.feed,
            processes=of.triggers.processes(server),
            host=host_source(server),
            board=of.board,
            companions=companions,
            alarms=of.alarms,
            meters=partial(of.meters, server.id),
            stamps=of.triggers.stamps(server),
        )

    def _record(self, run: PlannedRun, program: str | None, level: int | None) -> RunRecord:
        of = self._equipment
        _, configuration = of.bench.configuration(run.place)
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
            known={
                **self._course.latencies.facts(run.server),
                **self.installations.facts(run.server),
                RECORDED_BY: self._recorded_by,
            },
        )

    async def _version(self, run: PlannedRun) -> str | None:
        key = (run.workload, run.server)
        if key not in self._versions:
            of = self._equipment
            server, _ = of.bench.configuration(run.place)
            self._versions[key] = await program_version(of.bench.workload(run.workload), of.triggers.of(server))
        return self._versions[key]


async def _carry_out(runs: Sequence[OneRun]) -> None:
    """Carry out runs at the same time; when one breaks with an error of its own, the others are stopped."""
    tasks = [asyncio.create_task(one.carry_out()) for one in runs]
    try:
        await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
    finally:
        for task in tasks:
            task.cancel()  # once: a second time would break into the cleaning up
        await asyncio.wait(tasks)
    for task in tasks:
        if not task.cancelled():
            task.result()
