"""Comparing 10 thousand stored runs by a running service, over HTTP: first and following requests."""

import http.client
import os
import re
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from urllib.parse import urlencode

import numpy as np
from wattmark.appliance.queries import Queries
from wattmark.appliance.statements import Statements
from wattmark.published.library import load_published
from wattmark.runs.record import MeterRecord, RunRecord, RunStatus
from wattmark.storage.columns import make_samples
from wattmark.storage.open import Storage, open_storage
from wattmark.storage.sample_store import SeriesKey
from wattmark_drivers.clock import SystemClock

RUNS = int(sys.argv[1]) if len(sys.argv) > 1 else 10_000
CONFIGURATIONS = 40
SECONDS = 90
ROUNDS = 9
WATTMARK = Path(sys.executable).with_name("wattmark")
BEGIN_NS = 1_700_000_000_000_000_000


def fill(storage: Storage) -> None:
    """Store finished runs of a minute and a half at one reading a second, and state their results."""
    rng = np.random.default_rng(0)
    statements = Statements(storage, Queries(storage, load_published()), SystemClock())
    for k in range(RUNS):
        begin_ns = BEGIN_NS + k * 200 * 10**9
        run = RunRecord(
            run_id=f"run-{k:05}",
            server=f"s{k % 4}",
            configuration=f"c{k % CONFIGURATIONS}",
            workload="openssl.rsa1024-sign",
            level="all threads",
            repeat=k // CONFIGURATIONS,
            status=RunStatus.COMPLETE,
            created_ns=begin_ns,
            unit="signs",
            stated_throughput=8000 + rng.normal(0, 10),
            window_begin_ns=begin_ns,
            window_end_ns=begin_ns + SECONDS * 10**9,
            meters=(MeterRecord(name="m", model="x", title="x", reading_pct=1.0, serial="1"),),
        )
        t_ns = begin_ns + np.arange(-10, SECONDS + 11) * 10**9
        watts = rng.normal(250 + k % CONFIGURATIONS, 1, len(t_ns))
        series = storage.samples.series(SeriesKey(run.run_id, run.server, "m", "power", "power", "W", "averaged"))
        storage.samples.append([(series.id, make_samples(t_ns, watts))])
        storage.samples.seal(run.run_id)
        storage.runs.put(run)
        statements.first(run)


def ask(netloc: str, path: str) -> tuple[float, int]:
    """Time one request [s]; gives the size of the answer [bytes] too."""
    connection = http.client.HTTPConnection(netloc, timeout=600)
    begin = time.perf_counter()
    connection.request("GET", path)
    answer = connection.getresponse()
    content = answer.read()
    elapsed = time.perf_counter() - begin
    if answer.status != 200:
        raise SystemExit(content.decode())
    return elapsed, len(content)


def main() -> None:
    """Print the times of the first request after a start and of those after it."""
    lines = []
    with tempfile.TemporaryDirectory(dir="/dev/shm" if Path("/dev/shm").is_dir() else None) as name:
        begin = time.perf_counter()
        storage = open_storage(Path(name) / "data")
        fill(storage)
        storage.close()
        lines.append(f"{RUNS:_} runs measured, evaluated and stated in {time.perf_counter() - begin:.0f} s")
        command = [str(WATTMARK), "serve", "--port", "0", "--data", str(Path(name) / "data")]
        service = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        assert service.stderr is not None
        netloc = next(found[1] for line in service.stderr if (found := re.search(r"listens on http://([^/\s]+)", line)))
        query = urlencode({"workload": "openssl.rsa1024-sign", "level": "all threads"})
        for path in ("/api/compare/choices", f"/api/compare?{query}", f"/api/export/compare.csv?{query}"):
            first, size = ask(netloc, path)
            best = sorted(ask(netloc, path)[0] for _ in range(ROUNDS))
            told = f"first {first * 1e3:7.0f} ms, then {best[0] * 1e3:.0f} ms (median {best[ROUNDS // 2] * 1e3:.0f} ms)"
            lines.append(f"{path.partition('?')[0]:28} {told}, {size / 1e3:.0f} kB")
        service.terminate()
        service.wait(20)
        service.stderr.close()
    sys.stdout.write("\n".join(lines) + f"\nload average {os.getloadavg()[0]:.1f}\n")


if __name__ == "__main__":
    main()
