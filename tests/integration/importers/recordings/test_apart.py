"""The process that reads files: its limits, and that it never outlives who started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from types import ModuleType

import arro3.core as arrow
import arro3.io as parquet
import numpy as np
import pytest
from wattmark.core.apart import Apart
from wattmark.core.errors import InputError
from wattmark.core.wanted import Abandoned, wanted_until

READING = """
import os, resource, time

def forever(path):
    while True:
        time.sleep(60)

def much(path):
    return str(len(bytearray(2**30)))

def facts(path):
    with open("/proc/self/oom_score_adj") as file:
        score = int(file.read())
    return os.getpid(), score, os.nice(0), resource.getrlimit(resource.RLIMIT_DATA)[0]
"""
OWNER = """
import sys
from pathlib import Path
import reading
from wattmark.core.apart import Apart
apart, path = Apart(), Path(sys.argv[1])
print(apart.read(path, reading.facts)[0], flush=True)
apart.read(path, reading.forever)
"""
PATIENCE_S = 60.0


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "file.parquet"
    column = arrow.Array.from_numpy(np.arange(3))
    schema = arrow.Schema([arrow.Field("n", column.type)])
    parquet.write_parquet(arrow.Table.from_arrays([column], schema=schema), str(path))
    return path


@pytest.fixture
def reading(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Functions that the process finds too."""
    (tmp_path / "reading.py").write_text(READING)
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    monkeypatch.syspath_prepend(tmp_path)
    sys.modules.pop("reading", None)
    import reading  # type: ignore[import-not-found]

    return reading  # type: ignore[no-any-return]


def is_gone(pid: int) -> bool:
    try:
        return "State:\tZ" in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return True


def wait_until_gone(pid: int) -> None:
    until = time.monotonic() + PATIENCE_S
    while not is_gone(pid):
        assert time.monotonic() < until
        time.sleep(0.01)


def test_it_steps_back_and_serves_one_file_after_the_other(file: Path, reading: ModuleType) -> None:
    """oom_score_adj as the reader of stored runs: 800, so that the kernel ends it before the service."""
    with Apart(memory_bytes=2**30) as apart:
        pid, score, niceness, memory = apart.read(file, reading.facts)
        assert (score, memory) == (800, 2**30)
        assert niceness >= 10
        assert apart.read(file, reading.facts)[0] == pid != os.getpid()
    assert is_gone(pid)


def test_a_file_that_takes_too_long_is_refused(file: Path, reading: ModuleType) -> None:
    with Apart(time_s=PATIENCE_S) as apart:
        pid = apart.read(file, reading.facts)[0]
        apart._time_s = 0.05
        with pytest.raises(InputError, match=r"file\.parquet .* reading it takes longer than 0\.05 s"):
            apart.read(file, reading.forever)
        assert is_gone(pid)


def test_a_file_that_needs_too_much_memory_is_refused_and_the_next_is_read(file: Path, reading: ModuleType) -> None:
    with Apart(memory_bytes=2**29) as apart:
        with pytest.raises(InputError, match=r"it is damaged, or it needs more than 0\.5 GiB of memory"):
            apart.read(file, reading.much)
        assert apart.read(file, reading.facts)[1] == 800


def test_it_ends_when_nobody_waits_for_it_any_more(file: Path, reading: ModuleType) -> None:
    abandoned = threading.Event()
    with wanted_until(abandoned), Apart() as apart:
        pid = apart.read(file, reading.facts)[0]
        timer = threading.Timer(0.05, abandoned.set)
        timer.start()
        with pytest.raises(Abandoned, match="nothing was kept"):
            apart.read(file, reading.forever)
        assert is_gone(pid)


def test_it_dies_with_who_started_it(file: Path, reading: ModuleType) -> None:
    owner = subprocess.Popen([sys.executable, "-c", OWNER, str(file)], stdout=subprocess.PIPE, text=True)
    assert owner.stdout is not None
    pid = int(owner.stdout.readline())
    assert not is_gone(pid)
    owner.send_signal(signal.SIGKILL)
    owner.communicate()
    wait_until_gone(pid)


def test_one_whose_starter_has_died_already_ends_at_once() -> None:
    command = [
        sys.executable,
        "-P",
        "-m",
        "wattmark.core.apart_process",
        str(2**22 - 1),
        "1",
        str(2**30),
    ]
    ended = subprocess.run(command, stdin=subprocess.DEVNULL, timeout=PATIENCE_S, check=False)
    assert ended.returncode == -signal.SIGKILL
