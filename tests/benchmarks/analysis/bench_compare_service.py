"""Comparing 10 thousand stored runs by a running service, over HTTP: first after a start, after a change, and again.

usage: python -m tests.benchmarks.analysis.bench_compare_service [RUNS]

Each case in CPU time of the service and of the process that reads for it too, which other programs do not move.
"""

import http.client
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Self
from urllib.parse import urlencode

import numpy as np
import psutil
from wattmark.results.data_folder import Storage, open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.runs.record import MeterRecord
from wattmark.store.columns import make_samples
from wattmark.store.sample_store import SeriesKey
from wattmark_drivers.clock import SystemClock

from tests.benchmarks.ratio import tell
from tests.benchmarks.service.service_process import cpu_s
from tests.stored_run import make_run

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
CONFIGURATIONS = 40
SECONDS = 90
STARTS = 3
ROUNDS = 9
CHANGES = 3
WATTMARK = Path(sys.executable).with_name("wattmark")
BEGIN_NS = 1_700_000_000_000_000_000


def fill(storage: Storage) -> None:
    """Store finished runs of a minute and a half at one reading a second, and state their results."""
    rng = np.random.default_rng(0)
    statements = Issuer(storage, Evaluations(storage), SystemClock())
    for k in range(RUNS):
        begin_ns = BEGIN_NS + k * 200 * 10**9
        run = make_run(
            f"run-{k:05}", begin_ns=begin_ns, window_s=SECONDS, server=f"s{k % 4}",
            configuration=f"c{k % CONFIGURATIONS}", workload="openssl.rsa1024-sign", level="all threads",
            repeat=k // CONFIGURATIONS, stated_throughput=8000 + rng.normal(0, 10),
            meters=(MeterRecord(name="m", model="x", title="x", reading_pct=1.0, serial="1"),),
        )  # fmt: skip
        t_ns = begin_ns + np.arange(-10, SECONDS + 11) * 10**9
        watts = rng.normal(250 + k % CONFIGURATIONS, 1, len(t_ns))
        series = storage.samples.series(SeriesKey(run.run_id, run.server, "m", "power", "power", "W", "averaged"))
        storage.samples.append([(series.id, make_samples(t_ns, watts))])
        storage.samples.seal(run.run_id)
        storage.runs.put(run)
        statements.first(run)


class Service:
    """A service that was started just now; it is stopped at the end."""

    def __init__(self, folder: Path) -> None:
        command = [str(WATTMARK), "serve", "--port", "0", "--data", str(folder)]
        self._process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert self._process.stderr is not None
        log = self._process.stderr
        self._netloc = next(match[1] for line in log if (match := re.search(r"listens on http://([^/\s]+)", line)))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait(20)
        if self._process.stderr:
            self._process.stderr.close()

    def ask(self, path: str, method: str = "GET", body: object = None) -> tuple[float, float, int]:
        """Time one request: [s] by the clock, [s] of CPU, and the size of the answer [bytes]."""
        connection = http.client.HTTPConnection(self._netloc, timeout=600)
        content = None if body is None else json.dumps(body)
        begin, worked = time.perf_counter(), cpu_s(psutil.Process(self._process.pid))
        connection.request(method, path, content, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        received = answer.read()
        elapsed = time.perf_counter() - begin
        if answer.status >= 400:
            raise SystemExit(received.decode())
        return elapsed, cpu_s(psutil.Process(self._process.pid)) - worked, len(received)


def summary(case: str, times: Sequence[tuple[float, float, int]]) -> str:
    """Say the median of a case in words."""
    elapsed, worked = (sorted(sample[k] for sample in times)[len(times) // 2] * 1e3 for k in (0, 1))
    return f"{case:44} {elapsed:7.0f} ms, {worked:5.0f} ms of CPU, {times[-1][2] / 1e3:6.0f} kB"


def measure(folder: Path, path: str) -> list[str]:
    """Ask one path: first after each of several starts, then again, and each time after one run went or came back."""
    firsts, again, changed = [], [], []
    for _ in range(STARTS):
        with Service(folder) as service:
            firsts.append(service.ask(path))
            again += [service.ask(path) for _ in range(ROUNDS)]
            for _ in range(CHANGES):
                service.ask("/api/runs/run-00007", "DELETE")
                changed.append(service.ask(path))
                service.ask("/api/trash/restore", "POST", {"run_ids": ["run-00007"]})
                changed.append(service.ask(path))
    name = path.partition("?")[0]
    cases = (("first after a start", firsts), ("again", again), ("after one run changed", changed))
    medians = [sorted(elapsed for elapsed, _, _ in times)[len(times) // 2] * 1e3 for _, times in cases]
    tell(f"{name} of {RUNS:_} runs, again", medians[1], medians[0], "ms", "first after a start")
    return [summary(f"{name}, {case}", times) for case, times in cases]


def main() -> None:
    """Print the median times of each case."""
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as name:
        begin = time.perf_counter()
        storage = open_storage(Path(name) / "data")
        fill(storage)
        storage.close()
        sys.stdout.write(f"{RUNS:_} runs measured, evaluated and stated in {time.perf_counter() - begin:.0f} s\n")
        query = urlencode({"workload": "openssl.rsa1024-sign", "level": "all threads"})
        for path in (
            "/api/run-rows",
            "/api/compare/choices",
            f"/api/compare?{query}",
            f"/api/export/compare.csv?{query}",
        ):
            sys.stdout.write("\n".join(measure(Path(name) / "data", path)) + "\n")
            sys.stdout.flush()
    sys.stdout.write(f"load average {os.getloadavg()[0]:.1f}\n")


if __name__ == "__main__":
    main()
