"""What the window of a run tells: the work between the workload's own marks, and what else ran meanwhile."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from wattmark.campaigns.disclosure import work_facts
from wattmark.campaigns.load import ended
from wattmark.campaigns.processes import Processes, Snapshot, other_processes
from wattmark.campaigns.run_log import RunLog
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.trigger import Disturbed
from wattmark.workloads.work import Work

MAX_CLOCK_STEP_S = 0.1
"""UTC against monotonic time over a run. Beyond it, marks and readings may not belong together."""


class WindowLog:
    """Keeps what is learnt of the window, from its begin mark on."""

    def __init__(self, log: RunLog, processes: Processes | None) -> None:
        self._log = log
        self._processes = processes
        self._before: asyncio.Task[Snapshot] | None = None

    def begin(self) -> None:
        """Note what runs beside the load, where that can be told."""
        if self._processes is not None:
            self._before = asyncio.create_task(self._processes.snapshot())

    async def take(self, work: Work, declaration: Declaration, cpus: int) -> None:
        """Keep the work with its marks. Raises `Disturbed` when the clock here was set meanwhile."""
        if declaration.service is not None:
            work = replace(work, cpu_s=None)
        step_s = work.end.clock_step_s(work.begin)
        self._log.keep(
            phases=self._log.closed(work.end),
            window_begin_ns=work.begin.utc_ns,
            window_end_ns=work.end.utc_ns,
            throughput=work.intervals,
            response_times=work.response,
            stated_throughput=work.stated_rate,
        )
        self._log.disclose(**work_facts(work, cpus), clock_step_s=step_s)
        await self._name_others(work)
        if abs(step_s) > MAX_CLOCK_STEP_S:
            cause = f"The system clock was set by {step_s:+.3f} s during the measurement; marks and readings disagree."
            raise Disturbed(cause, "Let the clock settle before a campaign.")

    async def drop(self) -> None:
        """Want nothing more of what was begun."""
        if self._before is not None:
            await ended(self._before)

    async def _name_others(self, work: Work) -> None:
        """Name the processes that took CPU time in the window and are not of the load."""
        if self._processes is not None and self._before is not None:
            before, after = await self._before, await self._processes.snapshot()
            self._log.disclose(other_processes=other_processes(before, after, work.duration_s))
