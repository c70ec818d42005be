"""The web app in the system's Chromium on a real service: each figure against its limit.

usage: python -m tests.benchmarks.web.bench_web [seconds of live view, 60 by default; 600 for the whole check of memory]
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TypedDict

import numpy as np
from wattmark.results.data_folder import Storage, open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.runs.record import MeterRecord, RunRecord
from wattmark.store.columns import make_samples
from wattmark.store.sample_store import SeriesKey
from wattmark_drivers.clock import SystemClock
from wattmark_drivers.simulators.simulated_lab import SimulatedLab

from tests.benchmarks.ratio import tell
from tests.generated_lab import store_lab
from tests.stored_run import make_run


class Figure(TypedDict):
    """The median of what was measured, with its limit and the range of its repetitions where there are."""

    name: str
    value: float
    unit: str
    limit: float | None
    range: list[float] | None


LIVE_S = int(sys.argv[1]) if len(sys.argv) > 1 else 60
HERE = Path(__file__).parent
PROGRAMS = Path(sys.executable)
SAMPLES, STEP_NS = 10_000_000, 10**8
MILLION = 1_000_000
POWER = {"power": "W"}
THREE = {**POWER, "utilisation": "%", "voltage": "V"}
RUNS = 1000
METERS = 4
BEGIN_NS = 1_600_000_000 * 10**9


def record(run_id: str, k: int, begin_ns: int, seconds: float) -> RunRecord:
    """Describe a finished run."""
    return make_run(
        run_id, begin_ns=begin_ns, configuration=f"c{k % 8}", workload="bench", level="all threads", repeat=k // 8,
        unit="operations", stated_throughput=8000.0 + k % 7, full_load_limit_pct=None, window_begin_ns=begin_ns,
        window_end_ns=begin_ns + round(seconds * 1e9),
        meters=(MeterRecord(name="m", model="x", title="x", reading_pct=1.0, serial="1"),),
    )  # fmt: skip


def keep(
    storage: Storage, statements: Issuer, run: RunRecord, t_ns: np.ndarray, quantities: dict[str, str] = POWER
) -> None:
    """Store a run with its samples of each quantity (and its unit) and its result."""
    values = np.random.default_rng(len(run.run_id)).normal(250 + run.repeat % 5, 1, len(t_ns))
    for quantity, unit in quantities.items():
        series = storage.samples.series(SeriesKey(run.run_id, run.server, "m", quantity, quantity, unit, "averaged"))
        for begin in range(0, len(t_ns), 1_000_000):
            part = slice(begin, begin + 1_000_000)
            storage.samples.append([(series.id, make_samples(t_ns[part], values[part]))])
    storage.samples.seal(run.run_id)
    storage.runs.put(run)
    statements.first(run)


def fill(folder: Path) -> None:
    """Store a thousand short runs, one of three quantities a million times each, and one of ten million samples."""
    storage = open_storage(folder)
    statements = Issuer(storage, Evaluations(storage), SystemClock())
    for k in range(RUNS):
        begin_ns = BEGIN_NS + k * 200 * 10**9
        keep(storage, statements, record(f"run-{k:04}", k, begin_ns, 90), begin_ns + np.arange(-10, 101) * 10**9)
    begin_ns = BEGIN_NS + 10**6 * 10**9
    million = begin_ns + np.arange(MILLION) * 10**6
    keep(storage, statements, record("million", 0, begin_ns, MILLION * 1e-3), million, THREE)
    long = begin_ns + np.arange(SAMPLES) * STEP_NS
    keep(storage, statements, record("long", 0, begin_ns + 1, SAMPLES * STEP_NS * 1e-9), long)
    storage.close()


def bench_file(folder: Path, lab: SimulatedLab) -> Path:
    """Describe the simulated meters at 50 readings a second each."""
    urls = [lab.devices[f"m{k}"].url for k in range(METERS)]
    lines = "".join(
        f'  - {{id: m{k}, model: eastron.sdm630, url: "{url}", period_s: 0.02, {role}feeds: [{{server: s}}]}}\n'
        for k, (url, role) in enumerate(zip(urls, ["", *["role: secondary, "] * (METERS - 1)], strict=True))
    )
    path = folder / "bench.yaml"
    path.write_text(
        "schema: wattmark-bench/1\nlab: Speed\nservers:\n  - id: s\n    access: {local: true}\n    configurations:\n"
        f"      - {{id: c, cpu: {{model: any}}, os: {{name: any, kernel: any}}}}\nmeters:\n{lines}"
    )
    return path


def address(log_file: Path) -> str:
    """Wait until the service says where it listens; what it says goes to a file, for a full pipe would stop it."""
    for _ in range(600):
        if match := re.search(r"listens on (http://[^/\s\"]+)", log_file.read_text()):
            return match[1]
        time.sleep(0.1)
    raise SystemExit(f"The service does not answer:\n{log_file.read_text()}")


def measure(folder: Path, steps: str, *options: str) -> list[Figure]:
    """Serve the folder, and let Chromium measure some steps."""
    wattmark = str(PROGRAMS.with_name("wattmark"))
    command = [wattmark, "serve", "--port", "0", "--data", str(folder), *options]
    log_file = folder / "said.txt"
    with log_file.open("w") as log:
        service = subprocess.Popen(command, stderr=log, stdout=log)
        try:
            script = [str(PROGRAMS.with_name("node")), str(HERE / "measure.mjs"), address(log_file), str(LIVE_S), steps]
            environment = {**os.environ, "CHROMIUM": shutil.which("chromium") or ""}
            done = subprocess.run(script, check=True, text=True, stdout=subprocess.PIPE, env=environment)
        finally:
            service.terminate()
            service.wait(30)
    answer = json.loads(done.stdout.strip().splitlines()[-1])
    if answer["failed"]:
        sys.stdout.write(f"{answer['failed']} measurements of {steps} failed: see above\n")
    figures: list[Figure] = answer["figures"]
    return figures


def show(figure: Figure) -> None:
    """Print a figure beside its limit, and the range of its repetitions."""
    if (limit := figure["limit"]) is None:
        sys.stdout.write(f"{figure['name']}: {figure['value']} {figure['unit']}\n")
    else:
        tell(figure["name"], figure["value"], limit, figure["unit"], "its limit", "<= 1")
    if spread := figure["range"]:
        sys.stdout.write(f"  {spread[0]} to {spread[1]}\n")


def main() -> None:
    """Print each figure beside its limit, with the load of the machine meanwhile."""
    power = {"servers": {"s": {"idle_w": 300.0, "dynamic_w": 160.0, "dimms": 2, "psu": {"rated_w": 1500}}}}
    devices = {f"m{k}": {"model": "eastron.sdm630", "measures": ["s"]} for k in range(METERS)}
    before = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as name, SimulatedLab({**power, "devices": devices}) as lab:
        folder = Path(name)
        fill(folder / "data")
        figures = measure(folder / "data", "compare,longRun,millionSamples,fullFigures")
        store_lab(folder / "lab")
        figures += measure(folder / "lab", "compareMany")
        bench = str(bench_file(folder, lab))
        figures += measure(folder / "data", "firstVisit,liveFrames,liveMemory", "--bench", bench)
    for figure in figures:
        show(figure)
    sys.stdout.write(f"load average {before:.1f} before, {os.getloadavg()[0]:.1f} after\n")


if __name__ == "__main__":
    main()
