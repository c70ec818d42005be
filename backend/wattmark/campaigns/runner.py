"""Run a campaign: open its run table, make its runs, and tell how it stands."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from uuid import uuid4

from wattmark_drivers.clock import Clock

from wattmark.campaigns.blocks import Blocks
from wattmark.campaigns.course import Course
from wattmark.campaigns.decisions import Decisions
from wattmark.campaigns.equipment import Equipment
from wattmark.campaigns.installations import Installations
from wattmark.campaigns.journal import Journal
from wattmark.campaigns.live_feed import LiveFeed
from wattmark.campaigns.making import Making
from wattmark.campaigns.one_fate import changed_fates
from wattmark.campaigns.plan import expand
from wattmark.campaigns.progress import Progress
from wattmark.campaigns.readiness import plan_problem
from wattmark.campaigns.recorder_protocol import RunRecorder
from wattmark.campaigns.rooms import AlarmsWithin
from wattmark.campaigns.run_table import RunTable
from wattmark.campaigns.status import CampaignOut
from wattmark.campaigns.stopping import Stopped, StopSwitch
from wattmark.campaigns.stored import CAMPAIGN_KIND, START_KIND, StoredCampaign, same_table, start_document
from wattmark.campaigns.ticker import live_figures
from wattmark.campaigns.triggers import Triggers
from wattmark.campaigns.whereabouts import appliance_id
from wattmark.errors import InputError, WattmarkError
from wattmark.inventory.bench import Bench
from wattmark.inventory.plan import Plan
from wattmark.runs.record import MeterRecord, RunStatus
from wattmark.runs.result import Result
from wattmark.storage.run_store import RunStore
from wattmark.workloads.markers import MarkerBoard
from wattmark.workloads.trigger import Trigger

TICK_S = 1.0


def new_identifier() -> str:
    """Make an identifier that no other run or campaign has."""
    return uuid4().hex[:16]


class CampaignRunner:
    """Runs one plan once, or the rest of a campaign that did not come to its end (``resume``).

    All methods belong to the event loop's thread.
    """

    def __init__(
        self,
        bench: Bench,
        plan: Plan,
        *,
        runs: RunStore,
        recorder: RunRecorder,
        meters: Callable[[str], Sequence[MeterRecord]],
        on_status: Callable[[CampaignOut], None],
        evaluate: Callable[[str], Result],
        clock: Clock,
        new_id: Callable[[], str] = new_identifier,
        trigger: Trigger | None = None,
        board: MarkerBoard | None = None,
        feed: LiveFeed | None = None,
        alarms: AlarmsWithin | None = None,
        resume: StoredCampaign | None = None,
    ) -> None:
        self._runs = runs
        self._on_status = on_status
        self._resume = resume
        self._stop = StopSwitch(self._stopping)
        self._operator = asyncio.Event()
        self._equipment = Equipment(
            bench=bench,
            plan=resume.plan if resume else plan,
            clock=clock,
            journal=Journal(runs),
            recorder=recorder,
            triggers=Triggers(clock, bench.folder, trigger),
            meters=meters,
            evaluate=evaluate,
            new_id=new_id,
            board=board,
            feed=feed,
            alarms=alarms,
        )

    def stop(self) -> None:
        """End the load and the campaign; `run` returns when every process is gone."""
        self._stop.press()

    def operator_ready(self) -> None:
        """Go on after the operator has brought the server to the configuration that was asked for."""
        self._operator.set()

    async def run(self) -> CampaignOut:
        """Run the campaign to its end. A failing run is recorded and the next one begins.

        Raises `InputError` when the plan cannot start and `StoreError` when nothing can be stored any more.
        """
        of = self._equipment
        if problem := plan_problem(of.plan, of.bench):
            raise InputError(problem)
        if of.feed is None and (of.plan.limits or of.plan.settle or of.plan.cool_down):
            raise InputError("The plan has rules about live readings, and there are none.", "Take the rules out.")
        try:
            await of.clear()
            await self._open()
            await self._all()
            await of.journal.flush()
        finally:
            of.journal.close()
            await of.triggers.close()
        return self._course.progress.out

    async def _open(self) -> None:
        """Make the run table, or find it again with what has become of its runs."""
        of, earlier = self._equipment, self._resume
        cpus = earlier.cpus if earlier else await of.cpus()
        planned = expand(of.plan, of.bench, cpus)
        campaign_id = (earlier.out.campaign_id if earlier else None) or of.new_id()
        table = RunTable(planned, of.plan.repeat_failed)
        known = await asyncio.to_thread(self._runs.all)
        installations = Installations(known, campaign_id, of.new_id)
        appliance = appliance_id(self._runs, of.new_id)
        if earlier:
            same_table(earlier, planned)
            await asyncio.to_thread(self._take_up, table, earlier, campaign_id)
        else:
            of.journal.put_document(START_KIND, campaign_id, start_document(of.plan, cpus, of.bench.file))
        out = earlier.out if earlier else None
        progress = Progress(campaign_id, of.plan.name, table, of.clock, self._show, out)
        self._course = Course(table, progress, Decisions(of.plan, of.bench, table), of.evaluate)
        for result in table.results.values():
            self._course.latencies.take(result)
        self._making = Making(of, self._course, self._stop, installations, appliance)
        self._blocks = Blocks(of, self._course, self._making, self._stop, self._operator)
        progress.change(state="running")

    def _take_up(self, table: RunTable, earlier: StoredCampaign, campaign_id: str) -> None:
        """Read what the store has of the campaign; results are computed again from the samples."""
        self._runs.mark_interrupted()
        found = [record for record in self._runs.all() if record.campaign_id == campaign_id]
        changed = {one.run_id: one for one in changed_fates(found)}
        for record in changed.values():
            self._runs.put(record)
        records = [changed.get(record.run_id, record) for record in found]
        table.take(records)
        table.skipped = {row.order: row.reason or "" for row in earlier.out.runs if row.state == "skipped"}
        for record in records:
            if record.status is RunStatus.COMPLETE:
                try:
                    table.results[record.run_id] = self._equipment.evaluate(record.run_id)
                except WattmarkError:
                    continue

    async def _all(self) -> None:
        progress, ticking = self._course.progress, asyncio.create_task(self._tick())
        try:
            await self._blocks.walk()
        except Stopped:
            progress.change(state="aborted", message="Stopped by the operator.")
        except asyncio.CancelledError:
            progress.change(state="aborted", message="Stopped together with wattmark.")
            raise
        else:
            self._finish()
        finally:
            ticking.cancel()

    def _stopping(self) -> None:
        self._course.progress.change(state="stopping", message="Ending the load.")

    async def _tick(self) -> None:
        """Show live power and throughput; they are not stored."""
        of = self._equipment
        while of.feed is not None:
            await of.clock.sleep(TICK_S)
            now_s = of.clock.utc_ns() / 1e9
            figures = {
                order: live_figures(of.feed, one.record, one.so_far(), now_s)
                for order, one in self._making.under_way.items()
            }
            if figures:
                self._on_status(self._course.progress.live(figures))

    def _finish(self) -> None:
        progress, total = self._course.progress, len(self._course.table.planned)
        failed, skipped = progress.count("failed"), progress.count("skipped")
        state = "failed" if failed and failed + skipped == total else "complete"
        parts = [f"{failed} of {total} runs failed."] if failed else []
        parts += [f"{skipped} of {total} runs {'was' if skipped == 1 else 'were'} skipped."] if skipped else []
        progress.change(state=state, message=" ".join(parts) or None, run_index=None)

    def _show(self, out: CampaignOut) -> None:
        """Store the campaign as it stands, then tell everybody."""
        self._equipment.journal.put_document(CAMPAIGN_KIND, out.campaign_id or "", out.model_dump(mode="json"))
        self._on_status(out)
