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
from wattmark.campaigns.queue.due import MISSED, STILL_THERE
from wattmark.campaigns.queue.queue import ENDED, ENDED_AT_START, PlanQueue
from wattmark.campaigns.running import Campaigns
from wattmark.campaigns.status import CampaignOut, CampaignRun
from wattmark.core.errors import Conflict, InputError, NotFound, StoreError, WattmarkError
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
        self._editor = SimpleNamespace(bench=self.bench)
        bench_service: Any = SimpleNamespace(editor=self._editor, require_rest=self._require_rest)
        self.queue = PlanQueue(
            bench_service, self.campaigns, self.storage.runs, self.clock, UTC, self._require_unmeasured
        )

    def set_plans(self, *changes: dict[str, Any]) -> None:
        """Give the bench its plan with each of these changes while the service runs."""
        plans = tuple(self.bench.plans[0].model_copy(update=changed) for changed in changes)
        self._editor.bench = self.bench.model_copy(update={"plans": plans})

    def _make(self, plan: str, show: Callable[[CampaignOut], None], _: Any) -> Any:
        if self.refusal is not None:
            raise self.refusal
        self.show = show
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
    [("run", ["plan"], []), ("skip", [], [("plan", "skipped", MISSED)])],
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
    room.show(CampaignOut(state="running", campaign_id="c1", plan="plan"))
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
    assert room.ends() == [("plan", "skipped", STILL_THERE)]


@contextmanager
def full_disk(storage: Storage, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    with monkeypatch.context() as patch:

        def refuse(*_: Any) -> None:
            raise StoreError("The disk is full.", "Free space.")

        patch.setattr(storage.runs, "put_document", refuse)
        yield


async def test_what_cannot_be_written_is_not_started(
    lab: Callable[..., Lab], storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = lab()
    await room.queue.add("plan", "Ann")
    with full_disk(storage, monkeypatch), pytest.raises(StoreError):
        await room.queue.step()
    assert (room.started, room.waits()) == ([], ["plan"])


async def test_a_calendar_that_was_away_begins_now(lab: Callable[..., Lab]) -> None:
    """Whoever takes a schedule away for the holidays and gives it back does not start a campaign with it."""
    room = lab()
    await room.at("2026-11-26 12:00:01")
    room.set_plans({"schedule": None})
    await room.at("2026-11-27 08:00:00")
    room.set_plans({})
    await room.at("2026-12-02 10:00:00")
    assert room.started == []
    await room.at("2026-12-03 02:00:00")
    assert room.started == ["plan"]


async def test_a_clock_that_was_wrong_for_a_while_stops_no_calendar(lab: Callable[..., Lab]) -> None:
    room = lab()
    await room.at("2026-11-26 12:00:01")
    await room.at("2031-11-28 02:00:00")  # a Friday; the clock is set right afterwards
    await room.finish()
    await room.at("2026-11-26 12:05:00")
    await room.at("2026-11-27 01:59:59")
    assert room.started == ["plan"]
    await room.at("2026-11-27 02:00:00")
    assert room.started == ["plan", "plan"]


async def test_a_clock_that_is_set_back_a_little_starts_no_plan_twice(lab: Callable[..., Lab]) -> None:
    room = lab()
    await room.at("2026-11-26 12:00:01")
    await room.at("2026-11-27 02:00:00")
    await room.finish()
    for text in ("2026-11-27 01:59:58", "2026-11-27 02:00:00", "2026-11-27 02:00:02"):
        await room.at(text)
    assert room.started == ["plan"]


@pytest.mark.parametrize(("seen", "started"), [("2026-11-27 02:04:00", ["plan"]), ("2026-11-27 08:00:00", [])])
async def test_a_machine_that_slept_at_the_time_missed_it(
    lab: Callable[..., Lab], seen: str, started: list[str]
) -> None:
    """The service did not stop; its clock goes on hours later."""
    room = lab(schedule={"calendar": "Mon..Fri 02:00", "missed": "skip"})
    await room.at("2026-11-26 12:00:01")
    await room.at("2026-11-27 01:59:00")
    await room.at(seen)
    assert room.started == started
    assert room.ends() == ([("plan", "started", None)] if started else [("plan", "skipped", MISSED)])


async def test_two_plans_that_are_due_at_once_run_one_after_the_other(lab: Callable[..., Lab]) -> None:
    room = lab()
    room.set_plans({}, {"name": "second"})
    await room.at("2026-11-26 12:00:01")
    await room.at("2026-11-27 02:00:00")
    assert (room.started, room.waits()) == (["plan"], ["second"])
    await room.finish()
    await room.at("2026-11-27 02:10:00")
    assert (room.started, room.waits()) == (["plan", "second"], [])


async def test_what_runs_is_not_forgotten_however_often_its_calendar_elapses(lab: Callable[..., Lab]) -> None:
    room = lab(schedule={"calendar": "minutely"})
    await room.at("2026-11-26 12:00:01")
    await room.at("2026-11-26 12:01:00")
    for minute in range(2, 300):
        await room.at(f"2026-11-26 {12 + minute // 60}:{minute % 60:02}:00")
    assert room.started == ["plan"]
    assert room.ends() == [("plan", "skipped", STILL_THERE), ("plan", "started", None)]
    await room.finish()
    await room.at("2026-11-26 17:00:30")
    assert ("plan", "complete", None) in room.ends()


async def test_an_end_that_cannot_be_written_is_written_when_it_can(
    lab: Callable[..., Lab], storage: Storage, monkeypatch: pytest.MonkeyPatch
) -> None:
    room = lab()
    await room.queue.add("plan", "Ann")
    await room.queue.step()
    await room.finish()
    with full_disk(storage, monkeypatch), pytest.raises(StoreError):
        await room.queue.step()
    await room.queue.step()
    assert room.ends() == [("plan", "complete", None)]


async def test_a_plan_that_a_crash_ended_at_its_start_is_not_called_a_campaign(lab: Callable[..., Lab]) -> None:
    """Before its instruments answer there is no campaign that could be resumed."""
    room = lab()
    await room.queue.add("plan", "Ann")
    await room.queue.step()
    room.restart()
    await room.queue.step()
    assert room.ends() == [("plan", "interrupted", ENDED_AT_START)]


async def test_who_waits_behind_an_operator_reads_that(lab: Callable[..., Lab]) -> None:
    room = lab()
    await room.queue.add("plan", "Ann")
    await room.queue.add("plan", "Ben")
    await room.queue.step()
    room.show(CampaignOut(state="waiting-for-operator", campaign_id="c1", plan="plan"))
    assert room.queue.out().held == "The plan plan waits for its operator."


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (StoreError("The disk is full.", "Free space."), "The disk is full. Free space."),
        (OSError("gone"), "OSError: gone"),
    ],
)
async def test_a_queue_that_fails_says_so_and_goes_on(
    lab: Callable[..., Lab], storage: Storage, monkeypatch: pytest.MonkeyPatch, error: Exception, words: str
) -> None:
    room = lab()
    await room.queue.add("plan", "Ann")
    held: list[str | None] = []

    def refuse(*_: Any) -> None:
        raise error

    async def sleep(_: float) -> None:
        held.append(room.queue.out().held)
        if room.started:
            raise asyncio.CancelledError
        failing.undo()

    with pytest.MonkeyPatch.context() as failing:
        failing.setattr(storage.runs, "put_document", refuse)
        monkeypatch.setattr(room.clock, "sleep", sleep)
        with pytest.raises(asyncio.CancelledError):
            await room.queue.run()
    assert held == [f"The queue rests after a failure and goes on by itself. {words}", None]
    assert room.started == ["plan"]
