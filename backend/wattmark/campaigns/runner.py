"""Run a campaign: configuration by configuration, run by run, with the operator in between where needed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from itertools import groupby
from typing import Any, TypeVar
from uuid import uuid4

from wattmark_drivers.clock import Clock

from wattmark.campaigns.decisions import Decisions
from wattmark.campaigns.host_facts import describe_host
from wattmark.campaigns.journal import Journal
from wattmark.campaigns.known_latencies import KnownLatencies
from wattmark.campaigns.live_feed import LiveFeed
from wattmark.campaigns.memory_slots import memory_slots
from wattmark.campaigns.new_record import new_record
from wattmark.campaigns.one_run import OneRun, Rooms
from wattmark.campaigns.plan import expand
from wattmark.campaigns.planned import PlannedRun
from wattmark.campaigns.prepare import operator_request, run_prepare
from wattmark.campaigns.progress import Progress
from wattmark.campaigns.readiness import plan_problem
from wattmark.campaigns.recorder_protocol import RunRecorder
from wattmark.campaigns.run_table import RunTable
from wattmark.campaigns.status import CampaignOut
from wattmark.campaigns.stored import CAMPAIGN_KIND, START_KIND, StoredCampaign, same_table, start_document
from wattmark.campaigns.ticker import live_figures
from wattmark.campaigns.triggers import Triggers
from wattmark.errors import InputError, WattmarkError
from wattmark.inventory.bench import Bench
from wattmark.inventory.configuration import Configuration
from wattmark.inventory.plan import Plan
from wattmark.inventory.server import Server, host_source
from wattmark.runs.record import MeterRecord, RunRecord, RunStatus
from wattmark.runs.result import Result
from wattmark.storage.run_store import RunStore
from wattmark.workloads.commands import program_version
from wattmark.workloads.markers import MarkerBoard
from wattmark.workloads.trigger import Trigger

T = TypeVar("T")
TICK_S = 1.0


def new_identifier() -> str:
    """Make an identifier that no other run or campaign has."""
    return uuid4().hex[:16]


class Stopped(Exception):  # noqa: N818 - no error: the operator asked for it
    """The campaign was asked to stop."""


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
        resume: StoredCampaign | None = None,
    ) -> None:
        self._bench = bench
        self._plan = resume.plan if resume else plan
        self._runs = runs
        self._journal = Journal(runs)
        self._recorder = recorder
        self._meters = meters
        self._on_status = on_status
        self._evaluate = evaluate
        self._clock = clock
        self._new_id = new_id
        self._triggers = Triggers(clock, bench.folder, trigger)
        self._hosts: dict[str, dict[str, Any]] = {}
        self._board = board
        self._feed = feed
        self._resume = resume
        self._stop = asyncio.Event()
        self._operator = asyncio.Event()
        self._versions: dict[tuple[str, str], str | None] = {}
        self._under_way: OneRun | None = None
        self._latencies = KnownLatencies()

    def stop(self) -> None:
        """End the load and the campaign; `run` returns when every process is gone."""
        self._stop.set()

    def operator_ready(self) -> None:
        """Go on after the operator has brought the server to the configuration that was asked for."""
        self._operator.set()

    async def run(self) -> CampaignOut:
        """Run the campaign to its end. A failing run is recorded and the next one begins.

        Raises `InputError` when the plan cannot start and `StoreError` when nothing can be stored any more.
        """
        if problem := plan_problem(self._plan, self._bench):
            raise InputError(problem)
        if self._feed is None and (self._plan.limits or self._plan.settle or self._plan.cool_down):
            raise InputError("The plan has rules about live readings, and there are none.", "Take the rules out.")
        ticking = asyncio.create_task(self._tick())
        try:
            await self._triggers.clear(self._servers())
            await self._open()
            await self._all()
            await self._journal.flush()
        finally:
            ticking.cancel()
            self._journal.close()
            await self._triggers.close()
        return self._progress.out

    async def _open(self) -> None:
        """Make the run table, or find it again with what has become of its runs."""
        earlier = self._resume
        cpus = earlier.cpus if earlier else await self._cpus()
        planned = expand(self._plan, self._bench, cpus)
        campaign_id = (earlier.out.campaign_id if earlier else None) or self._new_id()
        self._table = RunTable(planned, self._plan.repeat_failed)
        if earlier:
            same_table(earlier, planned)
            await asyncio.to_thread(self._take_up, earlier, campaign_id)
        else:
            self._journal.put_document(START_KIND, campaign_id, start_document(self._plan, cpus, self._bench.file))
        out = earlier.out if earlier else None
        self._progress = Progress(campaign_id, self._plan.name, self._table, self._clock, self._show, out)
        self._decisions = Decisions(self._plan, self._bench, self._table)
        self._progress.change(state="running")

    def _take_up(self, earlier: StoredCampaign, campaign_id: str) -> None:
        """Read what the store has of the campaign; results are computed again from the samples."""
        self._runs.mark_interrupted()
        records = [record for record in self._runs.all() if record.campaign_id == campaign_id]
        self._table.take(records)
        self._table.skipped = {row.order: row.reason or "" for row in earlier.out.runs if row.state == "skipped"}
        for record in records:
            if record.status is RunStatus.COMPLETE:
                try:
                    result = self._table.results[record.run_id] = self._evaluate(record.run_id)
                    self._latencies.take(result)
                except WattmarkError:
                    continue

    async def _all(self) -> None:
        try:
            for place, block in groupby(self._table.planned, key=lambda run: run.place):
                runs = list(block)
                if any(self._reason_to_skip(run) is None for run in runs if self._table.due(run)):
                    await self._block(*self._bench.configuration(place), runs)
                else:
                    self._skip_due(runs)
        except Stopped:
            self._progress.change(state="aborted", message="Stopped by the operator.")
        except asyncio.CancelledError:
            self._progress.change(state="aborted", message="Stopped together with wattmark.")
            raise
        else:
            self._finish()

    def _skip_due(self, runs: Sequence[PlannedRun]) -> None:
        for run in runs:
            if self._table.due(run) and (reason := self._reason_to_skip(run)):
                self._table.skipped[run.order] = reason
                self._progress.skip(run, reason)

    def _reason_to_skip(self, run: PlannedRun) -> str | None:
        return self._decisions.reason_to_skip(run, self._progress.elapsed_s)

    async def _block(self, server: Server, configuration: Configuration, runs: list[PlannedRun]) -> None:
        try:
            if server.id not in self._hosts:
                self._hosts[server.id] = await describe_host(self._triggers.of(server), here=server.access.ssh is None)
            await self._prepare(server, configuration)
            self._hosts[server.id] = self._hosts[server.id] | await memory_slots(self._triggers.of(server))
        except WattmarkError as error:
            for run in filter(self._table.due, runs):
                self._fail(run, configuration, str(error))
            return
        for run in runs:
            if missing := await self._triggers.missing(server, self._bench.workload(run.workload)):
                if self._table.due(run):
                    self._fail(run, configuration, missing)
                continue
            while self._table.due(run):
                if self._reason_to_skip(run):
                    self._skip_due([run])
                else:
                    await self._one(run, server, configuration)

    async def _prepare(self, server: Server, configuration: Configuration) -> None:
        if server.prepare is None:
            return
        if self._stop.is_set():
            raise Stopped
        if server.prepare == "manual":
            self._operator.clear()
            self._progress.change(state="waiting-for-operator", message=operator_request(server, configuration))
            await self._until_stopped(self._operator.wait())
        else:
            self._progress.change(state="running", message=f"Preparing {server.id}/{configuration.id}.")
            hook = run_prepare(server.prepare, server, configuration, self._triggers.of(server))
            await self._until_stopped(hook)

    async def _one(self, run: PlannedRun, server: Server, configuration: Configuration) -> None:
        if self._stop.is_set():
            raise Stopped
        declaration, level = self._bench.workload(run.workload), self._decisions.level(run)
        record = self._record(run, configuration, await self._version(run.workload, server), level)
        rooms = Rooms(
            self._journal,
            self._recorder,
            self._triggers.of(server),
            self._clock,
            self._progress.phase,
            feed=self._feed,
            local=self._triggers.runs_here(server),
            host=host_source(server),
            board=self._board,
            stamps=self._triggers.stamps(server),
        )
        one = OneRun(record, self._plan, declaration, level, rooms, active_idle=run.task == "idle")
        self._progress.begin_run(run, record)
        self._under_way = one
        try:
            await self._until_stopped(one.carry_out())
        finally:
            self._under_way = None
            await self._ended(run, one.record)

    async def _ended(self, run: PlannedRun, record: RunRecord) -> None:
        result, note = None, None
        if record.status is RunStatus.COMPLETE:
            try:
                result = await asyncio.to_thread(self._evaluate, record.run_id)
            except WattmarkError as error:
                note = str(error)
        if result is not None:
            self._latencies.take(result)
        self._table.ended(record, result)
        self._progress.end_run(run, record, result, note)

    def _fail(self, run: PlannedRun, configuration: Configuration, reason: str) -> None:
        record = self._record(run, configuration, None, run.level_value)
        record = record.model_copy(update={"status": RunStatus.FAILED, "reason": " ".join(reason.split())})
        self._journal.put(record)
        self._table.ended(record, None)
        self._progress.end_run(run, record, None, None)

    def _record(
        self, run: PlannedRun, configuration: Configuration, program: str | None, level: int | None
    ) -> RunRecord:
        return new_record(
            run,
            level=level,
            attempt=len(self._table.attempts[run.order]) + 1,
            run_id=self._new_id(),
            campaign_id=self._progress.out.campaign_id,
            created_ns=self._clock.utc_ns(),
            plan=self._plan,
            configuration=configuration,
            declaration=self._bench.workload(run.workload),
            meters=self._meters(run.server),
            program=program,
            host=self._hosts.get(run.server, {}),
            known=self._latencies.facts(run.server),
        )

    def _servers(self) -> list[Server]:
        """List the servers of the plan, each once."""
        found = (self._bench.configuration(reference)[0] for reference in self._plan.configurations)
        return list({server.id: server for server in found}.values())

    async def _cpus(self) -> dict[str, int]:
        """Count the CPUs of each server that loads may use."""
        return {server.id: await self._triggers.of(server).cpus() for server in self._servers()}

    async def _version(self, workload: str, server: Server) -> str | None:
        key = (workload, server.id)
        if key not in self._versions:
            self._versions[key] = await program_version(self._bench.workload(workload), self._triggers.of(server))
        return self._versions[key]

    async def _until_stopped(self, work: Coroutine[Any, Any, T]) -> T:
        """Wait for work; when the campaign is stopped, cancel it and wait until it has cleaned up."""
        task, stop = asyncio.create_task(work), asyncio.create_task(self._stop.wait())
        try:
            await asyncio.wait({task, stop}, return_when=asyncio.FIRST_COMPLETED)
            if task.done():
                return task.result()
            self._progress.change(state="stopping", message="Ending the load.")
            raise Stopped
        finally:
            stop.cancel()
            if not task.done():
                task.cancel()
                await asyncio.wait({task})

    async def _tick(self) -> None:
        """Show live power and throughput; they are not stored."""
        while self._feed is not None:
            await self._clock.sleep(TICK_S)
            one = self._under_way
            if one is not None:
                now_s = self._clock.utc_ns() / 1e9
                self._on_status(self._progress.live(**live_figures(self._feed, one.record, one.so_far(), now_s)))

    def _finish(self) -> None:
        failed, total = self._progress.count("failed"), len(self._table.planned)
        skipped = self._progress.count("skipped")
        state = "failed" if failed and failed + skipped == total else "complete"
        parts = [f"{failed} of {total} runs failed."] if failed else []
        parts += [f"{skipped} of {total} runs were skipped."] if skipped else []
        self._progress.change(state=state, message=" ".join(parts) or None, run_index=None)

    def _show(self, out: CampaignOut) -> None:
        """Store the campaign as it stands, then tell everybody."""
        self._journal.put_document(CAMPAIGN_KIND, out.campaign_id or "", out.model_dump(mode="json"))
        self._on_status(out)
