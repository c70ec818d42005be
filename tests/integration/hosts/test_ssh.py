"""Loads on another machine, through a real sshd."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from uuid import uuid4

import pytest
from wattmark.analysis.clocks.clocks import fit_clock
from wattmark.campaigns.planning.planned import LEAD_S
from wattmark.core.errors import Disturbed, WorkloadFailed
from wattmark.hosts.clock import exchange
from wattmark.hosts.connection import SshConnection
from wattmark.hosts.files import SshFiles
from wattmark.hosts.probes.meter import HostMeter
from wattmark.workloads.catalogue import load_catalogue
from wattmark.workloads.declaration import Declaration
from wattmark.workloads.measure import measure
from wattmark.workloads.prepared import prepared
from wattmark.workloads.ssh.barrier import spread, start_instants
from wattmark.workloads.ssh.trigger import SshTrigger, owner_mark
from wattmark.workloads.trigger import OutputLine
from wattmark_drivers.clock import SystemClock

from ..processes import processes_with
from ..sshd import Sshd


async def until_gone(label: str) -> bool:
    for _ in range(400):
        if not processes_with(label):
            return True
        await asyncio.sleep(0.02)
    return False


async def test_a_workload_is_measured_on_another_machine(trigger: SshTrigger, clock: SystemClock) -> None:
    sign = load_catalogue()["openssl.rsa512-sign"]
    assert await trigger.cpus() == os.cpu_count() or await trigger.cpus() > 0
    work = await measure(sign, level=2, seconds=2, trigger=trigger, clock=clock, on_begin=lambda _: None)
    assert sum(item.amount for item in work.intervals) > 100
    assert work.duration_s == pytest.approx(2, abs=1)


async def test_files_are_placed_compiled_and_removed(trigger: SshTrigger, clock: SystemClock) -> None:
    fractal = load_catalogue()["fractal"].model_copy(update={"warm_up_s": 0.0})
    async with prepared(fractal, level=1, seconds=1, trigger=trigger) as workspace:
        assert {"fractal", "fractal.c", "threads.h"} <= {entry.name for entry in Path(workspace).iterdir()}
        work = await measure(
            fractal, level=1, seconds=1, trigger=trigger, clock=clock, on_begin=lambda _: None, workspace=workspace
        )
    assert work.intervals
    assert not Path(workspace).exists()


@pytest.mark.parametrize("word", ["$(touch /tmp/wattmark-owned)", "; reboot", "`id`", "a'b\"c", "-n", "*", "x\ny", "ü"])
async def test_arguments_reach_the_program_as_they_are(word: str, trigger: SshTrigger) -> None:
    lines: list[OutputLine] = []
    async with trigger.start(
        [sys.executable, "-c", "import sys; print(ascii(sys.argv[1]))", word], lines.append
    ) as run:
        status, _ = await run.wait()
    assert (status, [line.text for line in lines if line.stream == "stdout"]) == (0, [ascii(word)])
    assert not Path("/tmp/wattmark-owned").exists()


async def test_a_password_travels_in_the_environment_and_in_no_argument(trigger: SshTrigger) -> None:
    lines: list[OutputLine] = []
    program = [sys.executable, "-c", "import os; print(os.environ['PGPASSWORD'], flush=True)\nwhile True: pass"]
    async with trigger.start(program, lines.append, {"PGPASSWORD": "s3cret-word"}):
        while not lines:
            await asyncio.sleep(0.02)
        shown = subprocess.run(["ps", "-eo", "args"], check=True, capture_output=True).stdout
    assert lines[0].text == "s3cret-word"
    assert b"s3cret-word" not in shown
    with pytest.raises(WorkloadFailed, match="cannot be passed on"):
        async with trigger.start(["true"], lines.append, {"A": "two\nlines"}):
            pass


async def test_leaving_ends_the_load_with_children_that_left_its_group(trigger: SshTrigger) -> None:
    label = uuid4().hex
    script = """
        trap '' TERM
        setsid sh -c 'trap "" TERM; while :; do sleep 0.1; done' &
        echo up
        while :; do sleep 0.1; done
    """
    lines: list[OutputLine] = []
    async with trigger.start(["sh", "-c", script], lines.append, {"LABEL": label}):
        while not lines:
            await asyncio.sleep(0.02)
        assert len(processes_with(label)) >= 2
    assert await until_gone(label)


async def test_leaving_while_a_program_waits_for_its_instant_leaves_nothing(
    trigger: SshTrigger, clock: SystemClock, tmp_path: Path
) -> None:
    label, made = uuid4().hex, tmp_path / "made"
    in_an_hour_ns = clock.utc_ns() + 3600 * 10**9
    program = ["touch", str(made)]
    async with trigger.start_at(program, lambda _: None, {"LABEL": label}, begin_ns=in_an_hour_ns) as run:
        while len(processes_with(label)) < 2:  # the script, and what waits
            await asyncio.sleep(0.02)
        assert run.begun_ns is None
    assert await until_gone(label)
    assert not made.exists()


async def test_a_lost_connection_ends_the_load_there_and_is_told_here(
    make_sshd: Callable[[], Sshd], clock: SystemClock
) -> None:
    server, label, lines = make_sshd(), uuid4().hex, list[OutputLine]()
    connection = SshConnection(server.address, server.folder)
    trigger = SshTrigger(connection, clock)
    program = ["sh", "-c", "echo up; while :; do sleep 0.1; done"]
    async with trigger.start(program, lines.append, {"LABEL": label}) as run:
        while not lines:
            await asyncio.sleep(0.02)
        server.drop()
        with pytest.raises(Disturbed, match=r"The connection to .* was lost"):
            await asyncio.wait_for(run.wait(), 20)
    assert await until_gone(label)
    await connection.close()


async def test_what_a_killed_wattmark_left_is_cleared(sshd: Sshd, trigger: SshTrigger, clock: SystemClock) -> None:
    label = uuid4().hex
    environment = {
        "WATTMARK_LOAD": f"{owner_mark(os.uname().nodename)}.{uuid4().hex}",
        "LABEL": label,
        "PATH": os.environ["PATH"],
    }
    left = subprocess.Popen(["sleep", "1000"], env=environment, start_new_session=True)
    other = subprocess.Popen(["sleep", "1000"], env={**environment, "WATTMARK_LOAD": "elsewhere.1"})
    try:
        await trigger.clear()
        assert left.wait(10) == -signal.SIGKILL
        assert other.poll() is None
    finally:
        other.kill()
        other.wait()


async def test_an_unknown_host_key_is_refused(sshd: Sshd, make_sshd: Callable[[], Sshd], tmp_path: Path) -> None:
    foreign = tmp_path / "known_hosts"
    key = (make_sshd().folder / "host.pub").read_text().split()
    foreign.write_text(f"[127.0.0.1]:{sshd.port} {key[0]} {key[1]}\n")
    for text, words in ((foreign.read_text(), "does not match the one in"), ("", "does not match the one in")):
        foreign.write_text(text)
        connection = SshConnection(sshd.address.model_copy(update={"known_hosts": str(foreign)}), tmp_path)
        with pytest.raises(WorkloadFailed, match=words) as caught:
            await connection.open()
        assert "ssh-keyscan" in str(caught.value)


async def test_an_agent_holds_the_key(sshd: Sshd, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No key file is named: the agent behind SSH_AUTH_SOCK signs, until it forgets the key."""
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("SSH_AUTH_SOCK", str(tmp_path / "agent"))
    with subprocess.Popen(["ssh-agent", "-D", "-a", str(tmp_path / "agent")], stdout=subprocess.DEVNULL) as agent:
        try:
            while not (tmp_path / "agent").exists():
                await asyncio.sleep(0.02)
            address = sshd.address.model_copy(update={"identity_file": None})
            with pytest.raises(WorkloadFailed, match="rejects the key"):
                await SshConnection(address, tmp_path).open()
            subprocess.run(["ssh-add", "-q", str(sshd.folder / "user")], check=True)
            connection = SshConnection(address, tmp_path)
            assert await connection.run(["echo", "in"]) == b"in\n"
            await connection.close()
        finally:
            agent.terminate()


async def test_every_refusal_says_what_to_do(sshd: Sshd, tmp_path: Path) -> None:
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(tmp_path / "other")], check=True)
    (tmp_path / "broken").write_text("no key")
    for changes, words in (
        ({"identity_file": str(tmp_path / "other")}, "rejects the key"),
        ({"identity_file": str(tmp_path / "none")}, "does not exist"),
        ({"identity_file": str(tmp_path / "broken")}, "cannot be used"),
        ({"known_hosts": str(tmp_path / "none")}, "does not exist"),
        ({"port": 1}, "cannot be reached"),
    ):
        connection = SshConnection(sshd.address.model_copy(update=changes), tmp_path)
        with pytest.raises(WorkloadFailed, match=words):
            await connection.open()


async def test_the_machine_elsewhere_is_watched_like_this_one(connection: SshConnection, clock: SystemClock) -> None:
    host = HostMeter(clock=clock, files=SshFiles(connection))
    await host.open()
    readings = {reading.channel: reading.value for reading in await host.read()}
    assert readings["memory_used"] > 0
    await asyncio.sleep(0.1)
    assert 0 <= {r.channel: r.value for r in await host.read()}["cpu_utilisation"] <= 100


async def test_two_machines_start_together(make_sshd: Callable[[], Sshd], sshd: Sshd, clock: SystemClock) -> None:
    connections = {str(n): SshConnection(server.address, server.folder) for n, server in enumerate((sshd, make_sshd()))}
    clocks = {name: fit_clock(await exchange(connection, clock)) for name, connection in connections.items()}
    assert all(abs(fit.offset_s) < 0.01 for fit in clocks.values()), "the same clock, seen over loopback"
    begin = start_instants(clock.utc_ns(), clocks, LEAD_S)

    async def begun(name: str) -> int:
        trigger = SshTrigger(connections[name], clock)
        async with trigger.start_at(["sleep", "0.2"], lambda _: None, begin_ns=begin[name]) as run:
            started = await run.begun()
            assert started is not None
            assert started >= begin[name]
            return started

    started = await asyncio.gather(*(begun(name) for name in connections))
    starts = spread(dict(zip(connections, started, strict=True)), clocks)
    assert starts.spread_s < 0.25, "on a busy machine; a quiet one takes 2 to 5 ms"
    print(f"spread of two starts: {starts.spread_s * 1e3:.1f} ms, u {starts.u_s * 1e3:.1f} ms")  # noqa: T201 - a figure
    for connection in connections.values():
        await connection.close()


async def test_a_program_that_is_not_there_is_known_before(trigger: SshTrigger) -> None:
    assert not await trigger.missing("sh")
    assert await trigger.missing("no-such-program; rm -rf /")


async def test_a_failing_load_gives_its_last_words(trigger: SshTrigger, clock: SystemClock) -> None:
    broken = Declaration.model_validate(
        {
            "id": "own",
            "title": "own",
            "unit": "ops",
            "command": ["sh", "-c", "echo no such database >&2; exit 3"],
            "parser": {"kind": "regex", "pattern": "(?P<value>x)", "reports": "total"},
        }
    )
    with pytest.raises(WorkloadFailed, match="ended with exit status 3: no such database"):
        await measure(broken, level=None, seconds=1, trigger=trigger, clock=clock, on_begin=lambda _: None)


def test_the_script_is_plain_sh() -> None:
    from wattmark.workloads.ssh.load_script import ADOPT, CLEAR, KEEP, WAIT

    for script in (ADOPT, CLEAR, KEEP, WAIT):
        for shell in ("dash", "bash"):
            subprocess.run([shell, "-n", "-c", script], check=True)


async def test_a_flood_from_another_machine_is_ended_with_words_and_leaves_the_connection_usable(
    trigger: SshTrigger, clock: SystemClock
) -> None:
    label = uuid4().hex
    declaration = Declaration.model_validate(
        {
            "id": "own",
            "title": "own",
            "unit": "ops",
            "command": ["sh", "-c", "exec yes 'work 1'"],
            "environment": {"LABEL": label},
            "parser": {"kind": "regex", "pattern": r"^work (?P<value>\S+)", "reports": "interval-amount"},
        }
    )
    with pytest.raises(WorkloadFailed, match=r"printed more than 25,000 lines per second for .* and was stopped"):
        await measure(declaration, level=None, seconds=60, trigger=trigger, clock=clock, on_begin=lambda _: None)
    assert await until_gone(label)
    assert await trigger.cpus() > 0
