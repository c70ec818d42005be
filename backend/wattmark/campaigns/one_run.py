"""One run: idle, settle, measure, hold, cool-down, with every phase stored as it comes."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from wattmark_drivers.clock import Clock

from wattmark.campaigns.disclosure import work_facts
from wattmark.campaigns.journal import Journal
from wattmark.campaigns.recorder_protocol import RunRecorder
from wattmark.errors import WattmarkError
from wattmark.inventory.plan import Plan
from wattmark.runs.record import Phase, PhaseName, RunRecord, RunStatus
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.hold import hold_load
from wattmark.workloads.marks import Mark, mark_now
from wattmark.workloads.measure import measure
from wattmark.workloads.prepared import prepared
from wattmark.workloads.trigger import Trigger, WorkloadFailed
from wattmark.workloads.work import Work

MAX_CLOCK_STEP_S = 0.1
"""UTC against monotonic time over a run. Beyond it, marks and readings may not belong together."""
HOST = "host"

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


class OneRun:
    """Carries out one run and keeps its record up to date. Whatever happens, the load is ended and the record tells."""

    def __init__(
        self, record: RunRecord, plan: Plan, declaration: Declaration, level: int | None, rooms: Rooms
    ) -> None:
        self.record = record
        self._plan = plan
        self._declaration = declaration
        self._level = level
        self._rooms = rooms
        self._recording = False
        self._workspace = ""
        self._known_problems: set[str] = set()

    async def carry_out(self) -> RunRecord:
        """Run all phases. A failing load or meter ends in the record; cancelling it leaves it "aborted"."""
        self._keep()
        await self._rooms.journal.flush()
        try:
            await self._prepared_phases()
            phases = self._closed(mark_now(self._rooms.clock).utc_ns)
            await self._end_recording()
            self._judge(phases)
            await self._rooms.journal.flush()
        except asyncio.CancelledError:
            await self._break_off(RunStatus.ABORTED, self._stopped_where())
            raise
        except (WattmarkError, OSError) as error:
            await self._break_off(RunStatus.FAILED, str(error))
        return self.record

    async def _prepared_phases(self) -> None:
        """Set the workload up before the first phase, so that its traces do not show in the idle watts."""
        seconds, trigger = self._plan.measure_s, self._rooms.trigger
        async with prepared(self._declaration, level=self._level, seconds=seconds, trigger=trigger) as self._workspace:
            await self._phases()

    async def _phases(self) -> None:
        plan, clock = self._plan, self._rooms.clock
        wanted = {meter.name for meter in self.record.meters} | {HOST}
        self._rooms.recorder.begin(self.record.run_id, self.record.server, wanted)
        self._recording = True
        if plan.idle_s:
            self._open(PhaseName.IDLE, plan.idle_s)
            await clock.sleep(plan.idle_s)
        self._take(await self._load(), await self._rooms.trigger.cpus())
        await self._hold()
        await self._rooms.journal.flush()
        if plan.cool_down_s:
            self._open(PhaseName.COOL_DOWN, plan.cool_down_s)
            await clock.sleep(plan.cool_down_s)

    async def _load(self) -> Work:
        """Settle under load, then measure with fresh processes; settling lasts until their own begin mark."""
        declaration, rooms, measure_s = self._declaration, self._rooms, self._plan.measure_s
        lead_in_s = declaration.lead_in_s(measure_s)
        self._open(PhaseName.SETTLE, max(self._plan.settle_s, lead_in_s))
        settle_s = self._plan.settle_s - lead_in_s
        if settle_s > 0:
            await self._hold_for(settle_s)
        return await measure(
            declaration,
            level=self._level,
            seconds=measure_s,
            trigger=rooms.trigger,
            clock=rooms.clock,
            on_begin=self._measuring,
            workspace=self._workspace,
        )

    async def _hold(self) -> None:
        """Keep the load up after the window."""
        if self._plan.hold_s:
            self._open(PhaseName.HOLD, self._plan.hold_s)
            await self._hold_for(self._plan.hold_s)

    async def _hold_for(self, seconds: float) -> None:
        await hold_load(
            self._declaration,
            level=self._level,
            seconds=seconds,
            trigger=self._rooms.trigger,
            clock=self._rooms.clock,
            workspace=self._workspace,
        )

    def _measuring(self, mark: Mark) -> None:
        self._known_problems = set(self._rooms.recorder.problems(self.record.run_id))
        self._open(PhaseName.MEASURE, sum(self._declaration.slices(self._plan.measure_s)), mark.utc_ns)

    def _take(self, work: Work, cpus: int) -> None:
        if self._declaration.service is not None:
            work = replace(work, cpu_s=None)
        step_s = work.end.clock_step_s(work.begin)
        self._keep(
            phases=self._closed(work.end.utc_ns),
            window_begin_ns=work.begin.utc_ns,
            window_end_ns=work.end.utc_ns,
            throughput=work.intervals,
            response_times=work.response,
            stated_throughput=work.stated_rate,
            disclosure={**self.record.disclosure, **work_facts(work, cpus), "clock_step_s": step_s},
        )
        if abs(step_s) > MAX_CLOCK_STEP_S:
            cause = f"The system clock was set by {step_s:+.3f} s during the measurement; marks and readings disagree."
            raise WorkloadFailed(cause, "Let the clock settle before a campaign.")

    def _judge(self, phases: tuple[Phase, ...]) -> None:
        """Fail the run when a wall meter or the recording broke since the begin mark; others are disclosed."""
        problems = [p for p in self._rooms.recorder.problems(self.record.run_id) if p not in self._known_problems]
        others = tuple(f"{name} " for name in (HOST, *(m.name for m in self.record.meters if m.role != "wall")))
        serious = [problem for problem in problems if not problem.startswith(others)]
        if serious:
            raise WorkloadFailed(serious[0])
        disclosure = {**self.record.disclosure, "recording_problems": problems}
        self._keep(status=RunStatus.COMPLETE, phases=phases, disclosure=disclosure)

    async def _break_off(self, status: RunStatus, reason: str) -> None:
        phases = self._closed(mark_now(self._rooms.clock).utc_ns)
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

    def _open(self, name: PhaseName, expected_s: float, begin_ns: int | None = None) -> None:
        now_ns = begin_ns or mark_now(self._rooms.clock).utc_ns
        self._keep(phases=(*self._closed(now_ns), Phase(name=name, begin_ns=now_ns)))
        self._rooms.on_phase(name, now_ns / 1e9, now_ns / 1e9 + expected_s)

    def _closed(self, end_ns: int) -> tuple[Phase, ...]:
        """Close the phase that is open."""
        return tuple(
            phase if phase.end_ns is not None else phase.model_copy(update={"end_ns": end_ns})
            for phase in self.record.phases
        )

    def _keep(self, **changes: Any) -> None:
        self.record = self.record.model_copy(update=changes)
        self._rooms.journal.put(self.record)
