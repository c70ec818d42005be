"""One run from its record to its end: however it ends, the load is gone and the record tells how."""

from __future__ import annotations

import asyncio

from wattmark.campaigns.clock_log import ClockLog
from wattmark.campaigns.live_feed import wall_names
from wattmark.campaigns.load import ended
from wattmark.campaigns.phases import Phases
from wattmark.campaigns.rooms import Job, Rooms
from wattmark.campaigns.run_log import RunLog
from wattmark.campaigns.run_table import REPEATABLE
from wattmark.campaigns.same_meters import require_same_meters, watch_meters
from wattmark.campaigns.watchdog import watch
from wattmark.errors import WattmarkError
from wattmark.results.together import TOGETHER
from wattmark.runs.alarms import ALARMS
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.workloads.marks import mark_now
from wattmark.workloads.prepared import prepared
from wattmark.workloads.trigger import Disturbed
from wattmark.workloads.work import Work


class OneRun:
    """Carries out one run and keeps its record up to date. Whatever happens, the load is ended and the record tells."""

    def __init__(self, record: RunRecord, job: Job, rooms: Rooms) -> None:
        self._job = job
        self._rooms = rooms
        self._log = RunLog(record, rooms.journal, rooms.clock, rooms.on_phase)
        self._clocks = ClockLog(rooms.stamps, rooms.clock, job.plan.measure_s)
        self._phases = Phases(job, rooms, self._log, self._clocks)

    @property
    def record(self) -> RunRecord:
        """Give the record as it stands."""
        return self._log.record

    def so_far(self) -> Work | None:
        """Tell the work done in the window until now; None where there is none or it cannot be told."""
        return self._phases.so_far()

    async def carry_out(self) -> RunRecord:
        """Run all phases. A failing load or meter ends in the record; cancelling it leaves it "aborted"."""
        self._log.keep()
        await self._log.flush()
        try:
            await self._within_limits()
            phases = self._log.closed(mark_now(self._rooms.clock))
            await self._end_recording()
            await self._clocks.end()
            self._log.disclose(**self._clocks.facts())
            self._clocks.require_steady(self.record.server)
            self._judge()
            await self._compare_starts()
            self._log.keep(status=RunStatus.COMPLETE, phases=phases)
            await self._log.flush()
        except asyncio.CancelledError:
            await self._break_off(RunStatus.ABORTED, self._log.stopped_where())
            raise
        except (WattmarkError, OSError) as error:
            await self._rooms.companions.leave(str(error))
            if isinstance(error, Disturbed):
                self._log.disclose(**{REPEATABLE: True})
            await self._break_off(RunStatus.FAILED, str(error))
        return self.record

    async def _within_limits(self) -> None:
        """Carry out the phases while limits of the plan are kept, meters stay the same and no companion fails."""
        limits, feed, meters = self._job.plan.limits, self._rooms.feed, self._rooms.meters
        tasks = {
            asyncio.create_task(self._prepared_phases()),
            asyncio.create_task(self._rooms.companions.until_broken()),
        }
        if limits is not None and feed is not None:
            dog = watch(limits, feed, wall_names(self.record.meters), self._phases.sources(), self._rooms.clock)
            tasks.add(asyncio.create_task(dog))
        if meters is not None:
            tasks.add(asyncio.create_task(watch_meters(self.record.meters, meters, self._rooms.clock)))
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                await ended(task)
        for task in done:
            task.result()

    async def _prepared_phases(self) -> None:
        """Set the workload up before the first phase, so that its traces do not show in the idle watts."""
        job = self._job
        if job.active_idle:
            await self._phases.idle()
            return
        seconds, trigger = job.plan.measure_s, self._rooms.trigger
        async with prepared(job.declaration, level=job.level, seconds=seconds, trigger=trigger) as workspace:
            await self._phases.loaded(workspace)

    async def _compare_starts(self) -> None:
        """Wait for the other runs of the group, and disclose how far apart all of them started."""
        if found := await self._rooms.companions.compare(self._clocks):
            self._log.disclose(**{TOGETHER: {**self.record.disclosure[TOGETHER], **found}})

    def _judge(self) -> None:
        """Fail the run when a meter is another one than at the begin, or when a wall meter or the recording broke since
        the begin mark; others are disclosed.
        """
        if self._rooms.meters is not None:
            require_same_meters(self.record.meters, self._rooms.meters())
        found = self._rooms.recorder.problems(self.record.run_id)
        problems = [problem for problem in found if problem not in self._phases.problems_before]
        names = (self._rooms.host, *(meter.name for meter in self.record.meters if meter.role != "wall"))
        others = tuple(f"{name} " for name in names)
        serious = [problem for problem in problems if not problem.startswith(others)]
        if serious:
            raise Disturbed(serious[0])
        self._log.disclose(recording_problems=problems)

    async def _break_off(self, status: RunStatus, reason: str) -> None:
        phases = self._log.closed(mark_now(self._rooms.clock))
        await self._phases.drop()
        await self._clocks.stop()
        self._log.disclose(**self._clocks.facts())
        try:
            await self._end_recording()
        except WattmarkError as error:
            reason = f"{reason} {error}"
        self._log.keep(status=status, reason=" ".join(reason.split()), phases=phases)
        await self._log.flush()

    async def _end_recording(self) -> None:
        if self._phases.recording:
            self._phases.recording = False
            await asyncio.shield(self._rooms.recorder.end(self.record.run_id))
            await self._disclose_alarms()

    async def _disclose_alarms(self) -> None:
        """Keep which limits of the bench were crossed in the window."""
        begin_ns, end_ns = self.record.window_begin_ns, self.record.window_end_ns
        if self._rooms.alarms is None or begin_ns is None or end_ns is None:
            return
        if (found := await self._rooms.alarms(self.record.server, begin_ns, end_ns)) is not None:
            self._log.disclose(**{ALARMS: found.model_dump(mode="json")})
