"""The one campaign, what keeps it from starting, and when it has ended."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from wattmark.bench.plan import Plan
from wattmark.campaigns.running import Campaigns
from wattmark.campaigns.status import CampaignOut
from wattmark.core.errors import Conflict, StoreError


class _Started(Exception):
    """A runner was asked for."""


def campaigns(make: Callable[..., Any], published: Callable[[CampaignOut], None] = lambda _: None) -> Campaigns:
    return Campaigns(
        make, published, lambda _: pytest.fail("nothing is resumed"), lambda _: pytest.fail("nothing is repeated")
    )


def test_no_campaign_starts_while_archives_are_imported() -> None:
    def make(*_: Any) -> Any:
        raise _Started

    room = campaigns(make)
    with room.kept_from_starting():
        with room.kept_from_starting(), pytest.raises(Conflict, match="An archive is being imported"):
            room.start("plan")
        with pytest.raises(Conflict, match="An archive is being imported"):
            room.resume(None)
    with pytest.raises(_Started):
        room.start("plan")


@pytest.mark.anyio
@pytest.mark.parametrize("state", ["complete", "failed", "aborted"])
async def test_a_campaign_is_shown_as_ended_when_the_next_one_can_start(state: Any) -> None:
    """Its last records are written and its connections are closed after its last run."""
    closed = asyncio.Event()
    refused: list[str] = []

    def make(plan: str, show: Callable[[CampaignOut], None], _: Any) -> Any:
        async def run() -> CampaignOut:
            ended = CampaignOut(state=state, campaign_id=plan, plan=plan)
            show(ended)
            await closed.wait()
            return ended

        return SimpleNamespace(run=run, stop=lambda: None)

    def published(status: CampaignOut) -> None:
        if status.state == state and status.plan == "first":
            asyncio.get_running_loop().call_soon(start_next)

    def start_next() -> None:
        try:
            room.start("second")
        except Conflict as conflict:
            refused.append(str(conflict))

    room = campaigns(make, published)
    room.start("first")
    for _ in range(5):
        await asyncio.sleep(0)
    assert (room.running, room.status.state, refused) == (True, "running", [])
    first = asyncio.create_task(room.wait())
    await asyncio.sleep(0)
    closed.set()
    assert (await first).campaign_id == "first", "who waited for it hears how it ended, though the next one runs"
    assert refused == []
    assert (await room.wait()).campaign_id == "second"


@pytest.mark.anyio
async def test_a_plan_that_is_in_no_bench_file_is_run_and_named_like_any_other() -> None:
    """As that of a suite."""
    made: list[Plan] = []

    def make(plan: Plan, _: Callable[[CampaignOut], None], stored: Any) -> Any:
        async def run() -> CampaignOut:
            return CampaignOut(state="complete", plan=plan.name)

        assert stored is None
        made.append(plan)
        return SimpleNamespace(run=run, stop=lambda: None)

    room = campaigns(make)
    plan = Plan(name="suite-two", configurations=("s/c",), workloads=("paced.lu",))
    assert room.start(plan).plan == "suite-two"
    assert (await room.wait()).state == "complete"
    assert made == [plan]


@pytest.mark.anyio
async def test_what_cannot_be_written_at_the_end_fails_the_campaign() -> None:
    def make(plan: str, show: Callable[[CampaignOut], None], _: Any) -> Any:
        async def run() -> CampaignOut:
            show(CampaignOut(state="complete", plan=plan))
            raise StoreError("The disk is full.", "Free space.")

        return SimpleNamespace(run=run, stop=lambda: None)

    states: list[str] = []
    room = campaigns(make, lambda status: states.append(status.state))
    room.start("plan")
    assert (await room.wait()).message == "The disk is full. Free space."
    assert states == ["running", "failed"]
