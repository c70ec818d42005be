"""Run a campaign: open its run table, walk it block by block and step by step, and report its progress."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from itertools import groupby

from wattmark.bench.plan import Plan
from wattmark.campaigns.context import Campaign, Lab
from wattmark.campaigns.installations import Installations
from wattmark.campaigns.lab_identity import appliance_id, recorded_by
from wattmark.campaigns.planning.decisions import Decisions
from wattmark.campaigns.planning.plan import expand
from wattmark.campaigns.planning.planned import Step, steps
from wattmark.campaigns.planning.readiness import plan_problem
from wattmark.campaigns.planning.run_table import RunTable, group_outcome
from wattmark.campaigns.preparation import Preparation
from wattmark.campaigns.progress import Progress
from wattmark.campaigns.repeating import orders_planned_again
from wattmark.campaigns.servers import Servers
from wattmark.campaigns.status import CampaignOut, ThroughputSoFar
from wattmark.campaigns.steps import StepExecution, fail_step
from wattmark.campaigns.stopping import Stopped, StopSwitch
from wattmark.campaigns.stored import (
    CAMPAIGN_KIND,
    START_KIND,
    Journal,
    StoredCampaign,
    new_identifier,
    same_table,
    start_document,
)
from wattmark.core.errors import InputError, WattmarkError
from wattmark.runs.record import RunStatus

TICK_S = 1.0


class CampaignRunner:
    """Runs one plan once, or the rest of an unfinished campaign (``resume``).

    All methods belong to the event loop's thread.
    """

    def __init__(
        self, lab: Lab, plan: Plan, on_status: Callable[[CampaignOut], None], resume: StoredCampaign | None = None
    ) -> None:
        self._lab = lab
        self._plan = resume.plan if resume else plan
        self._on_status = on_status
        self._resume = resume
        self._stop = StopSwitch(self._stopping)
        self._operator = asyncio.Event()
        self._journal = Journal(lab.runs)
        self._servers = Servers(lab.bench, self._plan, lab.clock)
        self._step: StepExecution | None = None
        """The step being executed now."""

    def stop(self) -> None:
        """Stop the load and the campaign; `run` returns when every process is gone."""
        self._stop.press()

    def operator_ready(self) -> None:
        """Continue after the operator has fitted the requested configuration to the server."""
        self._operator.set()

    def throughput(self) -> list[ThroughputSoFar]:
        """Return the work that the runs under way have reported so far."""
        return self._step.throughput() if self._step else []

    async def run(self) -> CampaignOut:
        """Run the campaign to its end, once its instruments answer. A failing run is recorded and the next one begins.

        Raises `InputError` when the plan cannot start, `StoreError` when nothing can be stored any more, and
        `WattmarkError` when an instrument does not answer.
        """
        await self._lab.instruments_answer(self._instruments(), self._plan.measure_s, lambda: self._stop.pressed)
        if problem := plan_problem(self._plan, self._lab.bench):
            raise InputError(problem)
        try:
            await self._servers.clear()
            for server in self._servers.all():
                await self._lab.power.restore(self._servers.machine(server))
            await self._open()
            await self._walk_to_the_end()
            await self._journal.flush()
        finally:
            self._journal.close()
            await self._servers.close()
        return self._campaign.progress.out

    def _instruments(self) -> set[str]:
        bench = self._lab.bench
        servers = self._plan.servers
        meters = {meter.id for server in servers for meter in bench.meters_of(server)}
        return meters | {bmc.id for server in servers for bmc in bench.bmcs_of(server)}

    async def _open(self) -> None:
        """Create the run table, or restore it with the outcomes of its runs."""
        lab, plan, earlier = self._lab, self._plan, self._resume
        cpus = earlier.cpus if earlier else await self._servers.cpus()
        planned = expand(plan, lab.bench, cpus)
        campaign_id = (earlier.out.campaign_id if earlier else None) or new_identifier()
        table = RunTable(planned, plan.repeat_failed)
        stored = await asyncio.to_thread(lab.runs.all)
        installations = Installations(stored, campaign_id, new_identifier)
        appliance = appliance_id(lab.runs, new_identifier)
        if earlier:
            same_table(earlier, planned)
            await asyncio.to_thread(self._take_up, table, earlier, campaign_id)
        else:
            start = await asyncio.to_thread(start_document, plan, cpus, lab.bench.file)
            self._journal.put_document(START_KIND, campaign_id, start)
        self._campaign = Campaign(
            lab,
            plan,
            self._servers,
            self._journal,
            table,
            Decisions(plan, lab.bench, table),
            Progress(campaign_id, plan.name, table, lab.clock, self._show, earlier.out if earlier else None),
            installations,
            recorded_by(lab.bench, appliance),
        )
        for result in table.results.values():
            self._campaign.latencies.take(result)
        self._preparation = Preparation(self._campaign, self._stop, self._operator)
        self._campaign.progress.change(state="running")

    def _take_up(self, table: RunTable, earlier: StoredCampaign, campaign_id: str) -> None:
        """Read what the store has of the campaign; results are computed again from the samples."""
        runs = self._lab.runs
        runs.mark_interrupted()
        stored = [record for record in runs.all() if record.campaign_id == campaign_id]
        changed = {record.run_id: record for record in group_outcome(stored)}
        for record in changed.values():
            runs.put(record)
        records = [changed.get(record.run_id, record) for record in stored]
        table.take(records)
        table.skipped = {row.order: row.reason or "" for row in earlier.out.runs if row.state == "skipped"}
        table.repeat(orders_planned_again(earlier.out))
        for record in records:
            if record.status is RunStatus.COMPLETE:
                try:
                    table.results[record.run_id] = self._lab.evaluate(record.run_id)
                except WattmarkError:
                    continue

    async def _walk_to_the_end(self) -> None:
        progress, ticking = self._campaign.progress, asyncio.create_task(self._tick())
        try:
            await self._walk()
        except Stopped:
            progress.change(state="aborted", message="Stopped by the operator.")
        except asyncio.CancelledError:
            progress.change(state="aborted", message="Stopped when wattmark was stopped.")
            raise
        else:
            self._finish()
        finally:
            ticking.cancel()

    async def _walk(self) -> None:
        """Execute all runs that are due, in their order, block by block: runs in the same configurations.

        Raises `Stopped` and `StoreError`; everything else ends in the records.
        """
        campaign = self._campaign
        for places, runs in groupby(campaign.table.planned, key=lambda run: run.places):
            block = steps(runs)
            if any(map(campaign.wanted, block)):
                await self._block(places, block)
            else:
                for step in block:
                    campaign.skip_if_due(step)

    async def _block(self, places: Sequence[str], block: Sequence[Step]) -> None:
        campaign = self._campaign
        try:
            await self._preparation.bring_about(places)
        except WattmarkError as error:
            for step in filter(campaign.due, block):
                await fail_step(campaign, step, str(error))
            return
        for step in block:
            if missing := await self._preparation.missing_program(step):
                if campaign.due(step):
                    await fail_step(campaign, step, missing)
                continue
            while campaign.due(step):
                if campaign.wanted(step):
                    await self._make(step)
                else:
                    campaign.skip_if_due(step)

    async def _make(self, step: Step) -> None:
        """Create the runs of a step at the same time. A failing run ends in its record. Raises `Stopped`."""
        await self._stop.until_stopped(self._preparation.reach_again(step))
        try:
            await self._preparation.renew(step)
        except WattmarkError as error:
            await fail_step(self._campaign, step, str(error))
            return
        self._stop.check()
        await self._stop.until_stopped(self._preparation.come_to_rest(step))
        try:
            await self._execute(step)
        finally:
            await self._preparation.restore_power(step)

    async def _execute(self, step: Step) -> None:
        """Create the runs of a step under its power settings."""
        try:
            await self._stop.until_stopped(self._preparation.set_power(step))
        except WattmarkError as error:
            await fail_step(self._campaign, step, str(error))
            return
        self._step = execution = await StepExecution.begin(self._campaign, step)
        try:
            await self._stop.until_stopped(execution.carry_out())
        finally:
            self._step = None
            await execution.end()

    def _stopping(self) -> None:
        self._campaign.progress.change(state="stopping", message="Ending the load.")

    async def _tick(self) -> None:
        """Show live power and throughput; they are not stored."""
        clock = self._lab.clock
        while True:
            await clock.sleep(TICK_S)
            if self._step is not None:
                figures = self._step.live_figures(clock.utc_ns() / 1e9)
                self._on_status(self._campaign.progress.live(figures))

    def _finish(self) -> None:
        progress, total = self._campaign.progress, len(self._campaign.table.planned)
        failed, skipped = progress.count("failed"), progress.count("skipped")
        state = "failed" if failed and failed + skipped == total else "complete"
        parts = [f"{failed} of {total} runs failed."] if failed else []
        parts += [f"{skipped} of {total} runs {'was' if skipped == 1 else 'were'} skipped."] if skipped else []
        progress.change(state=state, message=" ".join(parts) or None, run_index=None)

    def _show(self, out: CampaignOut) -> None:
        """Store the campaign's present state, then publish it."""
        self._journal.put_document(CAMPAIGN_KIND, out.campaign_id or "", out.model_dump(mode="json"))
        self._on_status(out)
