"""One run: idle, sync pattern, ramp, settle, measure, hold, cool-down, with every phase stored as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from wattmark_drivers.clock import Clock

from wattmark.campaigns.clock_log import ClockLog, Stamps
from wattmark.campaigns.cooling import cool
from wattmark.campaigns.disclosure import work_facts
from wattmark.campaigns.journal import Journal
from wattmark.campaigns.live_feed import LiveFeed, wall_names
from wattmark.campaigns.processes import Snapshot, other_processes, snapshot
from wattmark.campaigns.recorder_protocol import RunRecorder
from wattmark.campaigns.run_table import REPEATABLE
from wattmark.campaigns.settling import settled
from wattmark.campaigns.sync_pattern import pulse
from wattmark.campaigns.watchdog import watch
from wattmark.errors import WattmarkError
from wattmark.inventory.plan import Plan
from wattmark.runs.record import Phase, PhaseName, RunRecord, RunStatus
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.hold import hold_load
from wattmark.workloads.markers import MarkerBoard
from wattmark.workloads.marks import Mark, mark_now
from wattmark.workloads.measure import SoFar, measure
from wattmark.workloads.prepared import prepared
from wattmark.workloads.trigger import Disturbed, Trigger
from wattmark.workloads.work import Work

MAX_CLOCK_STEP_S = 0.1
"""UTC against monotonic time over a run. Beyond it, marks and readings may not belong together."""
HOST = "host"
LOOK_EVERY_S = 0.5

OnPhase = Callable[[PhaseName, float, float], None]
"""Hears name, begin and expected end [Unix seconds] of each phase."""


@dataclass(frozen=True, slots=True)
class Rooms:
    """What a run works with."""

    journal: Journal
    recorder: RunRecorder
    trigger: Trigger
    clock: Clock
    on_phase: OnPhase
    feed: LiveFeed | None = None
    """None: nothing is known of the meters before the end; rules about live readings must not be asked for then."""
    local: bool = True
    """The load runs on this machine, so that its other processes can be seen."""
    host: str = HOST
    """The source under which the server's operating system is recorded."""
    board: MarkerBoard | None = None
    """Where the marks of loads that others start arrive."""
    stamps: Stamps | None = None
    """The clock of the server; None: it is this machine's, which also stamps the readings."""


class OneRun:
    """Carries out one run and keeps its record up to date. Whatever happens, the load is ended and the record tells."""

    def __init__(
        self,
        record: RunRecord,
        plan: Plan,
        declaration: Declaration,
        level: int | None,
        rooms: Rooms,
        *,
        active_idle: bool = False,
    ) -> None:
        self.record = record
        self.so_far: SoFar = lambda: None
        """Tells the work done in the window until now."""
        self._plan = plan
        self._declaration = declaration
        self._level = level
        self._rooms = rooms
        self._active_idle = active_idle
        self._clocks = ClockLog(rooms.stamps, rooms.clock, plan.measure_s)
        self._recording = False
        self._workspace = ""
        self._known_problems: set[str] = set()
        self._before: asyncio.Task[Snapshot] | None = None

    async def carry_out(self) -> RunRecord:
        """Run all phases. A failing load or meter ends in the record; cancelling it leaves it "aborted"."""
        self._keep()
        await self._rooms.journal.flush()
        try:
            await self._within_limits()
            phases = self._closed(mark_now(self._rooms.clock))
            await self._end_recording()
            await self._clocks.end()
            self._disclose(**self._clocks.facts())
            self._clocks.require_steady(self.record.server)
            self._judge(phases)
            await self._rooms.journal.flush()
        except asyncio.CancelledError:
            await self._break_off(RunStatus.ABORTED, self._stopped_where())
            raise
        except (WattmarkError, OSError) as error:
            if isinstance(error, Disturbed):
                self._disclose(**{REPEATABLE: True})
            await self._break_off(RunStatus.FAILED, str(error))
        return self.record

    async def _within_limits(self) -> None:
        """Carry out the phases while a watchdog looks at the limits of the plan."""
        limits, feed = self._plan.limits, self._rooms.feed
        work = asyncio.create_task(self._prepared_phases())
        tasks: set[asyncio.Task[None]] = {work}
        if limits is not None and feed is not None:
            dog = watch(limits, feed, wall_names(self.record.meters), self._sources(), self._rooms.clock)
            tasks.add(asyncio.create_task(dog))
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in tasks:
                await _ended(task)
        for task in done:
            task.result()

    async def _prepared_phases(self) -> None:
        """Set the workload up before the first phase, so that its traces do not show in the idle watts."""
        if self._active_idle:
            await self._idle_phases()
            return
        seconds, trigger = self._plan.measure_s, self._rooms.trigger
        async with prepared(self._declaration, level=self._level, seconds=seconds, trigger=trigger) as self._workspace:
            await self._phases()

    async def _idle_phases(self) -> None:
        """Measure a server of which nothing is asked: the window is as long as that of a load."""
        clock, measure_s = self._rooms.clock, self._plan.measure_s
        self._begin_recording()
        await self._clocks.begin()
        await self._rest(PhaseName.IDLE, self._plan.idle_s)
        await self._ask_clock()
        begin = mark_now(clock)
        self._measuring(begin)
        await clock.sleep(measure_s)
        await self._take(Work(begin=begin, end=mark_now(clock)), await self._rooms.trigger.cpus())

    async def _phases(self) -> None:
        plan = self._plan
        self._begin_recording()
        await self._clocks.begin()
        await self._rest(PhaseName.IDLE, plan.idle_s)
        await self._ask_clock()
        if plan.sync_pattern:
            await self._sync()
        await self._warm_up()
        await self._take(await self._measure(), await self._rooms.trigger.cpus())
        await self._hold()
        await self._ask_clock()
        await self._rooms.journal.flush()
        await self._cool_down()
        await self._rest(PhaseName.IDLE, plan.idle_after_s)

    def _begin_recording(self) -> None:
        wanted = {meter.name for meter in self.record.meters} | {self._rooms.host}
        self._rooms.recorder.begin(self.record.run_id, self.record.server, wanted)
        self._recording = True

    async def _ask_clock(self) -> None:
        """Exchange stamps with the server between two phases, and store them."""
        await self._clocks.ask()
        self._disclose(**self._clocks.facts())

    async def _rest(self, name: PhaseName, seconds: float) -> None:
        if seconds:
            self._open(name, seconds)
            await self._rooms.clock.sleep(seconds)

    async def _sync(self) -> None:
        """Idle, load, idle, ... idle; each pulse is stored with the marks of its real begin and end."""
        lengths_s = self._plan.sync_pulses_s
        self._open(PhaseName.SYNC, sum(lengths_s))
        for number, seconds in enumerate(lengths_s):
            if number % 2 == 0:
                await self._rooms.clock.sleep(seconds)
                continue
            done = await pulse(
                self._declaration,
                level=self._level,
                seconds=seconds,
                trigger=self._rooms.trigger,
                clock=self._rooms.clock,
                workspace=self._workspace,
            )
            last = self.record.phases[-1]
            phase = last.model_copy(update={"pulses": (*last.pulses, done)})
            self._keep(phases=(*self.record.phases[:-1], phase))

    async def _warm_up(self) -> None:
        """Ramp and settle under one load; the lead-in of the measured program counts towards settling."""
        plan, rule = self._plan, self._plan.settle
        lead_in_s = self._declaration.lead_in_s(plan.measure_s)
        settle_s = 0.0 if rule else plan.settle_s - lead_in_s
        longest_s = plan.ramp_s + (rule.at_most_s if rule else max(0.0, settle_s))
        holding = asyncio.create_task(self._hold_for(longest_s))
        try:
            if plan.ramp_s:
                self._open(PhaseName.RAMP, plan.ramp_s)
                await self._while(holding, plan.ramp_s)
            self._open(PhaseName.SETTLE, rule.at_least_s if rule else max(plan.settle_s, lead_in_s))
            if rule:
                await self._settle(holding)
            else:
                await holding
        finally:
            await _ended(holding)

    async def _while(self, holding: asyncio.Task[None], seconds: float) -> None:
        """Let time pass under load. Raises what the load raises."""
        passed = asyncio.create_task(self._rooms.clock.sleep(seconds))
        try:
            await asyncio.wait({holding, passed}, return_when=asyncio.FIRST_COMPLETED)
            if holding.done():
                holding.result()
                await passed
        finally:
            passed.cancel()

    async def _settle(self, holding: asyncio.Task[None]) -> None:
        """Hold the load until the wall power is steady, at least and at most as long as the rule says."""
        rule, feed, clock = self._plan.settle, self._rooms.feed, self._rooms.clock
        assert rule is not None  # noqa: S101 - asked by the caller
        assert feed is not None  # noqa: S101 - the runner refuses a plan with live rules without a feed
        begin, walls = mark_now(clock), wall_names(self.record.meters)
        found: bool | None = None
        while not holding.done():
            now = mark_now(clock)
            if now.since(begin) >= rule.at_least_s:
                found = settled(feed, walls, rule, begin.utc_ns / 1e9, now.utc_ns / 1e9)
                if found or now.since(begin) >= rule.at_most_s:
                    break
            await self._while(holding, LOOK_EVERY_S)
        if holding.done():
            holding.result()
        self._disclose(settled={"steady": found, "after_s": mark_now(clock).since(begin), "over_s": rule.over_s})

    async def _measure(self) -> Work:
        """Measure with fresh processes; the phase before lasts until their own begin mark."""
        return await measure(
            self._declaration,
            level=self._level,
            seconds=self._plan.measure_s,
            trigger=self._rooms.trigger,
            clock=self._rooms.clock,
            on_begin=self._measuring,
            workspace=self._workspace,
            on_running=self._running,
            board=self._rooms.board,
        )

    def _running(self, so_far: SoFar) -> None:
        self.so_far = so_far

    async def _hold(self) -> None:
        """Keep the load up after the window."""
        if self._plan.hold_s:
            self._open(PhaseName.HOLD, self._plan.hold_s)
            await self._hold_for(self._plan.hold_s)

    async def _hold_for(self, seconds: float) -> None:
        if seconds <= 0:
            return
        await hold_load(
            self._declaration,
            level=self._level,
            seconds=seconds,
            trigger=self._rooms.trigger,
            clock=self._rooms.clock,
            workspace=self._workspace,
        )

    async def _cool_down(self) -> None:
        """Rest for a time, then until the server is cool enough."""
        plan, feed = self._plan, self._rooms.feed
        await self._rest(PhaseName.COOL_DOWN, plan.cool_down_s)
        if plan.cool_down is None or feed is None:
            return
        if not plan.cool_down_s:
            self._open(PhaseName.COOL_DOWN, plan.cool_down.at_most_s)
        self._disclose(cool_down=await cool(plan.cool_down, feed, self._sources(), self._rooms.clock))

    def _sources(self) -> list[str]:
        return [*(meter.name for meter in self.record.meters), self._rooms.host]

    def _measuring(self, mark: Mark) -> None:
        self._known_problems = set(self._rooms.recorder.problems(self.record.run_id))
        self._open(PhaseName.MEASURE, sum(self._declaration.slices(self._plan.measure_s)), mark)
        if self._rooms.local:
            self._before = asyncio.create_task(asyncio.to_thread(snapshot))

    async def _take(self, work: Work, cpus: int) -> None:
        self.so_far = lambda: None
        if self._declaration.service is not None:
            work = replace(work, cpu_s=None)
        step_s = work.end.clock_step_s(work.begin)
        self._keep(
            phases=self._closed(work.end),
            window_begin_ns=work.begin.utc_ns,
            window_end_ns=work.end.utc_ns,
            throughput=work.intervals,
            response_times=work.response,
            stated_throughput=work.stated_rate,
        )
        self._disclose(**work_facts(work, cpus), clock_step_s=step_s)
        await self._name_others(work)
        if abs(step_s) > MAX_CLOCK_STEP_S:
            cause = f"The system clock was set by {step_s:+.3f} s during the measurement; marks and readings disagree."
            raise Disturbed(cause, "Let the clock settle before a campaign.")

    async def _name_others(self, work: Work) -> None:
        """Name the processes that took CPU time in the window and are not of the load."""
        if self._before is not None:
            before, after = await self._before, await asyncio.to_thread(snapshot)
            found = await asyncio.to_thread(other_processes, before, after, work.duration_s)
            self._disclose(other_processes=found)

    def _judge(self, phases: tuple[Phase, ...]) -> None:
        """Fail the run when a wall meter or the recording broke since the begin mark; others are disclosed."""
        problems = [p for p in self._rooms.recorder.problems(self.record.run_id) if p not in self._known_problems]
        others = tuple(
            f"{name} " for name in (self._rooms.host, *(m.name for m in self.record.meters if m.role != "wall"))
        )
        serious = [problem for problem in problems if not problem.startswith(others)]
        if serious:
            raise Disturbed(serious[0])
        self._disclose(recording_problems=problems)
        self._keep(status=RunStatus.COMPLETE, phases=phases)

    async def _break_off(self, status: RunStatus, reason: str) -> None:
        phases = self._closed(mark_now(self._rooms.clock))
        await self._clocks.stop()
        self._disclose(**self._clocks.facts())
        try:
            await self._end_recording()
        except WattmarkError as error:
            reason = f"{reason} {error}"
        self._keep(status=status, reason=" ".join(reason.split()), phases=phases)
        await self._rooms.journal.flush()

    def _stopped_where(self) -> str:
        phase = next((phase.name.value for phase in self.record.phases if phase.end_ns is None), None)
        return f"Stopped {f'in phase {phase}' if phase else 'between phases'}; the load was ended."

    async def _end_recording(self) -> None:
        if self._recording:
            self._recording = False
            await asyncio.shield(self._rooms.recorder.end(self.record.run_id))

    def _open(self, name: PhaseName, expected_s: float, begin: Mark | None = None) -> None:
        now = begin or mark_now(self._rooms.clock)
        phase = Phase(name=name, begin_ns=now.utc_ns, begin_monotonic_ns=now.monotonic_ns)
        self._keep(phases=(*self._closed(now), phase))
        self._rooms.on_phase(name, now.utc_ns / 1e9, now.utc_ns / 1e9 + expected_s)

    def _closed(self, end: Mark) -> tuple[Phase, ...]:
        """Close the phase that is open."""
        marks = {"end_ns": end.utc_ns, "end_monotonic_ns": end.monotonic_ns}
        return tuple(
            phase if phase.end_ns is not None else phase.model_copy(update=marks) for phase in self.record.phases
        )

    def _disclose(self, **facts: Any) -> None:
        self._keep(disclosure={**self.record.disclosure, **facts})

    def _keep(self, **changes: Any) -> None:
        self.record = self.record.model_copy(update=changes)
        self._rooms.journal.put(self.record)


async def _ended(task: asyncio.Task[None]) -> None:
    """Cancel a task and wait until it has cleaned up; what it raises then matters no more."""
    task.cancel()
    await asyncio.wait({task})
    if not task.cancelled():
        task.exception()
