"""The runs of one step, which are made at the same time: begin their records, carry them out, take how they ended."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence
from typing import Any, Self

from wattmark.campaigns.context import Campaign, RunContext
from wattmark.campaigns.group import BarrierGroup, disclosed
from wattmark.campaigns.planning.planned import Step
from wattmark.campaigns.planning.run_table import group_outcome
from wattmark.campaigns.record import new_record
from wattmark.campaigns.run import RunExecution
from wattmark.campaigns.status import ThroughputSoFar
from wattmark.campaigns.stored import new_identifier
from wattmark.campaigns.watch.live_feed import live_figures, rates
from wattmark.campaigns.watch.quietness import still_loud
from wattmark.runs.record import RunStatus
from wattmark.workloads.http.trigger import Caller

log = logging.getLogger(__name__)


class StepExecution:
    """The runs of a step under way."""

    def __init__(self, campaign: Campaign, runs: dict[int, RunExecution], step: Step) -> None:
        self._campaign = campaign
        self._runs = runs
        self._step = step

    @classmethod
    async def begin(cls, campaign: Campaign, step: Step) -> Self:
        """Create the records of a step; those of a group know of one another from the beginning."""
        bench, servers = campaign.lab.bench, campaign.servers
        levels = [campaign.decisions.level(run) for run in step]
        records = []
        for run, level in zip(step, levels, strict=True):
            server, _ = bench.configuration(run.place)
            program = await servers.program_version(server, bench.workload(run.workload))
            records.append(new_record(campaign, run, level, program))
        if len(step) > 1:
            records = disclosed(records, new_identifier())
        members = BarrierGroup([run.server for run in step], campaign.lab.clock).members()
        runs = {}
        for run, level, record in zip(step, levels, records, strict=True):
            server, _ = bench.configuration(run.place)
            declaration = bench.workload(run.workload)
            trigger = servers.workload_trigger(server, declaration, Caller(record.run_id, server.id, run.variant))
            context = RunContext(campaign, run, server, declaration, level, trigger, members[run.server])
            runs[run.order] = RunExecution(context, record)
        for run in step:
            campaign.installations.begin_repeat(run)
        message = still_loud(campaign.quiet, (run.server for run in step))
        campaign.progress.begin_runs(list(zip(step, records, strict=True)), message)
        return cls(campaign, runs, step)

    async def carry_out(self) -> None:
        """Carry out the runs at the same time; when one breaks with an error of its own, the others are stopped."""
        tasks = [asyncio.create_task(run.carry_out()) for run in self._runs.values()]
        try:
            await asyncio.wait(tasks, return_when=asyncio.FIRST_EXCEPTION)
        except asyncio.CancelledError:
            for failure in await _stopped(tasks):
                log.error("A run that was stopped could not be ended in order: %s", failure)
            raise
        for failure in await _stopped(tasks):
            raise failure

    async def end(self) -> None:
        """Take how the runs ended; runs of a group count together."""
        records = [run.record for run in self._runs.values()]
        changed = {record.run_id: record for record in group_outcome(records)}
        for record in changed.values():
            self._campaign.journal.put(record)
        for run, record in zip(self._step, records, strict=True):
            await self._campaign.end_run(run, changed.get(record.run_id, record))

    def live_figures(self, now_s: float) -> dict[int, dict[str, Any]]:
        """Read what each run shows now, by its order."""
        feed = self._campaign.lab.feed
        return {order: live_figures(feed, run.record, run.so_far(), now_s) for order, run in self._runs.items()}

    def throughput(self) -> list[ThroughputSoFar]:
        """Tell what each run has reported of its work until now, and goes on telling it after the window."""
        so_far = [(run.record, run.so_far()) for run in self._runs.values()]
        return [
            ThroughputSoFar(
                run_id=record.run_id,
                unit=f"{record.unit}/s",
                rates=rates(record.throughput if work is None else work.intervals),
            )
            for record, work in so_far
        ]


async def _stopped(tasks: Sequence[asyncio.Task[None]]) -> list[BaseException]:
    """Stop tasks, wait for their end, and return what they raised."""
    for task in tasks:
        task.cancel()  # once: a second cancellation would interrupt the clean-up
    await asyncio.wait(tasks)
    return [failure for task in tasks if not task.cancelled() and (failure := task.exception()) is not None]


async def fail_step(campaign: Campaign, step: Step, reason: str) -> None:
    """Record that the runs of a step could not begin."""
    for run in step:
        record = new_record(campaign, run, run.level_value, None)
        record = record.changed(status=RunStatus.FAILED, reason=" ".join(reason.split()))
        campaign.journal.put(record)
        await campaign.end_run(run, record)
