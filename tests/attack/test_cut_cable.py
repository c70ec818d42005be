"""A load on another machine, whose cable, appliance or connection dies: nothing of it outlives its reason.

Review, row 11: the load went on for 150 s behind a cut cable, and for 931 s where the appliance had died too.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator

import pytest

from tests.integration.processes import lives

from ..integration.namespaces import cut_cable, server_on_a_cable
from ..integration.sshd import Sshd

__all__ = ["server_on_a_cable"]

UP_WITHIN_S = 60.0
GONE_WITHIN_S = 20.0
"""15 s are promised; the rest is for a machine that has other work."""
TOLD_WITHIN_S = 25.0
APPLIANCE = """
import asyncio, sys, time
from pathlib import Path
from tests.integration.processes import lives
from wattmark.hosts.address import SshAddress
from wattmark.hosts.connection import SshConnection
from wattmark.workloads.ssh.trigger import SshTrigger
from wattmark.core.errors import WorkloadFailed
from wattmark_drivers.clock import SystemClock

async def main():
    connection = SshConnection(SshAddress.model_validate_json(sys.argv[1]), Path.cwd())
    try:
        async with SshTrigger(connection, SystemClock(), "attacked").start(sys.argv[2:], lambda _: None) as run:
            status, _ = await run.wait()
            print(f"ended with status {status}: {run.error_tail}", flush=True)
    except WorkloadFailed as error:
        print(f"failed: {error}", flush=True)

asyncio.run(main())
"""
QUIET = 'while :; do :; done & echo $! >>"$0"; echo $$ >>"$0"; wait'
LOUD = """
while :; do :; done & echo $! >>"$0"; echo $$ >>"$0"
line=$(head -c 60000 /dev/zero | tr '\\0' x)
while :; do echo "$line"; echo "$line" >&2; sleep 0.02; done
"""
FORKING = """
env -i setsid sh -c '
  echo $$ >>"$0"; env -i setsid sh -c "echo \\$\\$ >>\\"\\$0\\"; while :; do sleep 1; done" "$0" &
' "$0"
echo $$ >>"$0"; exec sleep 1000
"""


class Service:
    """A process that runs a load on the server, and the numbers of the load's processes there."""

    def __init__(self, server: Sshd, script: str) -> None:
        self._pids = server.folder / "pids"
        self._pids.touch()
        argv = [sys.executable, "-c", APPLIANCE, server.address.model_dump_json(), "sh", "-c", script, str(self._pids)]
        self.process = subprocess.Popen(argv, stdout=subprocess.PIPE, text=True)

    def living(self) -> list[int]:
        """The load's processes that live."""
        return [int(pid) for pid in self._pids.read_text().split() if lives(int(pid))]

    def wait_until_up(self) -> None:
        deadline = time.monotonic() + UP_WITHIN_S
        while len(self._pids.read_text().split()) < 2:
            assert time.monotonic() < deadline, "the load did not start"
            assert self.process.poll() is None, self.last_words()
            time.sleep(0.05)
        time.sleep(4.0)  # the attack comes in the midst of a load, after the first heartbeats

    def seconds_until_gone(self, limit_s: float) -> float:
        """How long the load lives on [s], watched up to the limit."""
        begin = time.monotonic()
        while self.living() and time.monotonic() - begin < limit_s:
            time.sleep(0.05)
        return time.monotonic() - begin

    def last_words(self) -> str:
        """What it says of the run."""
        return self.process.communicate(timeout=TOLD_WITHIN_S)[0]

    def end(self) -> None:
        for pid in self.living():
            os.kill(pid, signal.SIGKILL)
        self.process.kill()
        self.process.communicate()


@pytest.fixture
def start(server_on_a_cable: Sshd) -> Iterator[Callable[[str], Service]]:
    started: list[Service] = []

    def begin(script: str) -> Service:
        started.append(Service(server_on_a_cable, script))
        started[-1].wait_until_up()
        return started[-1]

    yield begin
    for service in started:
        service.end()


def _report(what: str, seconds: float) -> None:
    sys.stdout.write(f"\n{what}: the load was gone after {seconds:.1f} s\n")


@pytest.mark.parametrize("script", [QUIET, LOUD, FORKING], ids=["quiet", "loud", "forking"])
def test_a_cut_cable_ends_the_load_there_and_the_run_here(start: Callable[[str], Service], script: str) -> None:
    """The cable of a server is cut while its load runs: a load that nobody measures must not heat the next run."""
    service = start(script)
    cut_cable()
    seconds = service.seconds_until_gone(GONE_WITHIN_S)
    _report("cable cut", seconds)
    assert service.living() == []
    assert "failed: The connection to" in service.last_words()


@pytest.mark.parametrize("script", [QUIET, LOUD, FORKING], ids=["quiet", "loud", "forking"])
def test_a_cut_cable_and_a_dead_appliance_end_the_load(start: Callable[[str], Service], script: str) -> None:
    """A power failure takes the appliance and the switch: no packet will ever tell the server. The review saw 931 s."""
    service = start(script)
    cut_cable()
    service.process.kill()
    seconds = service.seconds_until_gone(GONE_WITHIN_S)
    _report("cable cut and appliance dead", seconds)
    assert service.living() == []


def test_a_connection_that_is_killed_on_the_server_ends_the_load(
    start: Callable[[str], Service], server_on_a_cable: Sshd
) -> None:
    """Only the server's end of the connection dies, as when its sshd is killed."""
    service = start(QUIET)
    server_on_a_cable.drop()
    seconds = service.seconds_until_gone(GONE_WITHIN_S)
    _report("connection killed", seconds)
    assert service.living() == []
    assert "failed: The connection to" in service.last_words()


@pytest.mark.parametrize("script", [QUIET, LOUD], ids=["quiet", "loud"])
def test_an_appliance_that_stands_still_loses_its_load_and_says_so(
    start: Callable[[str], Service], script: str
) -> None:
    """Stopped for a minute, as a virtual machine is that is moved: what it did not see must not count as a run."""
    service = start(script)
    service.process.send_signal(signal.SIGSTOP)
    seconds = service.seconds_until_gone(GONE_WITHIN_S)
    _report("appliance stopped", seconds)
    assert service.living() == []
    time.sleep(60 - seconds)
    service.process.send_signal(signal.SIGCONT)
    log = service.last_words()
    assert "ended with status 143" in log or "failed: The connection to" in log
    if script == QUIET:
        assert "wattmark was not heard here for 12 s" in log or "failed: The connection to" in log
