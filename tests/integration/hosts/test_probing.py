"""What it costs a server to be watched over SSH, and that what runs there beside a load is named."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from pathlib import Path

import pytest
from wattmark.campaigns.watch.processes import RemoteProcesses, other_processes, other_programs
from wattmark.core.errors import WorkloadFailed
from wattmark.hosts import connection as connection_module
from wattmark.hosts import files as files_module
from wattmark.hosts.connection import SshConnection
from wattmark.hosts.files import SshFiles
from wattmark.hosts.probes.meter import HostMeter
from wattmark.workloads.ssh.trigger import SshTrigger
from wattmark.workloads.trigger import OutputLine
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.errors import ConnectionFailed

from ..sshd import Sshd

READINGS = 40
BURN_1_S = "import time\nprint(1, flush=True)\nwhile time.process_time() < 1.0: pass"
BURN = "import os, time\nwhile time.process_time() < 0.5: pass\nprint(os.getpid(), flush=True); time.sleep(1000)"


def cpu_s(root: int) -> float:
    """CPU time of a process, of its living descendants, and of those that ended and were waited for [s]."""
    times, parents = dict[int, float](), dict[int, int]()
    for entry in Path("/proc").iterdir():
        try:
            fields = (entry / "stat").read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if entry.name.isdigit():
            parents[int(entry.name)] = int(fields[1])
            times[int(entry.name)] = sum(map(int, fields[11:15])) / os.sysconf("SC_CLK_TCK")
    wanted, below = [root], 0.0
    while wanted:
        pid = wanted.pop()
        below += times.get(pid, 0.0)
        wanted += [child for child, parent in parents.items() if parent == pid]
    return below


async def test_a_reading_each_second_costs_a_server_at_most_one_percent_of_a_core(
    sshd: Sshd, connection: SshConnection, clock: SystemClock, capsys: pytest.CaptureFixture[str]
) -> None:
    host = HostMeter(clock=clock, files=SshFiles(connection))
    await host.open()
    await host.read()
    before_s = cpu_s(sshd.pid)
    for _ in range(READINGS):
        assert "memory_used" in {reading.channel for reading in await host.read()}
    share_pct = 100 * (cpu_s(sshd.pid) - before_s) / READINGS
    with capsys.disabled():
        sys.stdout.write(f"\nwatching a server over SSH each second: {share_pct:.2f} % of one of its cores\n")
    assert share_pct < 1.0
    await host.close()


async def test_a_server_that_is_lost_between_two_readings_is_said_so_and_comes_back(
    sshd: Sshd, connection: SshConnection
) -> None:
    files = SshFiles(connection)
    texts = await files.read(["/proc/uptime", "/no/such/file", "/proc/version"])
    assert set(texts) == {"/proc/uptime", "/proc/version"}
    assert texts["/proc/version"] == Path("/proc/version").read_text()
    assert len(texts["/proc/uptime"].split()) == 2
    opened = await connection.open()
    opened.abort()
    with pytest.raises(ConnectionFailed, match="was lost"):
        await files.read(["/proc/uptime", "/no/such/file", "/proc/version"])
    assert set(await files.read(["/proc/uptime"])) == {"/proc/uptime"}
    await files.close()


@pytest.mark.parametrize("at_once", [files_module.AT_ONCE, 10_000])
async def test_many_files_and_long_ones_are_read_whole(
    connection: SshConnection, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, at_once: int
) -> None:
    """As of 1000 CPUs: all paths together are longer than one argument may be (128 KiB), /proc/stat than 64 KiB."""
    monkeypatch.setattr(files_module, "AT_ONCE", at_once)
    folder = tmp_path / ("cpu's files " + 100 * "x")
    folder.mkdir()
    contents = {str(folder / f"{n}"): f"{n}\n" for n in range(2000)} | {str(folder / "stat"): 50_000 * "cpu "}
    for path, text in contents.items():
        Path(path).write_text(text)
    assert len("".join(contents)) > 1 << 17
    files = SshFiles(connection)
    assert await files.read([*contents, "/no/such/file"]) == contents
    assert await files.read([*contents, "/no/such/file"]) == contents
    await files.close()


async def test_files_that_cannot_be_read_whole_are_said_so(connection: SshConnection, tmp_path: Path) -> None:
    long = tmp_path / "long"
    long.write_text((4 << 20) * "x")
    files = SshFiles(connection)
    assert (await files.read([str(long)]))[str(long)] == long.read_text()
    long.write_text(((4 << 20) + 1) * "x")
    with pytest.raises(ConnectionFailed, match="is longer than 4 MiB"):
        await files.read([str(long)])
    with pytest.raises(ConnectionFailed, match=r"head cannot be started .* for 2 files \(status 126\)"):
        await files.read([f"/{140_000 * 'x'}", "/proc/uptime"])  # MAX_ARG_STRLEN: 128 KiB
    assert set(await files.read(["/proc/uptime"])) == {"/proc/uptime"}
    await files.close()


async def test_a_command_that_prints_too_much_is_not_cut(
    connection: SshConnection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(connection_module, "MOST_BYTES", 1000)
    assert len(await connection.run(["head", "-c", "1000", "/dev/zero"])) == 1000
    with pytest.raises(WorkloadFailed, match=r"head on .* printed"):
        await connection.run(["head", "-c", "1001", "/dev/zero"])


async def test_what_runs_there_beside_the_load_is_named(connection: SshConnection, trigger: SshTrigger) -> None:
    processes, lines = RemoteProcesses(connection), list[OutputLine]()
    before = await processes.snapshot()
    opened = await connection.open()
    async with trigger.start([sys.executable, "-c", BURN], lines.append):
        stranger = await opened.create_process(f"exec {sys.executable} -c '{BURN}'", encoding=None)
        pid = int(await stranger.stdout.readline())
        try:
            while not lines:
                await connection.run(["true"])
            others = {process.pid for process in other_processes(before, await processes.snapshot(), 1.0)}
        finally:
            os.kill(pid, signal.SIGKILL)
    assert pid in others
    assert int(lines[0].text) not in others


async def test_a_load_that_ended_is_nobody_elses_and_what_ended_beside_it_counts(
    connection: SshConnection, trigger: SshTrigger
) -> None:
    """Both burn 1 s of CPU time and end between the readings: the load under its keeper, the other under a shell."""
    processes, began = RemoteProcesses(connection), asyncio.Event()
    shell = await (await connection.open()).create_process("sh", encoding=None)
    async with trigger.start([sys.executable, "-c", BURN_1_S], lambda line: began.set()) as load:
        await began.wait()
        before = await processes.snapshot()
        shell.stdin.write(f"{sys.executable} -c '{BURN_1_S}'; echo over\n".encode())
        await load.wait()
        assert [await shell.stdout.readline() for _ in range(2)] == [b"1\n", b"over\n"]
    after = await processes.snapshot()
    shell.close()
    others = other_programs(before, after)
    others_s = others.share_pct / 100 * others.over_s * others.cpus
    assert others_s > 0.9, "the other program's 1 s is in its shell, which waited for it"
    assert after.busy_s - before.busy_s - others_s > 0.3, "the load's is nobody else's"
    assert others.unseen_pct < 5
