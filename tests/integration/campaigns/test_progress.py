"""Loads that end before their time, and loads that stand still: real processes, and what their runs say of it."""

from __future__ import annotations

import asyncio
import os
import signal
from typing import Any

from wattmark.results.data_folder import Storage
from wattmark.results.evaluate import evaluate
from wattmark.results.ranking_bars import why_not_ranked
from wattmark.results.result import CLAIMS, Result, Verdict
from wattmark.runs.record import RunStatus

SHORT = "import time; [(print('5 ticks', flush=True), time.sleep(0.2)) for _ in range(16)]"
STOPPED_S = 4.0


def result_of(campaign: Any, storage: Storage) -> Result:
    (record,) = campaign.records()
    assert record.status is RunStatus.COMPLETE, record.reason
    return evaluate(record, storage.samples)


def verdict_of(result: Result, rule: str) -> Verdict | None:
    return next((verdict for verdict in result.verdicts if verdict.rule == rule), None)


async def test_a_load_that_ends_before_its_time_is_a_verdict_and_not_ranked(campaign: Any, storage: Storage) -> None:
    await campaign.runner(configurations=("a/two",), script=SHORT, measure_s=5).run()
    result = result_of(campaign, storage)
    verdict = verdict_of(result, "asked-length")
    assert verdict is not None
    assert (verdict.outcome, verdict.value, verdict.limit) == ("fail", result.window_s, 3.5)
    assert 3 <= (result.window_s or 0) < 3.5
    assert "the workload was asked for 5 s" in verdict.text
    assert all("the load ended early (rule asked-length)" in str(why_not_ranked(result, claim)) for claim in CLAIMS)


async def test_a_load_that_is_stopped_in_its_window_is_a_verdict_and_not_ranked(
    campaign: Any, storage: Storage
) -> None:
    running = asyncio.create_task(campaign.runner(configurations=("a/two",), measure_s=8).run())
    async with asyncio.timeout(60):
        while not any(out.phase == "measure" for out in campaign.states):
            await asyncio.sleep(0.05)
    await asyncio.sleep(1)
    loads = [int(pid) for pid in campaign.loads()]
    assert loads
    for pid in loads:
        os.kill(pid, signal.SIGSTOP)
    await asyncio.sleep(STOPPED_S)
    for pid in loads:
        os.kill(pid, signal.SIGCONT)
    await running
    result = result_of(campaign, storage)
    verdict = verdict_of(result, "standstill")
    assert verdict is not None
    assert verdict.outcome == "fail"
    assert verdict.limit == 2.0
    assert STOPPED_S <= (verdict.value or 0) <= result.window_s - 3
    assert all("the load paused (rule standstill)" in str(why_not_ranked(result, claim)) for claim in CLAIMS)


async def test_a_load_that_does_what_it_was_asked_passes_both(campaign: Any, storage: Storage) -> None:
    await campaign.runner(configurations=("a/two",), measure_s=3).run()
    result = result_of(campaign, storage)
    outcomes = {verdict.rule: verdict.outcome for verdict in result.verdicts}
    assert (outcomes["asked-length"], outcomes["standstill"]) == ("pass", "pass")


async def test_a_load_that_ends_when_its_work_is_done_was_asked_for_no_length(campaign: Any, storage: Storage) -> None:
    """A fixed amount of work, counted at the end: 0.5 s where the plan says 5 s."""
    batch = "import time; time.sleep(0.5); print('500 ticks', flush=True)"
    await campaign.runner(
        ("interval-amount", "total"), configurations=("a/two",), script=batch, measure_s=5, settle_s=0, hold_s=0
    ).run()
    result = result_of(campaign, storage)
    assert (result.window_s or 9) < 5
    verdict = verdict_of(result, "asked-length")
    assert verdict is not None
    assert verdict.outcome == "not-checked", "which bars nothing"
