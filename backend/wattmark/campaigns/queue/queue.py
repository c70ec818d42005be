"""The queue of plans: what waits is started in order, one at a time, and never beside anything else."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Mapping, Sequence
from datetime import tzinfo
from typing import Any

from pydantic import ValidationError
from wattmark_drivers.clock import Clock

from wattmark.bench.plan import Plan
from wattmark.bench.service import BenchService
from wattmark.campaigns.queue.due import scheduled, with_due, with_taken
from wattmark.campaigns.queue.entries import Outcome, QueueOut, StoredQueue, TakenPlan, WaitingPlan
from wattmark.campaigns.running import Campaigns
from wattmark.campaigns.status import CampaignOut
from wattmark.campaigns.stored import new_identifier
from wattmark.core.errors import Conflict, NotFound, StoreError, WattmarkError
from wattmark.runs.store import RunStore

log = logging.getLogger(__name__)

QUEUE_KIND = "queue"
QUEUE_NAME = "plans"
TICK_S = 1.0
AFTER_FAILURE_S = 60.0
"""How long nothing is tried after a failure, such as a queue that could not be written."""
MOST_WAITING = 100
ENDED = "wattmark ended while the campaign ran. Resume it on the page Campaigns."
ENDED_AT_START = (
    "wattmark ended as the plan started. Resume its campaign on the page Campaigns; where there is none, queue the "
    "plan again."
)


class PlanQueue:
    """Plans in the order in which they will be started.

    All methods belong to the event loop's thread. Every change is on disk before it counts, so a restart loses none.
    """

    def __init__(
        self,
        bench_service: BenchService,
        campaigns: Campaigns,
        runs: RunStore,
        clock: Clock,
        zone: tzinfo,
        require_unmeasured: Callable[[frozenset[str]], None],
    ) -> None:
        """``require_unmeasured`` raises `Conflict` where one of the servers is measured without a plan."""
        self._bench_service = bench_service
        self._campaigns = campaigns
        self._runs = runs
        self._clock = clock
        self._zone = zone
        self._require_unmeasured = require_unmeasured
        self._looked_ns = clock.utc_ns()
        """When calendars were followed last."""
        self._queue = _stored(runs)
        self._changing = asyncio.Lock()
        self._ending: asyncio.Task[CampaignOut] | None = None
        """Waits for the end of the campaign that the queue has started."""
        self._failure: str | None = None
        """Why the queue rests."""

    async def run(self) -> None:
        """Follow the calendars and start what waits, until cancelled. After a failure it rests, and goes on."""
        while True:
            try:
                await self.step()
            except Exception as error:
                log.warning("the queue of plans rests: %s", error, exc_info=not isinstance(error, WattmarkError))
                words = str(error) if isinstance(error, WattmarkError) else f"{type(error).__name__}: {error}"
                self._failure = f"The queue rests after a failure and goes on by itself. {words}"
            else:
                self._failure = None
            await self._clock.sleep(TICK_S if self._failure is None else AFTER_FAILURE_S)

    async def step(self) -> None:
        """Take what is due now, and start the first plan that waits if nothing else is under way."""
        await self._note_end()
        plans, now_ns, looked_ns = self._plans, self._clock.utc_ns(), self._looked_ns
        await self._change(lambda queue: with_due(queue, plans, now_ns, looked_ns, self._zone, new_identifier))
        self._looked_ns = now_ns
        if self._queue.waiting and self._held() is None:
            await self._start(self._queue.waiting[0])

    def out(self) -> QueueOut:
        """Return the queue as it is now."""
        now_ns = self._clock.utc_ns()
        return QueueOut(
            waiting=list(self._queue.waiting),
            held=self._failure or ((self._held() or "It starts now.") if self._queue.waiting else None),
            scheduled=scheduled(self._plans, now_ns, self._zone),
            taken=list(self._queue.taken),
        )

    async def add(self, plan: str, by: str) -> QueueOut:
        """Put a plan at the end of the queue. Raises `NotFound`, and `Conflict` where it is full."""
        names = [known.name for known in self._plans]
        if plan not in names:
            raise NotFound(f"There is no plan {plan[:80]!r}.", f"Plans of this bench: {', '.join(names) or 'none'}.")
        waiting = WaitingPlan(entry=new_identifier(), plan=plan, due_s=self._clock.utc_ns() * 1e-9, by=by)

        def added(queue: StoredQueue) -> StoredQueue:
            if len(queue.waiting) >= MOST_WAITING:
                raise Conflict(f"{MOST_WAITING} plans wait already.", "Remove one, or wait until one has run.")
            return queue.changed(waiting=(*queue.waiting, waiting))

        await self._change(added)
        return self.out()

    async def move(self, entry: str, position: int) -> QueueOut:
        """Move a plan that waits to a position, from 0. Raises `NotFound`."""

        def moved(queue: StoredQueue) -> StoredQueue:
            chosen = _waiting(queue, entry)
            others = [waiting for waiting in queue.waiting if waiting is not chosen]
            return queue.changed(waiting=(*others[:position], chosen, *others[position:]))

        await self._change(moved)
        return self.out()

    async def remove(self, entry: str) -> QueueOut:
        """Remove a plan that waits. Raises `NotFound`."""

        def removed(queue: StoredQueue) -> StoredQueue:
            chosen = _waiting(queue, entry)
            return queue.changed(waiting=tuple(waiting for waiting in queue.waiting if waiting is not chosen))

        await self._change(removed)
        return self.out()

    @property
    def _plans(self) -> Sequence[Plan]:
        return self._bench_service.editor.bench.plans

    def _held(self) -> str | None:
        """Explain why nothing is started now; None where it can be."""
        if self._ending is not None or self._campaigns.running:
            status = self._campaigns.status
            doing = "waits for its operator" if status.state == "waiting-for-operator" else "is running"
            return f"The plan {status.plan} {doing}."
        try:
            self._campaigns.require_free()
            self._bench_service.require_rest()
            first = next((plan for plan in self._plans if plan.name == self._queue.waiting[0].plan), None)
            self._require_unmeasured(first.servers if first else frozenset())
        except Conflict as conflict:
            return conflict.cause
        return None

    async def _start(self, waiting: WaitingPlan) -> None:
        """Start a plan. It leaves the queue first: after a crash it is not started a second time."""
        now_ns = self._clock.utc_ns()

        def left(queue: StoredQueue) -> StoredQueue:
            rest = queue.changed(waiting=tuple(other for other in queue.waiting if other.entry != waiting.entry))
            return with_taken(rest, waiting.plan, waiting.due_s, now_ns, "started", None, waiting.by)

        await self._change(left)
        try:
            self._campaigns.start(waiting.plan)
        except Conflict:
            # A person was faster: it keeps its turn.
            await self._change(lambda queue: _put_back(queue, waiting))
            return
        except WattmarkError as error:
            await self._finish("refused", str(error), None)
            return
        self._ending = asyncio.create_task(self._campaigns.wait(), name=f"queue {waiting.plan}")

    async def _note_end(self) -> None:
        """Write down how the campaign that the queue has started ended, or what wattmark left unended."""
        if self._ending is None:
            if (left := self._under_way) is not None:
                await self._finish("interrupted", ENDED if left.campaign_id else ENDED_AT_START, None)
            return
        if not self._ending.done():
            await self._note_campaign(self._campaigns.status)
            return
        status = self._ending.result()
        measured = any(row.run_id for row in status.runs)
        if status.state == "failed" and not measured:
            await self._finish("refused", status.message, status.campaign_id)
        else:
            await self._finish(_ENDS.get(status.state, "aborted"), status.message, status.campaign_id)
        self._ending = None

    @property
    def _under_way(self) -> TakenPlan | None:
        return next((taken for taken in self._queue.taken if taken.outcome == "started"), None)

    async def _note_campaign(self, status: CampaignOut) -> None:
        """Write down the campaign as soon as it has an identifier, so that it is known after a crash too."""
        started = self._under_way
        if started is not None and started.campaign_id is None and status.campaign_id is not None:
            await self._finish("started", None, status.campaign_id)

    async def _finish(self, outcome: Outcome, message: str | None, campaign_id: str | None) -> None:
        def finished(taken: TakenPlan) -> TakenPlan:
            if taken.outcome != "started":
                return taken
            known = campaign_id or taken.campaign_id
            return taken.changed(outcome=outcome, message=message, campaign_id=known)

        await self._change(lambda queue: queue.changed(taken=tuple(map(finished, queue.taken))))

    async def _change(self, change: Callable[[StoredQueue], StoredQueue]) -> None:
        """Apply a change and write the queue. Raises `StoreError`, and the queue is as it was."""
        async with self._changing:
            changed = change(self._queue)
            if changed is not self._queue:
                document = changed.model_dump(mode="json")
                await asyncio.to_thread(self._runs.put_document, QUEUE_KIND, QUEUE_NAME, document)
                self._queue = changed


_ENDS: Mapping[str, Outcome] = {"complete": "complete", "failed": "failed"}


def _put_back(queue: StoredQueue, waiting: WaitingPlan) -> StoredQueue:
    taken = tuple(other for other in queue.taken if other.outcome != "started")
    return queue.changed(waiting=(waiting, *queue.waiting), taken=taken)


def _waiting(queue: StoredQueue, entry: str) -> WaitingPlan:
    for waiting in queue.waiting:
        if waiting.entry == entry:
            return waiting
    raise NotFound(f"No plan {entry[:80]!r} waits in the queue.", "It was started or removed: read the queue again.")


def read_queue(name: str, document: dict[str, Any]) -> StoredQueue:
    """Read a stored queue. Raises `StoreError`."""
    try:
        return StoredQueue.model_validate(document)
    except ValidationError as error:
        raise StoreError(f"The queue {name} cannot be read ({error}).", "Queue the plans again.") from error


def _stored(runs: RunStore) -> StoredQueue:
    """Read the stored queue; one that cannot be read is reported, and an empty one returned."""
    try:
        document = runs.document(QUEUE_KIND, QUEUE_NAME)
        return StoredQueue() if document is None else read_queue(QUEUE_NAME, document)
    except StoreError as error:
        log.warning("the queue of plans cannot be read; it starts empty: %s", error)
        return StoredQueue()
