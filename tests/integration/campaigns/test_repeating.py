"""Runs that other programs disturbed are repeated in their campaign."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from wattmark.campaigns.repeating import planned_again
from wattmark.campaigns.status import CampaignOut
from wattmark.campaigns.stored import StoredCampaign, find_campaign, newest_campaign
from wattmark.runs.record import RunStatus

RATED = "import time; time.sleep(0.2); print('10 ticks')"
STATED = ("reports: interval-amount", "reports: rate")
QUICK = {
    "configurations": ("a/two",), "idle_s": 0, "settle_s": 0, "hold_s": 0, "cool_down_s": 0, "repeats": 3,
    "script": RATED,
}  # fmt: skip


def with_repeats_of(stored: StoredCampaign, *orders: int) -> StoredCampaign:
    rows = [planned_again(row) if row.order in orders else row for row in stored.out.runs]
    return replace(stored, out=stored.out.model_copy(update={"runs": rows}))


async def test_disturbed_rows_alone_are_made_again_with_their_next_attempt(campaign: Any) -> None:
    first = await campaign.runner(STATED, **QUICK, time_budget_s=3600).run()
    stored = with_repeats_of(newest_campaign(campaign.runs), 0, 2)
    campaign.states.clear()
    # No time is left in the budget; what a person wants repeated is repeated all the same.
    no_time = stored.plan.model_copy(update={"time_budget_s": 0.001})
    out = await campaign.runner(STATED, script=RATED, resume=replace(stored, plan=no_time)).run()
    assert (out.state, out.campaign_id, out.started_s) == ("complete", first.campaign_id, first.started_s)
    assert out.ended_s > first.ended_s
    assert [(row.state, len(row.earlier)) for row in out.runs] == [("complete", 1), ("complete", 0), ("complete", 1)]
    assert [row.run_id == old.run_id for row, old in zip(out.runs, first.runs, strict=True)] == [False, True, False]
    assert [row.earlier[0].run_id for row in (out.runs[0], out.runs[2])] == [
        first.runs[0].run_id,
        first.runs[2].run_id,
    ]
    assert [(record.order, record.attempt, record.status) for record in campaign.records()] == [
        (0, 1, RunStatus.COMPLETE),
        (0, 2, RunStatus.COMPLETE),
        (1, 1, RunStatus.COMPLETE),
        (2, 1, RunStatus.COMPLETE),
        (2, 2, RunStatus.COMPLETE),
    ]
    beginning = campaign.states[0]
    assert [row.state for row in beginning.runs] == ["planned", "complete", "planned"]
    assert beginning.remaining_s == pytest.approx(2 * first.runs[0].expected_s, rel=0.01)


async def test_a_repetition_that_was_stopped_is_resumed(campaign: Any) -> None:
    await campaign.runner(STATED, **QUICK).run()
    stored = with_repeats_of(newest_campaign(campaign.runs), 0, 1)
    runner = campaign.runner(STATED, script=RATED, resume=stored)

    def stop(out: CampaignOut) -> None:
        if out.phase == "measure":
            runner.stop()

    campaign.on_state = stop
    stopped = await runner.run()
    campaign.on_state = lambda _: None
    assert [row.state for row in stopped.runs] == ["aborted", "planned", "complete"]
    out = await campaign.runner(STATED, script=RATED, resume=find_campaign(campaign.runs)).run()
    assert [(row.state, len(row.earlier)) for row in out.runs] == [("complete", 2), ("complete", 1), ("complete", 0)]
    assert [attempt.state for attempt in out.runs[0].earlier] == ["complete", "aborted"]
