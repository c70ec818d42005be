"""One run from its record to its end: however it ends, the load is gone and the record says how."""

from __future__ import annotations

import asyncio
from functools import partial

from wattmark.bench.server import host_source
from wattmark.campaigns.context import RunContext
from wattmark.campaigns.environment.changes import environment_notes
from wattmark.campaigns.load import ended
from wattmark.campaigns.phases import Phases
from wattmark.campaigns.record import RunLog
from wattmark.campaigns.server_facts import read_environment, with_supplies
from wattmark.campaigns.watch.clock_log import ClockLog
from wattmark.campaigns.watch.guards import require_same_meters, watch_limits, watch_meters
from wattmark.campaigns.watch.live_feed import wall_names
from wattmark.core.errors import Disturbed, WattmarkError, WorkloadFailed
from wattmark.runs.environment import Environment
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.workloads.marks import mark_now
from wattmark.workloads.parsers.work import MarkedWork
from wattmark.workloads.prepared import prepared
from wattmark.workloads.trigger import Trigger


class RunExecution:
    """Carries out one run and keeps its record up to date. Whatever happens, the load is ended and the record tells."""

    def __init__(self, context: RunContext, record: RunRecord) -> None:
        campaign = context.campaign
        self._context = context
        on_phase = partial(campaign.progress.phase, context.planned.order)
        self._log = RunLog(record, campaign.journal, context.clock, on_phase)
        self._clocks = ClockLog(campaign.servers.stamps(context.server), context.clock, context.plan.measure_s)
        self._phases = Phases(context, self._log, self._clocks)

    @property
    def record(self) -> RunRecord:
        """Return the record as it stands."""
        return self._log.record

    def so_far(self) -> MarkedWork | None:
        """Return the work done in the window until now; None where there is none or it cannot be told."""
        return self._phases.so_far()

    async def carry_out(self) -> None:
        """Run all phases. A failing load or meter ends in the record; cancelling it leaves it "aborted"."""
        self._log.keep()
        await self._log.flush()
        try:
            server = self._context.campaign.servers.trigger(self._context.server)
            environment = await self._environment(server)
            self._log.disclose(environment=environment)
            await self._guarded_phases()
            phases = self._log.closed(mark_now(self._context.clock))
            await self._end_recording()
            await self._clocks.end()
            self._log.disclose(clock=self._clocks.facts())
            self._clocks.require_steady(self.record.server)
            self._judge()
            await self._compare_starts()
            await self._note_changes(environment, server)
            await self._check_settings()
            self._log.keep(status=RunStatus.COMPLETE, phases=phases)
            await self._log.flush()
        except asyncio.CancelledError:
            await self._break_off(RunStatus.ABORTED, self._log.stopped_where())
            raise
        except (WattmarkError, OSError) as error:
            await self._context.member.leave(str(error))
            if isinstance(error, Disturbed):
                self._log.disclose(repeatable=True)
            await self._break_off(RunStatus.FAILED, str(error))

    async def _guarded_phases(self) -> None:
        """Carry out the phases while limits are kept, meters stay the same and no run of the group ends early."""
        context, begun = self._context, self.record.meters
        guards = [
            self._prepared_phases(),
            context.member.until_broken(),
            watch_meters(begun, partial(context.lab.identities, context.server.id), context.clock),
        ]
        if (limits := context.plan.limits) is not None:
            sources = self._phases.sources()
            guards.append(watch_limits(limits, context.lab.feed, wall_names(begun), sources, context.clock))
        tasks = {asyncio.create_task(guard) for guard in guards}
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                await ended(task)
        for task in done:
            task.result()

    async def _prepared_phases(self) -> None:
        """Set the workload up before the first phase, so that its traces do not show in the idle watts."""
        context, seconds = self._context, self._context.plan.measure_s
        if context.planned.task == "idle":
            await self._phases.active_idle()
            return
        async with prepared(
            context.declaration, level=context.level, seconds=seconds, trigger=context.trigger
        ) as workspace:
            await self._phases.loaded(workspace)

    async def _compare_starts(self) -> None:
        """Wait for the other runs of the group, and disclose how far apart all of them started."""
        if (group := self.record.disclosure.together) is not None:
            self._log.disclose(together=await self._context.member.compare(self._clocks, group))

    async def _environment(self, server: Trigger) -> Environment:
        """Read the environment of the server now: what it states itself, and its BMC of the power supplies."""
        environment = await read_environment(server)
        return with_supplies(environment, await self._context.lab.supplies(self._context.server.id))

    async def _note_changes(self, before: Environment, server: Trigger) -> None:
        """Read the environment of the server again, and note what is not as before."""
        try:
            notes = environment_notes(before, await self._environment(server))
        except WorkloadFailed as error:
            notes = (f"Whether the environment of the server changed during the run is not known. {error}",)
        self._log.disclose(notes=(*self.record.disclosure.notes, *notes))

    async def _check_settings(self) -> None:
        """Disclose which power settings of the run somebody else has changed meanwhile."""
        settings, machine = self._context.planned.settings, self._context.campaign.servers.machine(self._context.server)
        if not settings:
            return
        try:
            changed = await self._context.lab.power.differences(machine, settings)
        except WattmarkError as error:
            note = f"Whether the power settings of the run lasted until its end is not known. {error}"
            self._log.disclose(notes=(*self.record.disclosure.notes, note))
        else:
            self._log.disclose(settings_changed=tuple(changed))

    def _judge(self) -> None:
        """Fail the run when a meter is another one than at the begin, or when a wall meter or the recording broke since
        the begin mark; others are disclosed.
        """
        lab, server, meters = self._context.lab, self._context.server, self.record.meters
        require_same_meters(meters, lab.identities(server.id))
        problems = [
            problem
            for problem in lab.recorder.problems(self.record.run_id)
            if problem not in self._phases.problems_before
        ]
        others = (host_source(server), *(meter.name for meter in meters if meter.role != "wall"))
        serious = [problem for problem in problems if not problem.startswith(tuple(f"{name} " for name in others))]
        if serious:
            raise Disturbed(serious[0])
        self._log.disclose(recording_problems=problems)

    async def _break_off(self, status: RunStatus, reason: str) -> None:
        phases = self._log.closed(mark_now(self._context.clock))
        await self._phases.drop()
        await self._clocks.stop()
        try:
            self._log.disclose(clock=self._clocks.facts())
        except WattmarkError as error:
            reason = f"{reason} {error}"
        try:
            await self._end_recording()
        except WattmarkError as error:
            reason = f"{reason} {error}"
        self._log.keep(status=status, reason=" ".join(reason.split()), phases=phases)
        await self._log.flush()

    async def _end_recording(self) -> None:
        """Stop the recording if it has started, and keep which limits of the bench were crossed in the window."""
        if not self._phases.recording:
            return
        self._phases.recording = False
        lab, record = self._context.lab, self.record
        await asyncio.shield(lab.recorder.end(record.run_id))
        if record.window_begin_ns is None or record.window_end_ns is None:
            return
        alarms = await lab.alarms(record.server, record.window_begin_ns, record.window_end_ns)
        if alarms is not None:
            self._log.disclose(alarms=alarms)
