"""The environment of a server is read over SSH as it is read here, by the same script."""

from __future__ import annotations

from pathlib import Path

from wattmark.campaigns.server_facts import describe_server
from wattmark.runs.differences import differences, known_on_one_side
from wattmark.workloads.local.local import LocalTrigger
from wattmark.workloads.ssh.trigger import SshTrigger
from wattmark_drivers.clock import SystemClock

from tests.server_tree import plant


async def test_a_server_elsewhere_states_what_it_states_here(trigger: SshTrigger, clock: SystemClock) -> None:
    host, here = await describe_server(LocalTrigger(clock, Path("/")), here=True)
    host_there, there = await describe_server(trigger, here=False)
    assert differences(here, there) == []
    assert known_on_one_side(here, there) == []
    assert here.kernel == host.kernel
    assert here.cpu_model
    assert here.lines_not_understood == there.lines_not_understood == 0
    assert host_there == host.changed(python=None)


async def test_a_tree_of_files_is_read_alike_on_both_ways(
    trigger: SshTrigger, clock: SystemClock, tmp_path: Path
) -> None:
    plant(tmp_path, {})
    _, here = await describe_server(LocalTrigger(clock, Path("/")), here=True, root=str(tmp_path))
    _, there = await describe_server(trigger, here=False, root=str(tmp_path))
    assert differences(here, there) == []
    assert (there.governor, there.turbo, there.smt) == ("performance", "on", "on")
