"""Campaigns on a server whose clock is not ours: compared over the run, and the run spoilt when it is set."""

from __future__ import annotations

import asyncio
import shutil
import subprocess
import sys
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from wattmark.analysis.clocks.clocks import fit_clock
from wattmark.campaigns.planning.planned import LEAD_S
from wattmark.campaigns.repeating import disturbed_orders
from wattmark.campaigns.status import CampaignOut
from wattmark.hosts.clock import exchange
from wattmark.hosts.connection import SshConnection
from wattmark.results.latency import server_clock
from wattmark.results.undisturbed import OTHERS_LIMIT_PCT, undisturbed
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.workloads.ssh.barrier import spread, start_instants
from wattmark.workloads.ssh.trigger import SshTrigger
from wattmark_drivers.clock import SystemClock

from ..sshd import Sshd
from .test_rules import Feed, settle_rule
from .test_together import GROUP, second_server

AHEAD_S = 7.0
IN_STEP_S = 2.0
"""What tells one clock from two that are 7 s apart, on a machine however busy."""
DATE = """#!/bin/sh
now=$({date} +%s%N)
echo $(( now + $(cat {ahead}) ))
"""


def set_clock(server: Sshd, ahead_s: float) -> None:
    changed = server.folder / "ahead.new"
    changed.write_text(str(round(ahead_s * 1e9)))
    changed.replace(server.folder / "ahead")


@pytest.fixture
def ahead(make_sshd: Callable[[], Sshd]) -> Sshd:
    """A server whose clock is ahead: its sessions find another `date`, and dash for bash, which needs none."""
    server = make_sshd()
    server.stop()
    tools = server.folder / "bin"
    tools.mkdir()
    (tools / "date").write_text(DATE.format(date=shutil.which("date"), ahead=server.folder / "ahead"))
    (tools / "bash").write_text('#!/bin/sh\nexec dash "$@"\n')
    for tool in tools.iterdir():
        tool.chmod(0o755)
    set_clock(server, AHEAD_S)
    with (server.folder / "config").open("a") as config:
        config.write(f"SetEnv PATH={tools}:/usr/local/bin:/usr/bin:/bin\n")
    server.start()
    return server


async def run_on(server: Sshd, campaign: Any, **plan: Any) -> tuple[CampaignOut, list[RunRecord]]:
    address = server.address
    access = (
        f"access: {{ssh: {{host: {address.host}, port: {address.port}, user: {address.user}, "
        f"identity_file: {address.identity_file}, known_hosts: {address.known_hosts}}}}}"
    )
    runner = campaign.runner(("access: {local: true}", access), configurations=("a/two",), **plan)
    return await runner.run(), campaign.records()


async def test_the_clock_of_the_server_is_compared_over_the_run(ahead: Sshd, campaign: Any) -> None:
    # A load shorter than a log-in on a busy machine may be ended before it began.
    long = {"sync_pulses_s": (0.5, 1.2, 0.5, 1.4, 0.5), "settle_s": 1.5, "hold_s": 1.5}
    out, (record,) = await run_on(ahead, campaign, sync_pattern=True, **long)
    assert out.state == "complete", record.reason
    clock, facts = server_clock(record), record.disclosure.clock
    assert clock is not None
    assert len(record.disclosure.clock.exchanges) >= 24, "before, between phases, and after"
    assert abs(facts.offset_s - AHEAD_S) < 0.1
    assert clock.u_marks_s == facts.u_marks_s > 0
    assert not facts.stepped
    u_ms, marks_ms = facts.u_offset_s * 1e3, facts.u_marks_s * 1e3
    print(f"offset {facts.offset_s:.4f} s, u {u_ms:.2f} ms, of marks {marks_ms:.2f} ms")  # noqa: T201 - figures
    for load in record.disclosure.clock.loads:
        begun_ns = clock.fit.to_ours(load.begun_there_ns)
        assert abs(begun_ns - load.asked_ns) < 3e9, "seen by our clock, the program began when it was asked for"
        assert load.ended_there_ns > load.begun_there_ns
    pulses = [pulse for phase in record.phases for pulse in phase.pulses]
    assert len(pulses) == 2
    for pulse in pulses:
        assert abs(clock.fit.to_ours(pulse.begin_there_ns) - pulse.begin_ns) < 3e9
        assert pulse.begin_there_ns < pulse.end_there_ns


async def test_a_clock_set_during_the_run_fails_it_with_the_reason(ahead: Sshd, campaign: Any) -> None:
    def set_when_measuring(out: CampaignOut) -> None:
        if out.phase == "measure":
            set_clock(ahead, AHEAD_S + 0.5)

    campaign.on_state = set_when_measuring
    out, (record,) = await run_on(ahead, campaign, repeat_failed=0)
    assert out.state == "failed"
    assert record.status is RunStatus.FAILED
    assert record.reason is not None
    assert "The clock of a was changed during the run" in record.reason
    assert record.disclosure.repeatable
    assert record.disclosure.clock.stepped


async def test_a_load_here_says_that_there_is_one_clock(campaign: Any) -> None:
    await campaign.runner(configurations=("a/two",)).run()
    (record,) = campaign.records()
    assert "same clock" in record.disclosure.clock.remark
    assert server_clock(record) is None


async def test_a_group_whose_clocks_differ_pulses_settles_and_measures_in_step(ahead: Sshd, campaign: Any) -> None:
    feed = Feed(lambda s: 200.0 if s > 2.5 else 100 * s)
    rule = settle_rule(over_s=0.5, at_least_s=0.5, at_most_s=30)
    pulses = {"sync_pattern": True, "sync_pulses_s": (0.2, 0.4, 0.2, 0.6, 0.2)}
    out = await campaign.runner(*second_server(ahead), feed=feed, settle=rule, **pulses, **GROUP).run()
    assert [row.state for row in out.runs] == ["complete"] * 2, [row.reason for row in out.runs]
    here, there = campaign.records()
    together = there.disclosure.together
    assert abs(there.disclosure.clock.offset_s - AHEAD_S) < 0.5
    assert together.spread_s < IN_STEP_S, "by one clock, not 7 s"
    for phase, other in zip(here.phases, there.phases, strict=True):
        assert phase.name is other.name
        assert abs(phase.begin_ns - other.begin_ns) / 1e9 < IN_STEP_S
    assert [len(phase.pulses) for phase in there.phases if phase.name is PhaseName.SYNC] == [2]
    for record in (here, there):
        assert record.disclosure.settled.steady
        assert abs(record.window_begin_ns - together.start_ns) / 1e9 < IN_STEP_S


async def test_machines_whose_clocks_differ_by_seconds_start_together(ahead: Sshd, sshd: Sshd) -> None:
    clock, servers = SystemClock(), {"right": sshd, "ahead": ahead}
    connections = {name: SshConnection(server.address, server.folder) for name, server in servers.items()}
    clocks = {name: fit_clock(await exchange(connection, clock)) for name, connection in connections.items()}
    begin = start_instants(clock.utc_ns(), clocks, LEAD_S)

    async def begun(name: str) -> int:
        trigger = SshTrigger(connections[name], clock)
        async with trigger.start_at(["sleep", "0.1"], lambda _: None, begin_ns=begin[name]) as run:
            started = await run.begun()
            assert started is not None
            return started

    started = await asyncio.gather(*(begun(name) for name in connections))
    measured = spread(dict(zip(connections, started, strict=True)), clocks)
    print(f"spread {measured.spread_s * 1e3:.1f} ms, u {measured.u_s * 1e3:.1f} ms, clocks {AHEAD_S} s apart")  # noqa: T201 - figures
    assert started[1] - started[0] > 6e9, "each by its own clock"
    assert measured.spread_s < AHEAD_S / 2, "by one clock: how close depends on what else this machine does"
    for connection in connections.values():
        await connection.close()


async def test_programs_beside_a_load_on_another_server_disturb_its_run(sshd: Sshd, campaign: Any) -> None:
    """Such a run was ranked without a word: nobody knows the CPU time of the load itself there."""
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as burning:
        try:
            out, (record,) = await run_on(sshd, campaign, measure_s=3)
        finally:
            burning.kill()
    assert out.state == "complete", record.reason
    facts = record.disclosure
    assert facts.window.load_cpu_share_pct is None
    assert burning.pid in {process.pid for process in facts.other_processes}
    assert facts.other_programs.share_pct > OTHERS_LIMIT_PCT
    verdict = undisturbed(record, None, work_s := (record.window_end_ns - record.window_begin_ns) / 1e9)
    assert verdict.outcome == "fail"
    assert facts.other_programs.over_s == pytest.approx(work_s, abs=2.0)
    row = SimpleNamespace(failed_rules=[verdict.rule])
    assert disturbed_orders(out, {record.run_id: row}, {}) == {0}
