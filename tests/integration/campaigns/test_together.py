"""Groups: servers whose runs are made at the same time, and which end, stop and are repeated as one."""

from __future__ import annotations

import asyncio
import json
import random
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from wattmark.bench.plan_rules import Graduated
from wattmark.campaigns.planning.planned import LEAD_S
from wattmark.campaigns.status import CampaignOut
from wattmark.campaigns.stored import find_campaign
from wattmark.results.data_folder import open_storage
from wattmark.results.verdicts import start_verdict, started_together
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import RunRecord, RunStatus

from ..sshd import Sshd
from .conftest import TICKER
from .test_rules import LEVELS, QUICK, STATED

GENEROUS_S = 1.0
"""What tells a start at one instant from two starts, on a machine however busy; a quiet one takes milliseconds."""
GROUP = {"configurations": ("a/two", "b/four"), "together": True}
LOST = "wall did not answer for 2.0 s from 03:04:05 UTC: no answer."


def second_server(sshd: Sshd) -> tuple[tuple[str, str], ...]:
    """What makes the bench of the tests one of two servers: this machine, and one behind an sshd."""
    address = sshd.address
    keys = f"identity_file: {address.identity_file}, known_hosts: {address.known_hosts}"
    b = f"""\
  - id: b
    access: {{ssh: {{host: {address.host}, port: {address.port}, user: {address.user}, {keys}}}}}
    configurations: [{{<<: *two, id: four}}]
meters:
"""
    feed = '  - {id: wall, model: x.y, url: "sim:m", feeds: [{server: a}]}\n'
    other = feed.replace("wall", "wall-b").replace("sim:m", "sim:n").replace("server: a", "server: b")
    return ("meters:\n", b), (feed, feed + other)


@pytest.fixture
def pair(campaign: Any, sshd: Sshd) -> Callable[..., Any]:
    """Make a runner of a group of two, by the changes to its plan."""

    def make(*replacements: tuple[str, str], **plan: Any) -> Any:
        return campaign.runner(*second_server(sshd), *replacements, **{**GROUP, **plan})

    return make


def by_server(campaign: Any) -> dict[str, list[RunRecord]]:
    records: dict[str, list[RunRecord]] = {"a": [], "b": []}
    for record in campaign.records():
        records[record.server].append(record)
    return records


def began(record: RunRecord, name: PhaseName) -> int:
    return next(phase.begin_ns for phase in record.phases if phase.name is name)


def when_measuring(campaign: Any, act: Callable[[], None]) -> None:
    """Act once, when both runs of the group measure."""

    def hear(out: CampaignOut) -> None:
        if [run.phase for run in out.under_way] == ["measure"] * 2:
            campaign.on_state = lambda _: None
            act()

    campaign.on_state = hear


def spoil(campaign: Any, server: str) -> Callable[[], None]:
    """Let the recorder lose the meter of one server's first run."""

    def lose() -> None:
        (record,) = by_server(campaign)[server]
        campaign.recorder.problems = lambda run_id: [LOST] if run_id == record.run_id else []

    return lose


async def none_left(campaign: Any) -> None:
    """Wait for the script of a server, which outlives its load by a second."""
    for _ in range(100):
        if not campaign.loads():
            return
        await asyncio.sleep(0.05)
    assert campaign.loads() == []


async def test_phases_go_in_step_and_measured_work_begins_at_one_instant(pair: Any, campaign: Any) -> None:
    out = await pair(repeats=2).run()
    assert out.state == "complete", out
    assert [(row.server, row.repeat, row.together) for row in out.runs] == [
        *(("a", 1, 0), ("b", 1, 0), ("a", 2, 2), ("b", 2, 2))
    ]
    records = by_server(campaign)
    for first, second in zip(records["a"], records["b"], strict=True):
        together, others = first.disclosure.together, second.disclosure.together
        assert together == others
        assert [run.run_id for run in together.runs] == [first.run_id, second.run_id]
        assert [phase.name for phase in first.phases] == [phase.name for phase in second.phases]
        for name in (PhaseName.IDLE, PhaseName.SETTLE, PhaseName.COOL_DOWN):
            assert abs(began(first, name) - began(second, name)) / 1e9 < GENEROUS_S
        assert together.spread_s < GENEROUS_S
        assert abs(together.began_ns["a"] - together.start_ns) / 1e9 < GENEROUS_S
        assert together.u_s > 0
        assert together.began_ns["a"] >= together.start_ns, "no sooner than agreed"
        for record in (first, second):
            assert record.window_begin_ns is not None
            assert abs(record.window_begin_ns - together.began_ns[record.server]) / 1e9 < GENEROUS_S, "its own window"
        print(f"spread {together.spread_s * 1e3:.1f} ms, u {together.u_s * 1e3:.1f} ms")  # noqa: T201 - a figure
    assert len({record.disclosure.together.barrier for record in records["a"]}) == 2
    assert started_together(records["b"][0])["started_with"] == ("a/two",)
    verdict = start_verdict(records["b"][0])
    assert (verdict.limit, verdict.unit) == (10.0, "ms")


async def test_progress_shows_every_run_of_the_group_and_the_first_where_there_is_room_for_one(
    pair: Any, campaign: Any
) -> None:
    out = await pair().run()
    shown = [state for state in campaign.states if state.under_way]
    assert {tuple(run.server for run in state.under_way) for state in shown} >= {("a", "b")}
    assert {state.run_index for state in shown} == {0}
    assert all(state.phase == state.under_way[0].phase for state in shown if state.under_way[0].server == "a")
    assert {run.phase for state in shown for run in state.under_way if run.server == "b"} >= {
        "idle",
        "settle",
        "measure",
    }
    assert (out.under_way, out.remaining_s) == ([], 0)
    left = [state.remaining_s for state in campaign.states]
    assert left[0] == pytest.approx(1.5 + LEAD_S), "the time of one run, not of two"


async def test_graduated_levels_of_a_group_are_shares_of_what_each_server_can_do(pair: Any, campaign: Any) -> None:
    most = "100 if 'SSH_CONNECTION' in os.environ else 200"
    rated = f"import os, time; time.sleep(0.2); print('%d ticks' % min(5 * int('{{level}}'), {most}))"
    rule = Graduated(percent=(50,), calibrate=1, offer=1000)
    out = await pair(LEVELS, STATED, **{**QUICK, **GROUP, "script": rated}, graduated=rule).run()
    assert [(row.server, row.level, row.state) for row in out.runs] == [
        (server, level, "complete") for level in ("calibration 1", "50 %", "active idle") for server in ("a", "b")
    ]
    records = by_server(campaign)
    assert [record.stated_throughput for record in records["a"]] == [200, 100, None]
    assert [record.stated_throughput for record in records["b"]] == [100, 50, None]
    assert [record.disclosure.task.level for record in records["b"]] == [1000, 10, None]
    idle = [record.disclosure.together for made in records.values() for record in made[2:]]
    assert idle[0] == idle[1], "active idle belongs to the group, without a start"
    assert idle[0].spread_s is None


@pytest.mark.parametrize("server", ["a", "b"])
async def test_a_lost_meter_of_one_repeats_the_group(server: str, pair: Any, campaign: Any) -> None:
    when_measuring(campaign, spoil(campaign, server))
    out = await pair().run()
    assert [row.state for row in out.runs] == ["complete"] * 2
    records = by_server(campaign)
    for name, (spoilt, repeated) in records.items():
        assert (spoilt.status, repeated.status) == (RunStatus.FAILED, RunStatus.COMPLETE), name
        assert spoilt.disclosure.repeatable
    other = "b" if server == "a" else "a"
    assert records[server][0].reason == LOST
    assert f"The run of {server}, which started together with this one" in str(records[other][0].reason)
    assert LOST in str(records[other][0].reason)
    assert records["a"][1].disclosure.together.barrier == records["b"][1].disclosure.together.barrier
    await none_left(campaign)


async def test_a_load_that_fails_on_one_server_ends_the_other_at_once_and_for_good(pair: Any, campaign: Any) -> None:
    broken = "import os, sys; 'SSH_CONNECTION' in os.environ and sys.exit('no memory'); " + TICKER
    out = await asyncio.wait_for(pair((TICKER, broken), measure_s=60).run(), 30)
    assert (out.state, [row.state for row in out.runs]) == ("failed", ["failed"] * 2)
    records = by_server(campaign)
    assert [len(made) for made in records.values()] == [1, 1], "a program that fails will fail again"
    assert "no memory" in str(records["b"][0].reason)
    assert "The run of b, which started together with this one, ended early" in str(records["a"][0].reason)
    await none_left(campaign)


async def test_a_connection_lost_in_the_window_repeats_the_group(campaign: Any, make_sshd: Callable[[], Sshd]) -> None:
    server = make_sshd()
    when_measuring(campaign, server.drop)
    out = await campaign.runner(*second_server(server), **GROUP).run()
    assert [row.state for row in out.runs] == ["complete"] * 2, [row.reason for row in out.runs]
    records = by_server(campaign)
    assert "The connection to" in str(records["b"][0].reason)
    assert "The run of b, which started together" in str(records["a"][0].reason)
    assert [[record.status for record in made] for made in records.values()] == [
        [RunStatus.FAILED, RunStatus.COMPLETE]
    ] * 2
    await none_left(campaign)


async def test_a_stop_ends_both_loads_and_the_group_is_resumed_as_one(pair: Any, campaign: Any) -> None:
    runner = pair(hold_s=60)
    when_measuring(campaign, runner.stop)
    broken = await asyncio.wait_for(runner.run(), 30)
    assert (broken.state, [row.state for row in broken.runs]) == ("aborted", ["aborted"] * 2)
    await none_left(campaign)
    stored = find_campaign(campaign.runs)
    stored = replace(stored, plan=stored.plan.model_copy(update={"hold_s": 0.1}))
    out = await pair(resume=stored).run()
    assert [(row.state, len(row.earlier)) for row in out.runs] == [("complete", 1)] * 2


KILLED = """
import asyncio, json, sys
from pathlib import Path
sys.path.insert(0, sys.argv[1])
from conftest import Campaign
from wattmark.results.data_folder import open_storage

async def main():
    folder = Path(sys.argv[2])
    campaign = Campaign(folder, open_storage(folder / "data").runs)
    campaign.on_state = lambda out: print(campaign.label, *(row.state for row in out.runs), flush=True)
    plan = {"configurations": ("a/two", "b/four"), "together": True, "repeats": 3}
    await campaign.runner(*map(tuple, json.loads(sys.argv[3])), **plan).run()

asyncio.run(main())
"""


async def test_a_killed_campaign_goes_on_with_whole_groups(campaign: Any, sshd: Sshd, tmp_path: Path) -> None:
    folder = tmp_path / "killed"
    folder.mkdir()
    moment_s = random.uniform(0, 1.5)
    print(f"killed {moment_s:.3f} s after the first group")  # noqa: T201 - the only trace of what chance decided
    here, changes = Path(__file__).parent, json.dumps(second_server(sshd))
    argv = [sys.executable, "-c", KILLED, str(here), str(folder), changes]
    with subprocess.Popen(argv, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        for line in process.stdout:
            label, *states = line.split()
            if states[:2] == ["complete"] * 2:
                break
        await asyncio.sleep(moment_s)
        process.send_signal(signal.SIGKILL)
    storage = open_storage(folder / "data")
    try:
        campaign.folder = folder
        campaign.runs, before = storage.runs, {record.run_id: record for record in storage.runs.all()}
        stored = find_campaign(campaign.runs)
        out = await campaign.runner(*second_server(sshd), resume=stored).run()
        records = campaign.records()
    finally:
        storage.close()
    assert (out.state, [row.state for row in out.runs]) == ("complete", ["complete"] * 6)
    assert [(row.server, row.repeat) for row in out.runs] == [(row.server, row.repeat) for row in stored.out.runs]
    barriers: dict[str, set[RunStatus]] = {}
    for record in records:
        barriers.setdefault(record.disclosure.together.barrier, set()).add(record.status)
    assert all(len(fates) == 1 for fates in barriers.values()), "the members of a group share one fate"
    assert list(barriers.values()).count({RunStatus.COMPLETE}) == 3
    done = [record for record in before.values() if record.order < 2]
    assert {record.run_id for record in done} == {row.run_id for row in out.runs[:2]}, "what was complete stays"
    campaign.label = label
    await none_left(campaign)
