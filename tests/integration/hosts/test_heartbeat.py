"""A load on a server lives as long as it hears of wattmark, and takes with it what it forked."""

from __future__ import annotations

import asyncio
import os
import subprocess
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest
from wattmark.hosts.connection import SshConnection
from wattmark.workloads.ssh.load_script import ENDED, HEARTBEAT, environment_lines, load_command
from wattmark.workloads.ssh.trigger import SshTrigger
from wattmark.workloads.trigger import OutputLine
from wattmark_drivers.clock import SystemClock

from tests.integration.processes import lives

SHELLS = ("dash", "bash", "busybox")
OWNER = f"test-{os.getpid()}"
"""Not this machine's name: another test that clears what an earlier wattmark of it left would end these loads too."""
PATIENCE_S = 1.5
LONG_S = 60.0
TOOLS = ("cat", "date", "dd", "env", "grep", "mkdir", "printf", "rmdir", "setsid", "sleep", "timeout")
OFFERED = {"mine": None, "perl": ["perl"], "python3": ["python3"], "marker": []}
NOBODY = 54321
"""A user without a cgroup to write to."""
ESCAPING = """
env -i setsid sh -c '
  env -i setsid sh -c "echo \\$\\$ >>\\"\\$0\\"; trap \\"\\" TERM; while :; do sleep 0.2; done" "$0" &
' "$0"
while [ ! -s "$0" ]; do sleep 0.02; done
echo $$ >>"$0"; echo up; while :; do sleep 0.2; done
"""
"""A child of a child, each in a session of its own, without any environment, and deaf."""


def living(file: Path) -> list[int]:
    """The processes, of those whose numbers a load wrote into a file, that live."""
    return [int(pid) for pid in file.read_text().split() if lives(int(pid))]


async def until_gone(file: Path) -> None:
    async with asyncio.timeout(LONG_S):
        while living(file):
            await asyncio.sleep(0.02)


@pytest.fixture
def trigger(connection: SshConnection, clock: SystemClock) -> SshTrigger:
    return SshTrigger(connection, clock, OWNER)


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that every user may enter; those above ``tmp_path`` are private."""
    with tempfile.TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)
        yield Path(folder)


@pytest.fixture
def pids(open_folder: Path) -> Path:
    file = open_folder / "pids"
    file.touch()
    file.chmod(0o666)
    return file


async def test_heartbeats_keep_a_load_alive_for_longer_than_the_patience(
    connection: SshConnection, clock: SystemClock, pids: Path
) -> None:
    trigger = SshTrigger(connection, clock, OWNER, heartbeat_s=0.3, patience_s=4)
    async with trigger.start(["sh", "-c", 'echo $$ >"$0"; exec sleep 1000', str(pids)], lambda _: None) as run:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(run.wait(), 6)
        assert len(living(pids)) == 1
    await until_gone(pids)


async def test_a_load_without_heartbeats_is_ended_and_says_why(
    connection: SshConnection, clock: SystemClock, pids: Path
) -> None:
    """The connection stands, as behind an appliance that hangs; the load prints nothing and would go on."""
    trigger = SshTrigger(connection, clock, OWNER, heartbeat_s=1000, patience_s=PATIENCE_S)
    async with trigger.start(["sh", "-c", 'echo $$ >"$0"; exec sleep 1000', str(pids)], lambda _: None) as run:
        status, _ = await asyncio.wait_for(run.wait(), LONG_S)
    assert status != 0
    assert "wattmark was not heard here for 1.5 s, so the load was ended" in run.error_tail
    await until_gone(pids)


async def test_what_leaves_session_and_environment_goes_with_the_load(trigger: SshTrigger, pids: Path) -> None:
    lines: list[OutputLine] = []
    async with trigger.start(["sh", "-c", ESCAPING, str(pids)], lines.append) as run:
        while not lines:
            await asyncio.sleep(0.02)
        assert len(living(pids)) == 2
    assert run.held_by in ("cgroup", "subreaper")
    await until_gone(pids)


async def test_a_load_of_a_server_is_what_the_kernel_ends_first(trigger: SshTrigger) -> None:
    lines: list[OutputLine] = []
    async with trigger.start(["cat", "/proc/self/oom_score_adj"], lines.append) as run:
        assert (await run.wait())[0] == 0
    assert [line.text for line in lines] == ["1000"]


async def test_folders_of_an_earlier_wattmark_are_removed(
    connection: SshConnection, trigger: SshTrigger, clock: SystemClock
) -> None:
    """The connection broke before the folder could be removed; the next campaign clears."""
    other = SshTrigger(connection, clock, owner="another-machine")
    async with other.workspace({"kept": b"kept"}) as workspace:
        async with trigger.workspace({"load.c": b"int main;"}) as left:
            assert (Path(left) / "load.c").exists()
            await trigger.clear()
            assert not Path(left).exists()
        assert (Path(workspace) / "kept").exists()


class Shell:
    """The script as an sshd starts it, for a chosen shell and user.

    ``offered`` names what there is beside the tools that it needs; None: all that this machine has.
    """

    def __init__(self, tools: Path, shell: str, offered: Sequence[str] | None, *, unprivileged: bool) -> None:
        (tools / "sh").symlink_to(_program(shell))
        for tool in (*TOOLS, *(offered or ())):
            (tools / tool).symlink_to(_program(tool))
        self._environment = {"PATH": f"{tools}:/usr/bin:/bin" if offered is None else str(tools)}
        become = [_program("setpriv"), f"--reuid={NOBODY}", f"--regid={NOBODY}", "--clear-groups"]
        self._before = become if unprivileged and os.geteuid() == 0 else []
        self._sh = str(tools / "sh")

    def start(self, script: str, pids: Path, patience_s: float = PATIENCE_S) -> subprocess.Popen[bytes]:
        """Start a load; standard output and error are pipes that nobody reads unless the test does."""
        command = load_command(["sh", "-c", script, str(pids)], f"test.{os.getpid()}", "/", 0, patience_s)
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
        argv = [*self._before, self._sh, "-c", command]
        process = subprocess.Popen(argv, env=self._environment, **pipes)
        assert process.stdin is not None
        process.stdin.write(environment_lines({"LC_ALL": "C.UTF-8"}) + HEARTBEAT)
        process.stdin.flush()
        return process


def _program(name: str) -> str:
    for folder in ("/usr/bin", "/bin"):
        if (Path(folder) / name).exists():
            return f"{folder}/{name}"
    pytest.fail(f"The program {name} is missing: sh docker/system-packages.sh test")


@pytest.fixture
def keep(request: pytest.FixtureRequest) -> Iterator[Callable[[subprocess.Popen[bytes]], subprocess.Popen[bytes]]]:
    processes: list[subprocess.Popen[bytes]] = []

    def remember(process: subprocess.Popen[bytes]) -> subprocess.Popen[bytes]:
        processes.append(process)
        return process

    yield remember
    for process in processes:
        process.kill()
        process.communicate()


Keep = Callable[[subprocess.Popen[bytes]], subprocess.Popen[bytes]]


@pytest.mark.parametrize("shell", SHELLS)
async def test_each_shell_ends_a_silent_load_whose_output_nobody_takes(
    shell: str, open_folder: Path, pids: Path, keep: Keep
) -> None:
    """Pipes that are full, as behind a cut cable, hold up neither the watch nor the end."""
    script = 'sleep 1000 & echo $! >>"$0"; echo $$ >>"$0"; while :; do echo "$0 $0 $0"; echo "$0 $0 $0" >&2; done'
    process = keep(Shell(open_folder, shell, None, unprivileged=False).start(script, pids))
    async with asyncio.timeout(LONG_S):
        while len(pids.read_text().split()) < 2:
            await asyncio.sleep(0.02)
    assert process.stdin is not None
    assert not process.stdin.closed, "the standard input stays open: only the heartbeat is missing"
    await until_gone(pids)


@pytest.mark.parametrize("shell", SHELLS)
@pytest.mark.parametrize("way", ["mine", "perl", "python3", "marker"])
async def test_each_way_to_hold_a_load_keeps_its_word(
    shell: str, way: str, open_folder: Path, pids: Path, keep: Keep
) -> None:
    """``mine`` is what this machine gives its user; a user with perl or python3 has a subreaper at least.

    Without all of these the script says so, and what left session and environment stays.
    """
    setting = Shell(open_folder, shell, OFFERED[way], unprivileged=way != "mine")
    process = keep(setting.start(ESCAPING, pids, patience_s=LONG_S))
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    assert await asyncio.to_thread(process.stdout.readline) == b"up\n"
    escaped, leader = living(pids)
    process.stdin.close()
    process.stdin = None
    held_by = (await asyncio.to_thread(process.stderr.readline)).decode().split()[2]
    async with asyncio.timeout(LONG_S):
        while not (await asyncio.to_thread(process.stderr.readline)).startswith(ENDED.encode()):
            pass
    await asyncio.to_thread(process.wait)
    assert held_by in (("marker",) if way == "marker" else ("cgroup", "subreaper"))
    if held_by == "marker":
        assert living(pids) == [escaped]
        os.kill(escaped, 9)
    else:
        await until_gone(pids)
    assert leader not in living(pids)
