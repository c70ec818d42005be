"""Run a campaign: configuration by configuration, run by run, with the operator in between where needed."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine, Sequence
from functools import cached_property
from itertools import groupby
from typing import Any, TypeVar
from uuid import uuid4

from wattmark_drivers.clock import Clock

from wattmark.campaigns.disclosure import host_facts
from wattmark.campaigns.journal import Journal
from wattmark.campaigns.new_record import new_record
from wattmark.campaigns.one_run import OneRun, Rooms
from wattmark.campaigns.plan import PlannedRun, expand
from wattmark.campaigns.prepare import operator_request, run_prepare
from wattmark.campaigns.progress import Progress
from wattmark.campaigns.readiness import plan_problem
from wattmark.campaigns.recorder_protocol import RunRecorder
from wattmark.campaigns.status import CampaignOut
from wattmark.errors import InputError, WattmarkError
from wattmark.inventory.bench import Bench
from wattmark.inventory.configuration import Configuration
from wattmark.inventory.plan import Plan
from wattmark.inventory.server import Server
from wattmark.runs.record import MeterRecord, Result, RunRecord, RunStatus
from wattmark.storage.run_store import RunStore
from wattmark.workloads.commands import program_version
from wattmark.workloads.local import LocalTrigger
from wattmark.workloads.trigger import Trigger

T = TypeVar("T")
DOCUMENT_KIND = "campaign"


def new_identifier() -> str:
    """Make an identifier that no other run or campaign has."""
    return uuid4().hex[:16]


class Stopped(Exception):  # noqa: N818 - no error: the operator asked for it
    """The campaign was asked to stop."""


class CampaignRunner:
    """Runs one plan once. All methods belong to the event loop's thread."""

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
    ) -> None:
        self._bench = bench
        self._plan = plan
        self._journal = Journal(runs)
        self._recorder = recorder
        self._meters = meters
        self._on_status = on_status
        self._evaluate = evaluate
        self._clock = clock
        self._new_id = new_id
        self._trigger = trigger or LocalTrigger(clock, bench.folder)
        self._stop = asyncio.Event()
        self._operator = asyncio.Event()
        self._versions: dict[str, str | None] = {}

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
        await self._trigger.clear()
        planned = expand(self._plan, self._bench, await self._trigger.cpus())
        self._progress = Progress(self._new_id(), self._plan.name, planned, self._clock, self._show)
        self._progress.change(state="running")
        try:
            await self._all(planned)
            await self._journal.flush()
        finally:
            self._journal.close()
        return self._progress.out

    async def _all(self, planned: list[PlannedRun]) -> None:
        try:
            for place, block in groupby(planned, key=lambda run: f"{run.server}/{run.configuration}"):
                await self._block(*self._bench.configuration(place), list(block))
        except Stopped:
            self._progress.change(state="aborted", message="Stopped by the operator.")
        except asyncio.CancelledError:
            self._progress.change(state="aborted", message="Stopped together with wattmark.")
            raise
        else:
            self._finish(len(planned))

    async def _block(self, server: Server, configuration: Configuration, runs: list[PlannedRun]) -> None:
        try:
            await self._prepare(server, configuration)
        except WattmarkError as error:
            for run in runs:
                self._fail(run, configuration, str(error))
            return
        for run in runs:
            await self._one(run, configuration)

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
            await self._until_stopped(run_prepare(server.prepare, server, configuration, self._trigger))

    async def _one(self, run: PlannedRun, configuration: Configuration) -> None:
        if self._stop.is_set():
            raise Stopped
        declaration = self._bench.workload(run.workload)
        record = self._record(run, configuration, await self._version(run.workload))
        rooms = Rooms(self._journal, self._recorder, self._trigger, self._clock, self._progress.phase)
        one = OneRun(record, self._plan, declaration, run.level_value, rooms)
        self._progress.begin_run(run.order, record)
        try:
            await self._until_stopped(one.carry_out())
        finally:
            await self._ended(run, one.record)

    async def _ended(self, run: PlannedRun, record: RunRecord) -> None:
        result, note = None, None
        if record.status is RunStatus.COMPLETE:
            try:
                result = await asyncio.to_thread(self._evaluate, record.run_id)
            except WattmarkError as error:
                note = str(error)
        self._progress.end_run(run.order, record, result, note)

    def _fail(self, run: PlannedRun, configuration: Configuration, reason: str) -> None:
        record = self._record(run, configuration, None)
        record = record.model_copy(update={"status": RunStatus.FAILED, "reason": " ".join(reason.split())})
        self._journal.put(record)
        self._progress.end_run(run.order, record, None, None)

    def _record(self, run: PlannedRun, configuration: Configuration, program: str | None) -> RunRecord:
        return new_record(
            run,
            run_id=self._new_id(),
            campaign_id=self._progress.out.campaign_id,
            created_ns=self._clock.utc_ns(),
            plan=self._plan,
            configuration=configuration,
            declaration=self._bench.workload(run.workload),
            meters=self._meters(run.server),
            program=program,
            host=self._host,
        )

    @cached_property
    def _host(self) -> dict[str, Any]:
        return host_facts()

    async def _version(self, workload: str) -> str | None:
        if workload not in self._versions:
            self._versions[workload] = await program_version(self._bench.workload(workload), self._trigger)
        return self._versions[workload]

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

    def _finish(self, total: int) -> None:
        failed = self._progress.count("failed")
        state = "failed" if failed == total else "complete"
        message = f"{failed} of {total} runs failed." if failed else None
        self._progress.change(state=state, message=message, run_index=None)

    def _show(self, out: CampaignOut) -> None:
        """Store the campaign as it stands, then tell everybody."""
        self._journal.put_document(DOCUMENT_KIND, out.campaign_id or "", out.model_dump(mode="json"))
        self._on_status(out)
