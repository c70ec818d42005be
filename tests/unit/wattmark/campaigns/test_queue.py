"""The queue of plans: what its calendars add, what is started and when, and what a restart finds."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from types import SimpleNamespace
from typing import Any

import pytest
from wattmark.bench.bench import Bench
from wattmark.campaigns.queue.queue import ENDED, PlanQueue
from wattmark.campaigns.running import Campaigns
from wattmark.campaigns.status import CampaignOut, CampaignRun
from wattmark.core.errors import Conflict, InputError, NotFound, WattmarkError
from wattmark.results.data_folder import Storage

from tests.set_clock import SetClock

pytestmark = pytest.mark.anyio
NIGHTLY = {"configurations": ["a/two"], "schedule": {"calendar": "Mon..Fri 02:00"}}


def ns(text: str) -> int:
    return round(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp()) * 10**9


@pytest.fixture
def anyio_backend() -> str:
    return "asyncio"


class Lab:
    """A bench and the one campaign of a service; what it starts runs until the test ends it."""

    def __init__(self, bench: Bench, storage: Storage, clock: SetClock) -> None:
        self.bench, self.storage, self.clock = bench, storage, clock
        self.started: list[str] = []
        self.refusal: WattmarkError | None = None
        self.bench_changes = False
        self.measured: set[str] = set()
        self.restart()

    def restart(self) -> None:
        self.end: asyncio.Future[CampaignOut] | None = None
        self.campaigns = Campaigns(self._make, lambda _: None, self._never, self._never)
        bench_service: Any = SimpleNamespace(editor=SimpleNamespace(bench=self.bench), require_rest=self._require_rest)
        self.queue = PlanQueue(
            bench_service, self.campaigns, self.storage.runs, self.clock, UTC, self._require_unmeasured
        )

    def _make(self, plan: str, *_: Any) -> Any:
        if self.refusal is not None:
            raise self.refusal
        self.started.append(plan)
        self.end = asyncio.get_running_loop().create_future()

        async def run() -> CampaignOut:
            assert self.end is not None
            return await self.end

        return SimpleNamespace(run=run, stop=lambda: None)

    def _require_rest(self) -> None:
        if self.bench_changes:
            raise Conflict("The bench is being changed.", "Try again in a moment.")

    def _require_unmeasured(self, servers: frozenset[str]) -> None:
        if self.measured & servers:
            raise Conflict("The measurement 'x' of a is open.", "End it.")

    def _never(self, *_: Any) -> Any:
        pytest.fail("nothing is resumed")

    async def finish(self, state: str = "complete", message: str | None = None, run_id: str | None = "r0") -> None:
        """End the campaign that runs."""
        assert self.end is not None
        row = CampaignRun(
            order=0, server="a", configuration="two", workload="w", level="all", repeat=1, run_id=run_id,
            state="complete" if run_id else "planned",
        )  # fmt: skip
        out = {"state": state, "campaign_id": "c1", "plan": self.started[-1], "message": message, "runs": [row]}
        self.end.set_result(CampaignOut.model_validate(out))
        await self.campaigns.wait()
        await asyncio.sleep(0)

    async def at(self, text: str) -> None:
        """Let the queue look at an instant."""
        self.clock.ahead_ns = ns(text) - self.clock.now_ns
        await self.queue.step()

    def waits(self) -> list[str]:
        return [waiting.plan for waiting in self.queue.out().waiting]

    def ends(self) -> list[tuple[str, str, str | None]]:
        return [(taken.plan, taken.outcome, taken.message) for taken in self.queue.out().taken]


@pytest.fixture
def lab(make_bench: Callable[..., Bench], storage: Storage) -> Callable[..., Lab]:
    def make(begin: str = "2026-11-26 12:00:00", **plan: Any) -> Lab:
        return Lab(make_bench(**(NIGHTLY | plan)), storage, SetClock(ahead_ns=ns(begin)))

    return make


async def test_a_plan_is_started_when_its_calendar_elapses_and_once(lab: Callable[..., Lab]) -> None:
    room = lab()
    await room.at("2026-11-26 12:00:01")  # Thursday: the calendar begins to count
    await room.at("2026-11-27 01:59:59")
    assert room.started == []
    await room.at("2026-11-27 02:00:00")
    assert room.started == ["plan"]
    await room.at("2026-11-27 02:00:01")
    await room.finish()
    await room.at("2026-11-27 02:30:00")
    await room.at("2026-11-29 23:00:00")  # Sunday: no time since Friday
    assert room.started == ["plan"]
    taken = room.queue.out().taken[0]
    assert (taken.outcome, taken.campaign_id, taken.by) == ("complete", "c1", None)
    assert taken.due_s == ns("2026-11-27 02:00:00") * 1e-9
    assert room.queue.out().scheduled[0].next_s == ns("2026-11-30 02:00:00") * 1e-9


async def test_what_is_due_while_a_campaign_of_a_person_runs_waits_for_its_end(lab: Callable[..., Lab]) -> None:
    room = lab()
    await room.at("2026-11-26 12:00:01")
    room.campaigns.start("by hand")
    await room.at("2026-11-27 02:00:00")
    assert (room.started, room.waits()) == (["by hand"], ["plan"])
    assert room.queue.out().held == "The plan by hand is running."
    await room.finish()
    await room.at("2026-11-27 03:00:00")
    assert (room.started, room.waits()) == (["by hand", "plan"], [])


async def test_a_plan_waits_while_one_of_its_servers_is_measured_without_a_plan(lab: Callable[..., Lab]) -> None:
    room = lab()
    room.measured = {"a"}
    await room.queue.add("plan", "Ann")
    await room.queue.step()
    assert (room.started, room.queue.out().held) == ([], "The measurement 'x' of a is open.")
    room.measured = {"b"}
    await room.queue.step()
    assert (room.started, room.waits()) == (["plan"], [])


async def test_nothing_is_started_while_the_bench_is_changed_or_an_archive_is_imported(lab: Callable[..., Lab]) -> None:
    room = lab()
    await room.queue.add("plan", "Ann")
    room.bench_changes = True
    await room.queue.step()
    assert (room.started, room.queue.out().held) == ([], "The bench is being changed.")
    room.bench_changes = False
    with room.campaigns.kept_from_starting():
        await room.queue.step()
        assert (room.started, room.queue.out().held) == ([], "An archive is being imported.")
    await room.queue.step()
    assert room.started == ["plan"]


async def test_who_starts_a_campaign_just_then_goes_first_and_the_plan_keeps_its_turn(lab: Callable[..., Lab]) -> None:
    room = lab()
    await room.queue.add("plan", "Ann")
    room.refusal = Conflict("The bench is being changed.", "Try again in a moment.")
    await room.queue.step()
    assert (room.waits(), room.ends()) == (["plan"], [])


async def test_plans_run_in_the_order_that_people_give_them(lab: Callable[..., Lab]) -> None:
    room = lab()
    room.bench_changes = True
    for by in ("Ann", "Ben", "Cem"):
        await room.queue.add("plan", by)
    _, _, last = room.queue.out().waiting
    moved = await room.queue.move(last.entry, 0)
    assert [waiting.by for waiting in moved.waiting] == ["Cem", "Ann", "Ben"]
    left = await room.queue.remove(moved.waiting[1].entry)
    assert [waiting.by for waiting in left.waiting] == ["Cem", "Ben"]
    for change in (room.queue.remove("gone"), room.queue.move("gone", 0), room.queue.add("no such plan", "Ann")):
        with pytest.raises(NotFound):
            await change


async def test_a_refusal_is_recorded_and_not_tried_again(lab: Callable[..., Lab]) -> None:
    room = lab()
    room.refusal = InputError("There is no plan 'plan';", "known: none")
    await room.queue.add("plan", "Ann")
    await room.queue.step()
    await room.queue.step()
    assert (room.waits(), room.ends()) == ([], [("plan", "refused", "There is no plan 'plan'; known: none")])


async def test_a_campaign_whose_meter_does_not_answer_is_refused_with_its_words(lab: Callable[..., Lab]) -> None:
    room = lab()
    await room.queue.add("plan", "Ann")
    await room.queue.step()
    await room.finish("failed", "The meter m does not answer.", run_id=None)
    await room.queue.step()
    await room.queue.step()
    assert (room.started, room.ends()) == (["plan"], [("plan", "refused", "The meter m does not answer.")])


@pytest.mark.parametrize(
    ("missed", "started", "ends"),
    [("run", ["plan"], []), ("skip", [], [("plan", "skipped", "The service was off at that time.")])],
)
async def test_a_time_that_passed_while_the_service_was_off_counts_once_or_not_at_all(
    lab: Callable[..., Lab], missed: str, started: list[str], ends: list[Any]
) -> None:
    room = lab(schedule={"calendar": "Mon..Fri 02:00", "missed": missed})
    await room.at("2026-11-26 12:00:01")
    room.clock.ahead_ns = ns("2026-12-02 09:00:00") - room.clock.now_ns  # four times later
    room.restart()
    await room.queue.step()
    assert room.started == started
    if started:
        await room.finish()
    await room.queue.step()
    assert [taken for taken in room.ends() if taken[1] != "complete"] == ends
    await room.at("2026-12-03 02:00:00")
    assert room.started == [*started, "plan"]


async def test_a_restart_loses_nothing_and_starts_nothing_twice(lab: Callable[..., Lab]) -> None:
    room = lab()
    for by in ("Ann", "Ben"):
        await room.queue.add("plan", by)
    await room.queue.step()
    room.restart()  # killed while Ann's campaign ran
    await room.queue.step()
    assert room.ends()[-1] == ("plan", "interrupted", ENDED)
    assert room.started == ["plan", "plan"]
    assert room.queue.out().taken[0].by == "Ben"


async def test_a_plan_that_still_waits_is_not_queued_again_by_its_calendar(lab: Callable[..., Lab]) -> None:
    room = lab()
    await room.at("2026-11-26 12:00:01")
    room.bench_changes = True
    await room.at("2026-11-27 02:00:00")
    await room.at("2026-11-30 02:00:00")
    assert room.waits() == ["plan"]
    assert room.ends() == [("plan", "skipped", "The plan was still waiting or running from an earlier time.")]


@contextmanager
def full_disk(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:

        def refuse(*_: Any) -> None:
            raise Conflict("The disk is full.", "Free space.")

        patch.setattr(storage.runs, "put_document", refuse)
        yield


async def test_what_cannot_be_written_is_not_started(
    lab: Callable[..., Lab], storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = lab()
    await room.queue.add("plan", "Ann")
    with full_disk(storage, monkeypatch), pytest.raises(Conflict):
        await room.queue.step()
    assert (room.started, room.waits()) == ([], ["plan"])
