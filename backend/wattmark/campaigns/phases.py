"""The phases of one run, in their order: idle, sync pattern, ramp, settle, measure, hold, cool-down, idle."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from wattmark.bench.plan_rules import SettleRule
from wattmark.bench.server import host_source
from wattmark.campaigns.context import RunContext
from wattmark.campaigns.disclosure import work_facts
from wattmark.campaigns.load import HeldLoad, Load, OnBarrier, ended
from wattmark.campaigns.record import RunLog
from wattmark.campaigns.watch.clock_log import ClockLog
from wattmark.campaigns.watch.live_feed import wall_names
from wattmark.campaigns.watch.processes import Snapshot, other_processes, other_programs
from wattmark.campaigns.watch.settling import LOOK_EVERY_S, cool, settled
from wattmark.core.errors import Disturbed
from wattmark.runs.disclosure import Settled, disclosing
from wattmark.runs.phase_name import PhaseName
from wattmark.workloads.marks import Mark, mark_now
from wattmark.workloads.measure import measure
from wattmark.workloads.pace import remark_on_pace
from wattmark.workloads.parsers.work import MarkedWork, SoFar

GAP_S = 0.3
"""How long before a common start the held load is ended, so that it has gone when the measured one begins [s]."""
MAX_CLOCK_STEP_S = 0.1
"""UTC against monotonic time over a run. Beyond it, marks and readings may not belong together."""


class Phases:
    """Walks the phases of a run and logs each as it comes."""

    def __init__(self, context: RunContext, log: RunLog, clocks: ClockLog) -> None:
        self.so_far: SoFar = lambda: None
        """Returns the work done in the window until now."""
        self.problems_before: set[str] = set()
        """Recording problems that already existed when the window began."""
        self.recording = False
        self._context = context
        self._plan = context.plan
        self._clock = context.clock
        self._member = context.member
        self._log = log
        self._clocks = clocks
        self._processes = context.campaign.servers.processes(context.server)
        self._processes_before: asyncio.Task[Snapshot] | None = None

    async def active_idle(self) -> None:
        """Measure an idle server, over a window as long as that of a load or as the plan says."""
        await self._begin()
        await self._rest(PhaseName.IDLE, self._plan.idle_s)
        await self._ask_clock()
        await self._member.meet()
        begin = mark_now(self._clock)
        self._measuring(begin, self._plan.active_idle_s)
        await self._clock.sleep(self._plan.active_idle_s)
        await self._take(MarkedWork(begin=begin, end=mark_now(self._clock)))

    async def loaded(self, workspace: str) -> None:
        """Measure the workload, whose files lie in ``workspace``, with everything that the plan wants around it.

        The servers of a group come to each phase together, and its clocks are asked between phases.
        """
        load = Load(self._context.declaration, self._context.level, self._context.trigger, self._clock, workspace)
        await self._begin()
        await self._rest(PhaseName.IDLE, self._plan.idle_s)
        await self._ask_clock()
        if self._plan.sync_pattern:
            await self._member.meet()
            await self._sync_pattern(load)
        await self._member.meet()
        async with self._held(load) as held_load:
            await self._ramp(held_load)
            await self._settle(held_load)
            work = await self._measure(load, held_load)
        await self._take(work)
        await self._hold(load)
        await self._ask_clock()
        await self._log.flush()
        await self._member.meet()
        await self._cool_down()
        await self._member.meet()
        await self._rest(PhaseName.IDLE, self._plan.idle_after_s)

    def sources(self) -> list[str]:
        """Return what is recorded of the server: its meters and its operating system."""
        return [*(meter.name for meter in self._log.record.meters), host_source(self._context.server)]

    async def drop(self) -> None:
        """Release everything held for a run that has broken off."""
        if self._processes_before is not None:
            await ended(self._processes_before)

    async def _begin(self) -> None:
        record = self._log.record
        self._context.lab.recorder.begin(record.run_id, record.server, set(self.sources()))
        self.recording = True
        await self._clocks.begin()
        await self._member.meet()

    async def _ask_clock(self) -> None:
        """Exchange stamps with the server between two phases, and store them."""
        await self._clocks.ask()
        self._log.disclose(clock=self._clocks.facts())

    async def _rest(self, name: PhaseName, seconds: float) -> None:
        if seconds:
            self._log.open(name, seconds)
            await self._clock.sleep(seconds)

    async def _sync_pattern(self, load: Load) -> None:
        """Idle, load, idle, ... idle; each pulse is stored with the marks of its real begin and end."""
        lengths_s = self._plan.sync_pulses_s
        self._log.open(PhaseName.SYNC, sum(lengths_s))
        for number, seconds in enumerate(lengths_s):
            if number % 2 == 0:
                await self._clock.sleep(seconds)
            else:
                self._log.add_pulse(await load.pulse(seconds))

    def _held(self, load: Load) -> HeldLoad:
        """Begin to hold the load for as long as ramp and settle may take; there is none where they take no time."""
        longest_s = self._plan.ramp_s + self._settle_s()
        return HeldLoad(load, longest_s + self._member.spare_s if longest_s else 0.0)

    def _settle_s(self) -> float:
        """Return how long the load is held to settle at most [s]; the lead-in of the measured program counts too."""
        rule = self._plan.settle
        return rule.at_most_s if rule else max(0.0, self._plan.settle_s - self._lead_in_s())

    def _lead_in_s(self) -> float:
        return self._context.declaration.lead_in_s(self._plan.measure_s)

    async def _ramp(self, held_load: HeldLoad) -> None:
        if self._plan.ramp_s:
            self._log.open(PhaseName.RAMP, self._plan.ramp_s)
            await held_load.during(self._plan.ramp_s)

    async def _settle(self, held_load: HeldLoad) -> None:
        """Hold the load until the server is ready to be measured. Raises `WorkloadFailed` when the load fails."""
        rule = self._plan.settle
        expected_s = rule.at_least_s if rule else max(self._plan.settle_s, self._lead_in_s())
        self._log.open(PhaseName.SETTLE, expected_s)
        if rule is not None:
            await self._until_steady(rule, held_load)
        elif self._member.spare_s:
            await held_load.during(self._settle_s())
        else:
            await held_load.to_its_end()

    async def _until_steady(self, rule: SettleRule, held_load: HeldLoad) -> None:
        """Hold the load until the wall power of every server is steady, as long as the rule says."""
        walls, begin, steady = wall_names(self._log.record.meters), mark_now(self._clock), None
        while not held_load.over:
            now = mark_now(self._clock)
            if now.since(begin) >= rule.at_least_s:
                steady = settled(self._context.lab.feed, walls, rule, begin.utc_ns / 1e9, now.utc_ns / 1e9)
                if self._member.all_steady(steady) or now.since(begin) >= rule.at_most_s:
                    break
            await held_load.during(LOOK_EVERY_S)
        after_s = mark_now(self._clock).since(begin)
        with disclosing():
            self._log.disclose(settled=Settled(steady=steady, after_s=after_s, over_s=rule.over_s))

    async def _measure(self, load: Load, held_load: HeldLoad) -> MarkedWork:
        """Measure with fresh processes; the phase before lasts until their own begin mark.

        Alone the measured program starts as soon as the held load has ended. In a group it is told the instant ahead,
        and the load is held until shortly before.
        """
        start = await self._member.start(self._clocks)
        if start is None:
            await held_load.end()
            return await self._work(load)
        held_load.end_in(start.mark.since(mark_now(self._clock)) - GAP_S)
        trigger = OnBarrier(load.trigger, start.there_ns)
        work = await self._work(replace(load, trigger=trigger), start.mark)
        self._member.began(await trigger.first.begun() if trigger.first else None)
        return work

    async def _work(self, load: Load, begin: Mark | None = None) -> MarkedWork:
        return await measure(
            load.declaration,
            level=load.level,
            seconds=self._plan.measure_s,
            trigger=load.trigger,
            clock=load.clock,
            on_begin=self._measuring,
            workspace=load.workspace,
            on_running=self._running,
            board=self._context.lab.board,
            begin=begin,
        )

    def _running(self, so_far: SoFar) -> None:
        self.so_far = so_far

    def _measuring(self, mark: Mark, expected_s: float | None = None) -> None:
        """Open the window: note what is wrong with the recording already, and what runs beside the load."""
        self.problems_before = set(self._context.lab.recorder.problems(self._log.record.run_id))
        if expected_s is None:
            expected_s = sum(self._context.declaration.slices(self._plan.measure_s))
        self._log.open(PhaseName.MEASURE, expected_s, mark)
        self._processes_before = asyncio.create_task(self._processes.snapshot())

    async def _take(self, work: MarkedWork) -> None:
        """Keep the outcome of the window, with its marks. Raises `Disturbed` when the clock here was set meanwhile."""
        self.so_far = lambda: None
        processes = None if self._processes_before is None else await self._processes.snapshot()
        cpus = await self._context.trigger.cpus()
        if self._context.declaration.service is not None:
            work = replace(work, cpu_s=None)
        step_s = work.end.clock_step_s(work.begin)
        self._log.keep(
            phases=self._log.closed(work.end),
            window_begin_ns=work.begin.utc_ns,
            window_end_ns=work.end.utc_ns,
            throughput=work.intervals,
            response_times=work.response,
            stated_throughput=work.stated_rate,
            source_figures=work.beside,
        )
        remarks = (*self._log.record.disclosure.notes, *work.remarks, *self._pace(work))
        self._log.disclose(window=work_facts(work, cpus), notes=remarks)
        if self._processes_before is not None and processes is not None:
            before = await self._processes_before
            self._log.disclose(
                other_processes=other_processes(before, processes, work.duration_s),
                other_programs=other_programs(before, processes),
            )
        if abs(step_s) > MAX_CLOCK_STEP_S:
            cause = (
                f"The system clock was changed by {step_s:+.3f} s during the measurement, so the times of markers and "
                "readings do not match."
            )
            raise Disturbed(cause, "Wait until the clock is synchronised before starting a campaign.")

    def _pace(self, work: MarkedWork) -> list[str]:
        """Say that a level was not held; nothing of a run that is to find the most."""
        if self._context.planned.task in ("calibrate", "idle"):
            return []
        said = remark_on_pace(self._context.declaration, self._context.level, work)
        return [] if said is None else [said]

    async def _hold(self, load: Load) -> None:
        """Keep the load up after the window."""
        seconds = self._plan.hold_s
        if seconds:
            self._log.open(PhaseName.HOLD, seconds)
            await load.hold(seconds)

    async def _cool_down(self) -> None:
        """Rest for a time, then until the server is cool enough."""
        rule = self._plan.cool_down
        await self._rest(PhaseName.COOL_DOWN, self._plan.cool_down_s)
        if rule is None:
            return
        if not self._plan.cool_down_s:
            self._log.open(PhaseName.COOL_DOWN, rule.at_most_s)
        with disclosing():
            self._log.disclose(cool_down=await cool(rule, self._context.lab.feed, self.sources(), self._clock))
