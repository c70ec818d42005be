"""Real processes: what a load may try, and that nothing of it stays."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import pytest
from wattmark.core.errors import WorkloadFailed
from wattmark.workloads.local.local import LocalTrigger
from wattmark.workloads.local.process_group import children_of, kill_marked
from wattmark.workloads.parsers.printed_lines import CUT, LONGEST_LINE
from wattmark.workloads.trigger import OutputLine

STUBBORN = """
import os, signal, sys, time
for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
    signal.signal(number, signal.SIG_IGN)
if os.fork():                      # a child in the same group
    if os.fork() == 0:             # a grandchild that leaves the session
        os.setsid()
        if os.fork():
            os._exit(0)
with open(sys.argv[1], "a") as file:
    file.write(f"{os.getpid()}\\n")
print("up", flush=True)
while True:
    time.sleep(1)
"""


async def _until(lines: list[OutputLine], count: int) -> None:
    while len(lines) < count:
        await asyncio.sleep(0.01)


async def test_children_that_ignore_signals_and_leave_the_session_are_killed(
    trigger: LocalTrigger, tmp_path: Path, alive: Callable[[Path], list[int]]
) -> None:
    lines: list[OutputLine] = []
    pids = tmp_path / "pids"
    async with trigger.start([sys.executable, "-c", STUBBORN, str(pids)], lines.append):
        await _until(lines, 3)
        assert len(alive(pids)) == 3
    assert alive(pids) == []


ESCAPE = (
    "env -i PATH=$PATH setsid sh -c "
    "'env -i PATH=$PATH setsid sh -c \"echo \\$\\$ >>{pids}; exec sleep 1000\" & sleep 0.2' & "
)


async def test_what_left_group_session_and_environment_is_killed_with_the_load(
    trigger: LocalTrigger, tmp_path: Path, alive: Callable[[Path], list[int]]
) -> None:
    pids = tmp_path / "pids"
    command = ["sh", "-c", 3 * ESCAPE.format(pids=pids) + "sleep 1000"]
    own = await asyncio.create_subprocess_exec("sleep", "1000")
    async with trigger.start(["sleep", "1000"], list[OutputLine]().append) as other:
        async with trigger.start(command, list[OutputLine]().append):
            while not pids.exists() or len(pids.read_text().split()) < 3:
                await asyncio.sleep(0.01)
            await asyncio.sleep(0.5)
            assert len(alive(pids)) == 3
        assert alive(pids) == []
        assert not other.ended, "a load that goes on is nobody's stray"
    assert own.returncode is None, "nor is what wattmark has started itself"
    own.kill()
    await own.wait()


FORGETFUL = """
import ctypes, os, sys, time
if os.fork() == 0:
    libc = ctypes.CDLL(None)
    area = [line for line in open("/proc/self/stat").read().rpartition(")")[2].split()][47:49]
    ctypes.memset(int(area[0]), 0, int(area[1]) - int(area[0]))
    assert b"WATTMARK_LOAD" not in open("/proc/self/environ", "rb").read()
with open(sys.argv[1], "a") as file:
    file.write(f"{os.getpid()}\\n")
print("up", flush=True)
time.sleep(1000)
"""


async def test_a_child_that_wrote_over_its_environment_is_killed_with_its_session(
    trigger: LocalTrigger, tmp_path: Path, alive: Callable[[Path], list[int]]
) -> None:
    """As stress-ng does to show another name; the group is not signalled here, as when wattmark itself was killed."""
    lines: list[OutputLine] = []
    pids = tmp_path / "pids"
    async with trigger.start([sys.executable, "-c", FORGETFUL, str(pids)], lines.append) as execution:
        await _until(lines, 2)
        leader = next(pid for pid in alive(pids) if os.getsid(pid) == pid)
        environment = Path(f"/proc/{leader}/environ").read_bytes().split(b"\0")
        marker = next(variable.partition(b"=")[2] for variable in environment if variable.startswith(b"WATTMARK_LOAD="))
        await asyncio.to_thread(kill_marked, marker.decode())
        assert alive(pids) == []
        await execution.wait()


def test_a_session_that_is_no_loads_own_survives_a_marked_process_in_it() -> None:
    shell = subprocess.Popen(
        ["sh", "-c", "WATTMARK_LOAD=no-owner sleep 60 & echo $!; wait $!; read end"],
        start_new_session=True,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    try:
        assert shell.stdout is not None
        marked = int(shell.stdout.readline())
        while b"WATTMARK_LOAD=no-owner" not in Path(f"/proc/{marked}/environ").read_bytes():
            time.sleep(0.01)
        kill_marked("no-owner")
        assert not Path(f"/proc/{marked}").exists() or "Z" in Path(f"/proc/{marked}/stat").read_text().split()
        assert shell.poll() is None
    finally:
        shell.kill()
        shell.communicate()


async def test_they_are_killed_when_the_waiting_task_is_cancelled(
    trigger: LocalTrigger, tmp_path: Path, alive: Callable[[Path], list[int]]
) -> None:
    lines: list[OutputLine] = []
    pids = tmp_path / "pids"

    async def load() -> None:
        async with trigger.start([sys.executable, "-c", STUBBORN, str(pids)], lines.append) as execution:
            await execution.wait()

    task = asyncio.create_task(load())
    await _until(lines, 3)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(pids.read_text().split()) == 3
    assert alive(pids) == []


async def test_a_child_that_holds_the_pipe_does_not_hold_up_the_end(
    trigger: LocalTrigger, tmp_path: Path, alive: Callable[[Path], list[int]]
) -> None:
    script = 'sleep 1000 & echo $! >"$0"; echo done; exit 3'
    pids = tmp_path / "pids"
    lines: list[OutputLine] = []
    async with trigger.start(["sh", "-c", script, str(pids)], lines.append) as execution:
        status, _ = await asyncio.wait_for(execution.wait(), 10)
        assert (status, [line.text for line in lines]) == (3, ["done"])
        assert len(alive(pids)) == 1
    assert alive(pids) == []


async def test_arguments_never_pass_through_a_shell(trigger: LocalTrigger, tmp_path: Path) -> None:
    hostile = ["; touch injected", "$(touch injected)", "`touch injected`", "| touch injected", "a\nb", "*", "'", '"']
    lines: list[OutputLine] = []
    program = "import sys; [print(repr(word)) for word in sys.argv[1:]]"
    async with trigger.start([sys.executable, "-c", program, *hostile], lines.append) as execution:
        assert (await execution.wait())[0] == 0
    assert [line.text for line in lines] == [repr(word) for word in hostile]
    assert list(tmp_path.iterdir()) == []


async def test_a_load_does_not_see_our_environment(trigger: LocalTrigger, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("BMC_PASSWORD", "hunter2")
    lines: list[OutputLine] = []
    async with trigger.start(["env"], lines.append, {"OMP_NUM_THREADS": "2"}) as execution:
        await execution.wait()
    seen = dict(line.text.partition("=")[::2] for line in lines)
    assert "BMC_PASSWORD" not in seen
    assert (seen["PATH"], seen["LC_ALL"], seen["OMP_NUM_THREADS"]) == (os.environ["PATH"], "C.UTF-8", "2")


async def test_a_load_is_what_the_kernel_ends_first(trigger: LocalTrigger) -> None:
    lines: list[OutputLine] = []
    argv = ["sh", "-c", "sleep 0.2; sh -c 'cat /proc/self/oom_score_adj'"]
    async with trigger.start(argv, lines.append) as execution:
        await execution.wait()
    assert [line.text for line in lines] == ["1000"]
    assert int(Path("/proc/self/oom_score_adj").read_text()) < 1000


async def test_lines_carry_the_instant_of_their_arrival_by_both_clocks(trigger: LocalTrigger) -> None:
    lines: list[OutputLine] = []
    argv = ["sh", "-c", "echo a; sleep 0.3; echo b >&2; sleep 0.3; printf c"]
    async with trigger.start(argv, lines.append) as execution:
        _, ended = await execution.wait()
    assert [(line.stream, line.text) for line in lines] == [("stdout", "a"), ("stderr", "b"), ("stdout", "c")]
    marks = [execution.started, *(line.mark for line in lines), ended]
    assert all(later.monotonic_ns >= earlier.monotonic_ns for earlier, later in pairwise(marks))
    assert lines[1].mark.since(lines[0].mark) >= 0.29
    assert lines[2].mark.since(lines[1].mark) >= 0.29
    assert abs(lines[2].mark.clock_step_s(lines[0].mark)) < 0.1
    assert execution.error_tail == "b"


async def test_the_event_loop_may_be_busy_while_lines_are_stamped(trigger: LocalTrigger) -> None:
    lines: list[OutputLine] = []
    argv = ["sh", "-c", "for i in 1 2 3 4; do echo $i; sleep 0.1; done"]
    async with trigger.start(argv, lines.append) as execution:
        deadline = asyncio.get_running_loop().time() + 0.6
        while asyncio.get_running_loop().time() < deadline:
            pass
        await execution.wait()
    assert lines[3].mark.since(lines[0].mark) >= 0.28


async def test_a_program_that_never_stops_printing_is_ended(trigger: LocalTrigger) -> None:
    count = 0

    def take(line: OutputLine) -> None:
        nonlocal count
        assert len(line.text) <= LONGEST_LINE + len(CUT)
        count += 1

    async with trigger.start(["sh", "-c", "head -c 100000 /dev/zero; echo; exec yes"], take) as execution:
        while count < 1000:
            await asyncio.sleep(0.01)
        execution.kill()
        status, _ = await asyncio.wait_for(execution.wait(), 10)
    assert status == -9


async def test_killed_and_failing_programs_give_their_status(trigger: LocalTrigger) -> None:
    async with trigger.start(["sh", "-c", "kill -SEGV $$"], lambda _: None) as execution:
        assert (await execution.wait())[0] == -11
    async with trigger.start(["sh", "-c", "echo why >&2; exit 7"], lambda _: None) as execution:
        assert (await execution.wait())[0] == 7
        assert execution.error_tail == "why"


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (
            ["no-such-program-at-all"],
            "The program no-such-program-at-all is not installed there; install it or give its path.",
        ),
        (["/etc/passwd"], "The program /etc/passwd cannot be started: Permission denied. Check the command."),
        (["a\0b"], "cannot be started: embedded null byte"),
    ],
)
async def test_a_program_that_cannot_be_started_says_why(trigger: LocalTrigger, argv: list[str], message: str) -> None:
    with pytest.raises(WorkloadFailed) as caught:
        async with trigger.start(argv, lambda _: None):
            pass
    assert message in str(caught.value)


async def test_relative_programs_are_found_beside_the_bench_file(trigger: LocalTrigger, tmp_path: Path) -> None:
    load = tmp_path / "load.sh"
    load.write_text("#!/bin/sh\necho from $(pwd)\n")
    load.chmod(0o700)
    lines: list[OutputLine] = []
    async with trigger.start(["./load.sh"], lines.append) as execution:
        assert (await execution.wait())[0] == 0
    assert [line.text for line in lines] == [f"from {tmp_path}"]


async def test_slices_of_a_load_share_a_guard_and_one_that_was_killed_is_replaced(
    trigger: LocalTrigger, tmp_path: Path, alive: Callable[[Path], list[int]]
) -> None:
    """A guard for each slice took 0.1 s of CPU time: 3 % of two CPUs in slices of 2 s, in nobody's name."""

    async def guards(pids: Path) -> set[int]:
        lines: list[OutputLine] = []
        async with trigger.start(["sh", "-c", 'echo $$ >"$0"; echo up; sleep 1000 & wait', str(pids)], lines.append):
            await _until(lines, 1)
            return set(_guards())

    first, second = await guards(tmp_path / "a"), await guards(tmp_path / "b")
    assert first == second
    for pid in first:
        os.kill(pid, signal.SIGKILL)
    while not first.isdisjoint(_guards()):
        await asyncio.sleep(0.01)
    (third,) = await guards(tmp_path / "c")
    assert third not in first
    assert alive(tmp_path / "a") == alive(tmp_path / "b") == alive(tmp_path / "c") == []


async def test_a_load_whose_guard_was_killed_leaves_nothing(
    trigger: LocalTrigger, tmp_path: Path, alive: Callable[[Path], list[int]]
) -> None:
    lines: list[OutputLine] = []
    pids = tmp_path / "pids"
    async with trigger.start(["sh", "-c", 'setsid sleep 1000 & echo $! >"$0"; echo up; wait', str(pids)], lines.append):
        await _until(lines, 1)
        for pid in _guards():
            os.kill(pid, signal.SIGKILL)
    assert alive(pids) == []


def _guards() -> list[int]:
    children = children_of(os.getpid())
    return [pid for pid in children if "workloads.local.guard" in Path(f"/proc/{pid}/cmdline").read_text()]


ORPHANING = """
import asyncio, os, sys
from pathlib import Path
from wattmark_drivers.clock import SystemClock
from wattmark.workloads.local import local
from wattmark.workloads.local.local import LocalTrigger

class NoGuard:
    def __init__(self, *_): pass
    def end(self): pass

if "unguarded" in sys.argv:
    local.Guard = NoGuard

async def main():
    trigger = LocalTrigger(SystemClock(), Path.cwd())
    async with trigger.start(["sh", "-c", 'echo $$ >"$0"; echo up; exec sleep 1000', sys.argv[1]], up.append):
        while not up:
            await asyncio.sleep(0.01)
        os.kill(os.getpid(), 9)

up = []
asyncio.run(main())
"""


async def test_the_load_dies_with_its_owner(tmp_path: Path, alive: Callable[[Path], list[int]]) -> None:
    orphan = tmp_path / "orphan"
    owner = await asyncio.create_subprocess_exec(sys.executable, "-c", ORPHANING, str(orphan))
    assert await owner.wait() == -9
    async with asyncio.timeout(20):
        while alive(orphan):
            await asyncio.sleep(0.05)


async def test_the_load_of_a_killed_owner_is_cleared_and_that_of_a_living_one_is_not(
    trigger: LocalTrigger, tmp_path: Path, alive: Callable[[Path], list[int]]
) -> None:
    """Also where the guard was killed with its owner."""
    orphan, living = tmp_path / "orphan", tmp_path / "kept"
    owner = await asyncio.create_subprocess_exec(sys.executable, "-c", ORPHANING, str(orphan), "unguarded")
    assert await owner.wait() == -9
    assert len(alive(orphan)) == 1
    lines: list[OutputLine] = []
    async with trigger.start(["sh", "-c", 'echo $$ >"$0"; echo up; exec sleep 1000', str(living)], lines.append):
        await _until(lines, 1)
        await trigger.clear()
        assert alive(orphan) == []
        assert len(alive(living)) == 1
