"""Which processes took CPU time beside a load: files in the form of proc_pid_stat(5), and this machine itself."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

from wattmark.campaigns.processes import other_processes, snapshot

TICKS = os.sysconf("SC_CLK_TCK")


def stat(proc: Path, pid: int, name: str, cpu_s: float, started: int = 5, environment: bytes = b"A=1\0") -> None:
    """Write a stat file: utime and stime are the fields 14 and 15, the start time is the field 22."""
    folder = proc / str(pid)
    folder.mkdir(exist_ok=True)
    ticks = round(cpu_s * TICKS)
    before, after = "S 1 1 1 0 -1 4194304 100 0 0 0", f"{ticks // 2} {ticks - ticks // 2} 0 0 20 0 1 0 {started} 0 0"
    (folder / "stat").write_text(f"{pid} ({name}) {before} {after}\n")
    (folder / "environ").write_bytes(environment)


def test_what_took_more_than_a_twentieth_of_a_core_is_named(tmp_path: Path) -> None:
    stat(tmp_path, 10, "quiet", 5.0)
    stat(tmp_path, 11, "back) up (x", 1.0)
    stat(tmp_path, 12, "load", 0.0, environment=b"PATH=/bin\0WATTMARK_LOAD=1-2-3\0")
    stat(tmp_path, 13, "before", 90.0)
    stat(tmp_path, os.getpid(), "wattmark", 0.0)
    (tmp_path / "14").mkdir()
    before = snapshot(tmp_path)
    stat(tmp_path, 10, "quiet", 5.4)
    stat(tmp_path, 11, "back) up (x", 3.0)
    stat(tmp_path, 12, "load", 10.0, environment=b"PATH=/bin\0WATTMARK_LOAD=1-2-3\0")
    stat(tmp_path, 13, "another with its number", 1.0, started=77)
    stat(tmp_path, 15, "new", 6.0)
    stat(tmp_path, os.getpid(), "wattmark", 9.0)
    assert other_processes(before, snapshot(tmp_path), 10.0, tmp_path) == [
        {"pid": 15, "name": "new", "core_pct": 60.0},
        {"pid": 11, "name": "back) up (x", "core_pct": 20.0},
        {"pid": 13, "name": "another with its number", "core_pct": 10.0},
    ]


def test_a_busy_process_of_this_machine_is_seen() -> None:
    begin = time.monotonic()
    before = snapshot()
    with subprocess.Popen([sys.executable, "-c", "while True: pass"]) as busy:
        try:
            while (key := next((one for one in snapshot() if one[0] == busy.pid), None)) is None or (
                snapshot()[key].cpu_s < 0.3
            ):
                assert time.monotonic() - begin < 60
                time.sleep(0.05)
            found = other_processes(before, snapshot(), 1.0)
        finally:
            busy.kill()
    assert busy.pid in [one["pid"] for one in found]
