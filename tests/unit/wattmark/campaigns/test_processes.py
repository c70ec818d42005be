"""Which processes took CPU time beside a load: files in the form of proc_pid_stat(5), and this machine itself."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from wattmark.campaigns.watch.processes import TICKS_PER_S, LocalProcesses, other_processes, other_programs, snapshot_of
from wattmark.runs.disclosure import OtherProcess

BURN = "import time\nwhile time.process_time() < 0.3: pass\nprint(flush=True); time.sleep(1000)"


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


async def test_a_busy_process_of_this_machine_is_seen() -> None:
    processes = LocalProcesses()
    before = await processes.snapshot()
    with subprocess.Popen([sys.executable, "-c", BURN], stdout=subprocess.PIPE) as busy:
        try:
            assert busy.stdout is not None
            busy.stdout.readline()
            others = other_processes(before, await processes.snapshot(), 1.0)
        finally:
            busy.kill()
    assert busy.pid in [process.pid for process in others]


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
