"""The kernel runs out of memory for the group of processes in which a service and its load run.

What must hold: a load that takes all memory is what the kernel kills, not the service; its run fails in words and the
service goes on. Where the service itself is killed, nothing that was committed is lost and the load ends too.
"""

from __future__ import annotations

import os
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from wattmark.results.data_folder import LAYOUT
from wattmark.store.database import FILE_NAME
from wattmark.store.verify import verify

from ..integration.conftest import lab, write_bench
from ..integration.service.conftest import Service, Start, start, wait_until

__all__ = ["lab", "start", "write_bench"]
V1, V2 = Path("/sys/fs/cgroup/memory"), Path("/sys/fs/cgroup")
LIMIT = 600 * 2**20
HUNGRY = """\
workloads:
  - id: hungry
    title: Takes all memory
    unit: works
    command: ["python3", "-c", {program}]
    parser: {{kind: regex, pattern: '^work (?P<value>[0-9]+)$', reports: interval-amount}}
"""
PROGRAM = (
    "import time; kept = []; "
    "[(kept.append(b'x' * 2**23), print('work 1', flush=True), time.sleep(0.02)) for _ in range(10**4)]"
)


class Group:
    """A cgroup with a bound on memory, of whichever version the machine has."""

    def __init__(self, limit: int) -> None:
        root = V1 if (V1 / "memory.limit_in_bytes").exists() else V2
        self._folder = root / f"wattmark-test-{os.getpid()}"
        try:
            self._folder.mkdir()
            name = "memory.limit_in_bytes" if root == V1 else "memory.max"
            (self._folder / name).write_text(str(limit))
        except OSError as error:
            pytest.fail(f"This attack needs root and the memory controller of cgroups: {error}")

    def add(self, process: int) -> None:
        (self._folder / "cgroup.procs").write_text(str(process))

    def remove(self) -> None:
        end = time.monotonic() + 30
        while time.monotonic() < end:
            try:
                self._folder.rmdir()
            except OSError:
                time.sleep(0.2)
            else:
                return


@pytest.fixture
def group() -> Iterator[Group]:
    made = Group(LIMIT)
    yield made
    made.remove()


def test_a_load_that_takes_all_memory_is_killed_and_the_service_goes_on(
    start: Start, write_bench: Callable[..., Path], tmp_path: Path, group: Group
) -> None:
    bench = write_bench(60, bmc=False)
    text = bench.read_text().replace("openssl.rsa512-sign", "hungry")
    bench.write_text(text + HUNGRY.format(program=f'"{PROGRAM}"'))
    service = start(tmp_path / "data", bench=bench)
    group.add(service.process.pid)
    status, answer = service.ask("POST", "/api/campaign", {"plan": "short"})
    assert status == 202, answer
    ended = service.campaign_end(120)
    assert service.process.poll() is None, "the kernel killed the service instead of the load"
    assert ended["state"] == "failed", ended
    (row,) = service.get("/api/run-rows")["rows"]
    assert "memory" in str(row["reason"]).lower() or "killed" in str(row["reason"]).lower(), row
    assert service.get("/api/health")["status"] == "ok"
    assert service.end() == 0


def test_a_service_that_is_killed_for_memory_loses_nothing_and_its_load_ends(
    start: Start, write_bench: Callable[..., Path], tmp_path: Path, group: Group
) -> None:
    data, bench = tmp_path / "data", write_bench(600, bmc=False)
    service = start(data, bench=bench)
    service.start_and_measure()
    group.add(service.process.pid)
    (Path("/proc") / str(service.process.pid) / "oom_score_adj").write_text("1000")
    hog = subprocess.Popen(["python3", "-c", "b = bytearray(2**30)\nfor i in range(0, 2**30, 4096): b[i] = 1"])
    group.add(hog.pid)
    service.process.wait(60)
    hog.kill()
    hog.wait()
    wait_until(lambda: service.loads() == [])
    assert verify(data / FILE_NAME, LAYOUT) == []
    again: Service = start(data, bench=bench)
    assert [row["status"] for row in again.get("/api/run-rows")["rows"]] == ["interrupted"]
    assert again.get("/api/campaign")["resumable"]
