"""Which processes took CPU time beside a load: files in the form of proc_pid_stat(5), and this machine itself."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from wattmark.campaigns.watch.processes import TICKS_PER_S, LocalProcesses, other_processes, other_programs, snapshot_of
from wattmark.runs.disclosure import OtherProcess

BURN = "import time\nwhile time.process_time() < 0.3: pass\nprint(flush=True); time.sleep(1000)"
ORPHANED = 'trap "" HUP; "$@" & echo $!'
"""Starts a program that does not descend from this process, as other programs do not."""


def stat(
    proc: Path, pid: int, name: str, cpu_s: float, started: int = 5, environment: bytes = b"A=1\0", session: int = 1
) -> None:
    """Write a stat file: utime and stime are the fields 14 and 15, the start time is the field 22."""
    folder = proc / str(pid)
    folder.mkdir(exist_ok=True)
    ticks = round(cpu_s * TICKS_PER_S)
    before, after = (
        f"S 1 1 {session} 0 -1 4194304 100 0 0 0",
        f"{ticks // 2} {ticks - ticks // 2} 0 0 20 0 1 0 {started} 0 0",
    )
    (folder / "stat").write_text(f"{pid} ({name}) {before} {after}\n")
    (folder / "environ").write_bytes(environment)


async def test_what_took_more_than_a_twentieth_of_a_core_is_named(tmp_path: Path) -> None:
    stat(tmp_path, 10, "quiet", 5.0)
    stat(tmp_path, 11, "back) up (x", 1.0)
    stat(tmp_path, 12, "load", 0.0, environment=b"PATH=/bin\0WATTMARK_LOAD=1-2-3\0", session=12)
    stat(tmp_path, 13, "before", 90.0)
    stat(tmp_path, os.getpid(), "wattmark", 0.0)
    (tmp_path / "14").mkdir()
    processes = LocalProcesses(tmp_path)
    before = await processes.snapshot()
    stat(tmp_path, 10, "quiet", 5.4)
    stat(tmp_path, 11, "back) up (x", 3.0)
    stat(tmp_path, 12, "load", 10.0, environment=b"PATH=/bin\0WATTMARK_LOAD=1-2-3\0", session=12)
    stat(tmp_path, 16, "its worker", 10.0, environment=b"\0\0", session=12)
    stat(tmp_path, 13, "another with its number", 1.0, started=77)
    stat(tmp_path, 15, "new", 6.0)
    stat(tmp_path, os.getpid(), "wattmark", 9.0)
    assert other_processes(before, await processes.snapshot(), 10.0) == (
        OtherProcess(pid=15, name="new", core_pct=60.0),
        OtherProcess(pid=11, name="back) up (x", core_pct=20.0),
        OtherProcess(pid=13, name="another with its number", core_pct=10.0),
    )


def test_linux_tells_cpu_time_in_hundredths() -> None:
    assert os.sysconf("SC_CLK_TCK") == TICKS_PER_S


@contextlib.contextmanager
def stranger() -> Iterator[int]:
    """Let a program of somebody else use 0.3 s of CPU time; return its number once it has."""
    # A process that adopts orphans (PR_GET_CHILD_SUBREAPER, 37, _SET_, 36), as after a test of loads, adopts it too.
    adopts = ctypes.c_int()
    ctypes.CDLL(None).prctl(37, ctypes.byref(adopts), 0, 0, 0)
    ctypes.CDLL(None).prctl(36, 0, 0, 0, 0)
    command = ["sh", "-c", ORPHANED, "sh", sys.executable, "-c", BURN]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as shell:
        assert shell.stdout is not None
        pid = int(shell.stdout.readline())
        try:
            shell.stdout.readline()
            shell.wait()  # Until then it would be this process's grandchild, and so no stranger's.
            yield pid
        finally:
            os.kill(pid, signal.SIGKILL)
            ctypes.CDLL(None).prctl(36, adopts.value, 0, 0, 0)


async def test_a_busy_process_of_this_machine_is_seen() -> None:
    processes = LocalProcesses()
    before = await processes.snapshot()
    with stranger() as pid:
        others = other_processes(before, await processes.snapshot(), 1.0)
    assert pid in [process.pid for process in others]


async def test_what_wattmark_takes_is_told_from_what_others_take() -> None:
    """A stranger, a child and this process use CPU time that is known: 0.3, 0.3 and 0.4 s."""
    processes = LocalProcesses()
    before, begun_s = await processes.snapshot(), time.process_time()
    with stranger() as pid, subprocess.Popen([sys.executable, "-c", BURN], stdout=subprocess.PIPE) as child:
        try:
            assert child.stdout is not None
            child.stdout.readline()
            while time.process_time() - begun_s < 0.4:
                pass
            after, own_s = await processes.snapshot(), time.process_time() - begun_s + 0.3
        finally:
            child.kill()
    together = other_programs(before, after)
    assert together is not None
    named = {process.pid: process.core_pct for process in other_processes(before, after, together.over_s)}
    assert together.own_pct is not None
    assert together.own_pct / 100 * together.over_s * together.cpus == pytest.approx(own_s, abs=0.15)
    assert named[pid] / 100 * together.over_s == pytest.approx(0.3, abs=0.05)
    assert named.keys().isdisjoint({os.getpid(), child.pid})
    assert together.share_pct / 100 * together.over_s * together.cpus > 0.25


def test_a_load_that_wattmark_started_is_not_its_own_and_a_helper_is() -> None:
    """wattmark (10) started a load (11, session 11) with a worker (12) and a reader (13); 14 is somebody else's."""

    def listed(seconds: float) -> list[str]:
        parents = {10: (1, 9), 11: (10, 11), 12: (11, 12), 13: (10, 9), 14: (1, 14)}
        ticks = round(seconds * TICKS_PER_S)
        return [
            f"{pid} (p) S {parent} 1 {session} 0 -1 0 0 0 0 0 {ticks} 0 0 0 20 0 1 0 5 0 0"
            for pid, (parent, session) in parents.items()
        ]

    machine = (["10.00 0.00", "cpu 0 0 0 0 0 0 0 0", "cpu0 0", "cpu1 0"], ["20.00 0.00", "cpu 500 0 0 0 0 0 0 40"])
    before = snapshot_of(listed(0.0), {11}, {10}, machine[0])
    after = snapshot_of(listed(1.0), {11}, {10}, [*machine[1], "cpu0 0", "cpu1 0"])
    together = other_programs(before, after)
    assert together is not None
    # of 20 s of both CPUs: 10 and 13 are wattmark's; 14 is another's, and so is 12, which left the load's session
    assert (together.own_pct, together.share_pct, together.stolen_pct) == (10.0, 10.0, 2.0)
    # the CPUs worked 5 s: 2 s for wattmark, 1 s for the load
    assert together.at_most_pct == 10.0


@pytest.mark.parametrize(("read_before", "own_pct"), [(True, 2.0), (False, 10.0)])
def test_reading_the_list_before_the_window_takes_nothing_of_it(read_before: bool, own_pct: float) -> None:
    """Of a command of 0.5 s on one CPU wattmark took 0.05 s, of which 0.04 s were for the first list."""
    stats = [f"10 (wattmark) S 1 1 10 0 -1 0 0 0 0 0 {ticks} 0 0 0 20 0 1 0 5 0 0" for ticks in (0, 5)]
    before = replace(snapshot_of(stats[:1], (), {10}, ["10.00 0.00", "cpu 0 0 0", "cpu0 0"]), reading_s=0.04)
    after = snapshot_of(stats[1:], (), {10}, ["10.50 0.00", "cpu 50 0 0", "cpu0 50"])
    together = other_programs(before, after, read_before=read_before)
    assert together is not None
    assert together.own_pct == own_pct
    assert together.at_most_pct == 90.0


async def test_what_reading_the_list_takes_is_known(tmp_path: Path) -> None:
    """By the clock of this process, over a list of 3000 processes; both come in hundredths of a second."""
    for pid in range(3000):
        if 10_000_000 + pid != os.getpid():
            stat(tmp_path, 10_000_000 + pid, "p", 0.0)
    (tmp_path / str(os.getpid())).symlink_to(f"/proc/{os.getpid()}")
    begun_s = time.process_time()
    snapshot = await LocalProcesses(tmp_path).snapshot()
    took_s = time.process_time() - begun_s
    assert took_s > 0.05
    assert snapshot.reading_s == pytest.approx(took_s, abs=0.03)
    (own_s,) = [process.cpu_s for process in snapshot.processes.values() if process.own]
    assert own_s == pytest.approx(begun_s, abs=0.04)


def test_interrupts_may_be_in_the_time_of_the_load_as_well() -> None:
    """A kernel without CONFIG_IRQ_TIME_ACCOUNTING charges a load of 8 s with the 1.2 s of softirqs in its time.

    The machine: user, nice, system, idle, iowait, irq, softirq. Of 10 s 0.8 s are a stranger's.
    """

    def listed(load_s: float, stranger_s: float) -> list[str]:
        return [
            f"{pid} (p) S {parent} 1 {pid} 0 -1 0 0 0 0 0 {round(seconds * TICKS_PER_S)} 0 0 0 20 0 1 0 5 0 0"
            for pid, parent, seconds in ((10, 1, 0.0), (11, 10, load_s), (14, 1, stranger_s))
        ]

    before = snapshot_of(listed(0.0, 0.0), {11}, {10}, ["10.00 0.00", "cpu 0 0 0 0 0 0 0", "cpu0 0"])
    after = snapshot_of(listed(9.2, 0.8), {11}, {10}, ["20.00 0.00", "cpu 880 0 0 0 0 0 120", "cpu0 0"])
    together = other_programs(before, after)
    assert together is not None
    assert (together.share_pct, together.at_most_pct, together.unseen_pct) == (8.0, 8.0, 0.0)


def test_slices_of_a_load_that_ended_are_the_load() -> None:
    """wattmark (10) waited for slices that took 6 s, one of which (11) had taken 1 s at the first reading."""

    def listed(pid: int, seconds: float, waited_s: float, session: int) -> str:
        ticks, waited = round(seconds * TICKS_PER_S), round(waited_s * TICKS_PER_S)
        return f"{pid} (p) S {10 if pid == 11 else 1} 1 {session} 0 -1 0 0 0 0 0 {ticks} 0 {waited} 0 20 0 1 0 5 0 0"

    before = snapshot_of(
        [listed(10, 0, 0, 9), listed(11, 1, 0, 11), listed(14, 0, 0, 14)],
        {11}, {10}, ["10.00 0.00", "cpu 0 0 0", "cpu0 0", "cpu1 0"],
    )  # fmt: skip
    after = snapshot_of(
        [listed(10, 1, 6, 9), listed(14, 0.5, 0, 14)],
        (), {10}, ["20.00 0.00", "cpu 700 0 0", "cpu0 0", "cpu1 0"],
    )  # fmt: skip
    together = other_programs(before, after)
    assert together is not None
    # 7 s in use: 5 s by slices since the first reading, 1 s by wattmark, 0.5 s by 14, 0.5 s by nobody in the list
    assert (together.own_pct, together.share_pct, together.unseen_pct) == (5.0, 2.5, 2.5)
    assert together.at_most_pct == 5.0


def test_on_another_machine_nothing_is_said_of_wattmark_itself() -> None:
    stats = ["7 (other) S 1 1 1 0 -1 0 0 0 0 0 0 0 0 0 20 0 1 0 5 0 0"]
    before, after = (
        snapshot_of(stats, (), machine=[f"{at_s:.2f} 0.00", "cpu 0 0 0", "cpu0 0"]) for at_s in (10.0, 20.0)
    )
    together = other_programs(before, after)
    assert together is not None
    assert (together.own_pct, together.at_most_pct, together.stolen_pct) == (None, None, None), "an old kernel"


async def test_what_has_ended_and_is_not_noticed_yet_is_nobodys() -> None:
    """A load that ends with its window leaves such processes, and nothing tells that they were the load's."""
    processes = LocalProcesses()
    before = await processes.snapshot()
    with subprocess.Popen([sys.executable, "-c", BURN.partition(";")[0]], stdout=subprocess.PIPE) as ended:
        assert ended.stdout is not None
        ended.stdout.read()
        os.waitid(os.P_PID, ended.pid, os.WEXITED | os.WNOWAIT)
        others = other_processes(before, await processes.snapshot(), 1.0)
    assert ended.pid not in [process.pid for process in others]


@pytest.mark.parametrize(("over_s", "named"), [(0.01, False), (0.19, False), (0.5, True)])
def test_a_few_clock_ticks_tell_nothing(over_s: float, named: bool) -> None:
    """CPU time comes in hundredths of a second: of 2 ms a single tick would be five cores."""
    ticks = [f"7 (other) S 1 1 1 0 -1 0 0 0 0 0 {utime} 0 0 0 20 0 1 0 5 0 0" for utime in (0, 10)]
    before = snapshot_of(ticks[:1], (), machine=["10.00 0.00", "cpu 0 0 0", "cpu0 0 0 0"])
    after = snapshot_of(ticks[1:], (), machine=[f"{10 + over_s:.2f} 0.00", "cpu 10 0 0", "cpu0 10 0 0"])
    others = other_processes(before, after, 0.002)
    together = other_programs(before, after)
    assert (len(others), together is not None) == (named, named)
    if together is not None:
        assert (others[0].core_pct, together.share_pct) == (20.0, 20.0)


def test_programs_take_no_more_than_the_machine_has() -> None:
    """The list of processes is read a little later than the clock."""
    stats = [f"7 (other) S 1 1 1 0 -1 0 0 0 0 0 {utime} 0 0 0 20 0 1 0 5 0 0" for utime in (0, 60)]
    before = snapshot_of(stats[:1], (), machine=["10.00 0.00", "cpu 0 0 0", "cpu0 0 0 0"])
    after = snapshot_of(stats[1:], (), machine=["10.50 0.00", "cpu 60 0 0", "cpu0 60 0 0"])
    together = other_programs(before, after)
    assert together is not None
    assert together.share_pct == 100.0
