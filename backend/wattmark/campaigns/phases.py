"""The phases of one run, in their order: idle, sync pattern, ramp, settle, measure, hold, cool-down, idle."""

from __future__ import annotations

from dataclasses import replace

from wattmark.campaigns.clock_log import ClockLog
from wattmark.campaigns.cooling import cool
from wattmark.campaigns.load import Load
from wattmark.campaigns.on_barrier import OnBarrier
from wattmark.campaigns.rooms import Job, Rooms
from wattmark.campaigns.run_log import RunLog
from wattmark.campaigns.warm_up import WarmUp
from wattmark.campaigns.window import WindowLog
from wattmark.runs.record import PhaseName
from wattmark.workloads.marks import Mark, mark_now
from wattmark.workloads.measure import measure
from wattmark.workloads.work import SoFar, Work

GAP_S = 0.3
"""How long before a common start the held load is ended, so that it has gone when the measured one begins [s]."""


class Phases:
    """Walks the phases of a job and logs each as it comes."""

    def __init__(self, job: Job, rooms: Rooms, log: RunLog, clocks: ClockLog) -> None:
        self.so_far: SoFar = lambda: None
        """Tells the work done in the window until now."""
        self.problems_before: set[str] = set()
        """What was wrong with the recording already when the window began."""
        self.recording = False
        self._job = job
        self._rooms = rooms
        self._log = log
        self._clocks = clocks
        self._window = WindowLog(log, rooms.processes)

    async def idle(self) -> None:
        """Measure a server of which nothing is asked: the window is as long as that of a load."""
        clock, plan = self._rooms.clock, self._job.plan
        await self._begin()
        await self._rest(PhaseName.IDLE, plan.idle_s)
        await self._ask_clock()
        await self._rooms.companions.meet()
        begin = mark_now(clock)
        self._measuring(begin)
        await clock.sleep(plan.measure_s)
        await self._take(Work(begin=begin, end=mark_now(clock)))

    async def loaded(self, workspace: str) -> None:
        """Measure the workload, whose files lie in ``workspace``, with everything that the plan wants around it."""
        plan, job, rooms = self._job.plan, self._job, self._rooms
        load = Load(job.declaration, job.level, rooms.trigger, rooms.clock, workspace)
        await self._begin()
        await self._rest(PhaseName.IDLE, plan.idle_s)
        await self._ask_clock()
        if plan.sync_pattern:
            await rooms.companions.meet()
            await self._sync(load)
        await rooms.companions.meet()
        await self._take(await self._warmed_up_and_measured(load))
        await self._hold(load)
        await self._ask_clock()
        await self._log.flush()
        await rooms.companions.meet()
        await self._cool_down()
        await rooms.companions.meet()
        await self._rest(PhaseName.IDLE, plan.idle_after_s)

    def sources(self) -> list[str]:
        """Name what is recorded of the server: its meters and its operating system."""
        return [*(meter.name for meter in self._log.record.meters), self._rooms.host]

    async def drop(self) -> None:
        """Want nothing more of a run that has broken off."""
        await self._window.drop()

    async def _begin(self) -> None:
        record = self._log.record
        self._rooms.recorder.begin(record.run_id, record.server, set(self.sources()))
        self.recording = True
        await self._clocks.begin()
        await self._rooms.companions.meet()

    async def _ask_clock(self) -> None:
        """Exchange stamps with the server between two phases, and store them."""
        await self._clocks.ask()
        self._log.disclose(**self._clocks.facts())

    async def _rest(self, name: PhaseName, seconds: float) -> None:
        if seconds:
            self._log.open(name, seconds)
            await self._rooms.clock.sleep(seconds)

    async def _sync(self, load: Load) -> None:
        """Idle, load, idle, ... idle; each pulse is stored with the marks of its real begin and end."""
        lengths_s = self._job.plan.sync_pulses_s
        self._log.open(PhaseName.SYNC, sum(lengths_s))
        for number, seconds in enumerate(lengths_s):
            if number % 2 == 0:
                await self._rooms.clock.sleep(seconds)
            else:
                self._log.add_pulse(await load.pulse(seconds))

    async def _warmed_up_and_measured(self, load: Load) -> Work:
        """Warm up, then measure with fresh processes; the phase before lasts until their own begin mark.

        Alone the measured program starts as soon as the held load has ended. In a group it is told the instant ahead,
        and the load is held until shortly before.
        """
        warm_up, companions = WarmUp(self._job.plan, load, self._rooms, self._log), self._rooms.companions
        async with warm_up.held() as held:
            await warm_up.until_ready(held)
            start = await companions.start(self._clocks)
            if start is None:
                await held.end()
                return await self._measure(load)
            held.end_in(start.mark.since(mark_now(load.clock)) - GAP_S)
            trigger = OnBarrier(load.trigger, start.there_ns)
            work = await self._measure(replace(load, trigger=trigger), start.mark)
            companions.began(await trigger.first.begun() if trigger.first else None)
            return work

    async def _measure(self, load: Load, begin: Mark | None = None) -> Work:
        return await measure(
            load.declaration,
            level=load.level,
            seconds=self._job.plan.measure_s,
            trigger=load.trigger,
            clock=load.clock,
            on_begin=self._measuring,
            workspace=load.workspace,
            on_running=self._running,
            board=self._rooms.board,
            begin=begin,
        )

    def _running(self, so_far: SoFar) -> None:
        self.so_far = so_far

    def _measuring(self, mark: Mark) -> None:
        self.problems_before = set(self._rooms.recorder.problems(self._log.record.run_id))
        expected_s = sum(self._job.declaration.slices(self._job.plan.measure_s))
        self._log.open(PhaseName.MEASURE, expected_s, mark)
        self._window.begin()

    async def _take(self, work: Work) -> None:
        self.so_far = lambda: None
        await self._window.take(work, self._job.declaration, await self._rooms.trigger.cpus())

    async def _hold(self, load: Load) -> None:
        """Keep the load up after the window."""
        seconds = self._job.plan.hold_s
        if seconds:
            self._log.open(PhaseName.HOLD, seconds)
            await load.hold(seconds)

    async def _cool_down(self) -> None:
        """Rest for a time, then until the server is cool enough."""
        plan, feed = self._job.plan, self._rooms.feed
        await self._rest(PhaseName.COOL_DOWN, plan.cool_down_s)
        if plan.cool_down is None or feed is None:
            return
        if not plan.cool_down_s:
            self._log.open(PhaseName.COOL_DOWN, plan.cool_down.at_most_s)
        self._log.disclose(cool_down=await cool(plan.cool_down, feed, self.sources(), self._rooms.clock))
