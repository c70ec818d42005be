"""10,000 runs with issued results and a billion samples in one store: start, list, open a run, read and draw it.

usage: python -m tests.benchmarks.store.bench_scale [SAMPLES] [RUNS] [FOLDER]

Fewer samples where the disk has no room for all, and it says so. A store in FOLDER is kept, and measured again without
generating it; without FOLDER it lies beside the working folder meanwhile. Times of the service are by the clock; beside
them the CPU time of the service with the process that reads for it.
"""

import http.client
import json
import re
import shutil
import subprocess
import sys
import tempfile
import time
from functools import partial
from pathlib import Path

import numpy as np
import psutil
from wattmark.results.data_folder import Storage, open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.runs.record import MeterRecord, RunRecord
from wattmark.store import chunks
from wattmark.store.columns import make_samples
from wattmark.store.sample_store import SeriesKey
from wattmark_drivers.clock import SystemClock

from tests.benchmarks.ratio import shortest_s, tell
from tests.benchmarks.service.service_process import cpu_s
from tests.stored_run import make_run

S = 10**9
BEGIN_NS = 1_700_000_000 * S
CHANNELS = ("power", "voltage", "current", "power_factor")
BYTES_PER_SAMPLE = 17
ROUNDS = 5
RUNS_PER_COMMIT = 20
LARGE = "large"
LARGE_SERIES = 12


def record(run_id: str, number: int) -> RunRecord:
    begin_ns = BEGIN_NS + number * 3600 * S
    return make_run(
        run_id, begin_ns=begin_ns, window_s=60, amount=80_000, every_s=10, server=f"s{number % 50}",
        configuration=f"c{number % 7}", workload="rsa",
        meters=(MeterRecord(name="wall", model="m", title="Meter", reading_pct=0.1, fixed_w=0.2, resolution_w=0.01),),
    )  # fmt: skip


def key(run_id: str, channel: str, source: str = "wall") -> SeriesKey:
    return SeriesKey(run_id, "s", source, channel, channel, "W", "averaged")


def generate(storage: Storage, runs: int, samples: int) -> None:
    """Write runs of equal size, sealed and stated, samples spread over the channels; and one of 432,000 samples."""
    clock = SystemClock()
    per_series = max(samples // runs // len(CHANNELS), 100)
    value = np.random.default_rng(0).normal(300, 5, per_series)
    offset_ns = np.arange(per_series) * max(60 * S // per_series, 1)

    def write(stores: Storage, first: int) -> None:
        statements = Issuer(stores, Evaluations(stores), clock)
        for number in range(first, min(first + RUNS_PER_COMMIT, runs)):
            run = record(f"r{number:05d}", number)
            columns = make_samples(run.created_ns + offset_ns, value)
            for channel in CHANNELS:
                series = stores.samples.series(key(run.run_id, channel))
                stores.database.write(partial(chunks.write, series_id=series.id, samples=columns))
            stores.runs.put(run)
            statements.first(run)

    for first in range(0, runs, RUNS_PER_COMMIT):
        storage.all_or_nothing(partial(write, first=first))
    storage.runs.put(record(LARGE, runs))
    hour = make_samples(BEGIN_NS + runs * 3600 * S + np.arange(36_000) * (S // 10), np.resize(value, 36_000))
    batch = [(storage.samples.series(key(LARGE, "power", f"m{n}")).id, hour) for n in range(LARGE_SERIES)]
    begin = time.perf_counter()
    storage.samples.append(batch)
    storage.samples.seal(LARGE)
    rate = 36_000 * LARGE_SERIES / (time.perf_counter() - begin) / 1e6
    say("bulk: one run of 432,000 samples, appended and sealed", rate, "M samples/s")
    Issuer(storage, Evaluations(storage), clock).first(record(LARGE, runs))


def say(what: str, figure: float, unit: str = "ms", limit: float | None = None, note: str = "") -> None:
    """Print a figure, beside its limit where it has one."""
    if limit is None:
        sys.stdout.write(f"{what}: {figure:.1f} {unit} {note}\n")
        sys.stdout.flush()
    else:
        tell(what, figure, limit, unit, f"its limit {note}".strip(), "<= 1")


def measure_store(folder: Path) -> None:
    say("open the store", 1e3 * shortest_s(lambda: open_storage(folder).close(), ROUNDS))
    storage = open_storage(folder, read_only=True)
    numbers = [series.id for series in storage.samples.list_series(LARGE)]
    say(
        "read one run of 432,000 samples",
        1e3 * shortest_s(lambda: [storage.samples.read(n) for n in numbers], ROUNDS),
        limit=10,
    )
    say("draw it at 2000 px", 1e3 * shortest_s(lambda: [storage.samples.envelope(n, 2000) for n in numbers], ROUNDS))
    say("list the records", 1e3 * shortest_s(storage.runs.all, ROUNDS), limit=200)
    storage.close()


def measure_service(folder: Path) -> None:
    command = [str(Path(sys.executable).with_name("wattmark")), "serve", "--port", "0", "--data", str(folder)]
    begin = time.perf_counter()
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as service:
        assert service.stderr is not None
        listening = next(match for line in service.stderr if (match := re.search(r"listens on http://([^/\s]+)", line)))
        say("start the service", (time.perf_counter() - begin) * 1e3, limit=2000)
        process = psutil.Process(service.pid)
        say("start the service, CPU time", cpu_s(process) * 1e3)

        def get(path: str) -> bytes:
            connection = http.client.HTTPConnection(listening[1], timeout=600)
            connection.request("GET", path)
            content = connection.getresponse().read()
            connection.close()
            return content

        def ask(what: str, path: str, limit: float | None = None, rounds: int = ROUNDS) -> None:
            before_s = cpu_s(process)
            by_clock = 1e3 * shortest_s(lambda: get(path), rounds)
            say(what, by_clock, limit=limit, note=f"(CPU {(cpu_s(process) - before_s) / rounds * 1e3:.0f} ms)")

        ask("list 200 runs of all, first time", "/api/run-rows", 200, 1)
        ask("list 200 runs of all", "/api/run-rows", 200)
        ask("filter and sort them", "/api/run-rows?text=c3&sort=-power", 200)
        ask("list all runs", "/api/run-rows?limit=100000", 200)
        ask("open a run, first time", "/api/runs/r00042", 500, 1)
        ask("open a run", "/api/runs/r00042", 500)
        ask("its traces at 1200 px", "/api/runs/r00042/traces")
        ask("100 whole results, first time", "/api/runs", rounds=1)
        ask("1000 whole results", "/api/runs?limit=1000", rounds=2)
        say("runs listed", json.loads(get("/api/run-rows?limit=1"))["total"], "")
        service.terminate()


def fill(folder: Path, samples: int, runs: int) -> None:
    """Generate the store, with as many samples as the disk has room for."""
    folder.mkdir(parents=True, exist_ok=True)
    room = int(shutil.disk_usage(folder).free * 0.8) // BYTES_PER_SAMPLE
    if room < samples:
        sys.stdout.write(f"The disk has room for {room:,} samples only, not for {samples:,}.\n")
    storage = open_storage(folder)
    begin = time.perf_counter()
    generate(storage, runs, min(samples, room))
    storage.close()
    say("generate the store, results evaluated and stated", time.perf_counter() - begin, "s")


def main(samples: str = "1e9", runs: str = "1e4", keep_in: str | None = None) -> None:
    """Generate a store where there is none yet, and print its figures."""
    with tempfile.TemporaryDirectory(dir=Path.cwd()) as name:
        folder = Path(keep_in or name)
        if not (folder / "wattmark.db").exists():
            fill(folder, int(float(samples)), int(float(runs)))
        say("size of the file", (folder / "wattmark.db").stat().st_size / 1e9, "GB")
        measure_store(folder)
        measure_service(folder)


if __name__ == "__main__":
    main(*sys.argv[1:])
