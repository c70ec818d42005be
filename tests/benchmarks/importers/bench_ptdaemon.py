"""A PTDaemon log imported, evaluated and converted: MB/s, peak memory, time as a multiple of reading its lines.

usage: python -m tests.benchmarks.importers.bench_ptdaemon [MEGABYTES, 1000 by default]

The log has one sample a second as PTDaemon writes them, an error sentinel and a torn line in each 10 MB; `convert`,
which refuses a torn line, gets it without them. Each figure is taken in a fresh process, so that its memory is its own.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from wattmark.importers.bring_in import import_source
from wattmark.importers.importer import Choices, ImportedRun
from wattmark.importers.ptdaemon.ptdaemon_import import PTDAEMON_LOG
from wattmark.importers.recordings.parquet_log import write_parquet
from wattmark.importers.recordings.ptdaemon_log import read_ptdaemon
from wattmark.results.data_folder import open_storage
from wattmark.results.evaluate import evaluate

from tests.benchmarks.ratio import tell

MB = 10**6
BEGIN_S = 1_600_000_000
HOUR = 3600
WHOLE = "whole.txt"
"""The log without its torn lines."""
STEPS = ("lines", "parse", "import", "evaluate", "convert")


def write_log(path: Path, size: int) -> int:
    """Write a log of at least so many bytes; return its lines."""
    random, lines, torn = np.random.default_rng(0), 0, 0
    with path.open("w") as file:
        while file.tell() < size:
            watts = random.normal(400, 150, HOUR).clip(1, None).tolist()
            if file.tell() // (10 * MB) >= torn:
                watts[100], torn = -1.0, torn + 1
                file.write("Time,09-13-2020 12:2\n")
                lines += 1
            hour = datetime.fromtimestamp(BEGIN_S + lines, UTC).strftime("%m-%d-%Y %H:")
            file.writelines(
                f"Time,{hour}{k // 60:02d}:{k % 60:02d}.371,Watts,{w:.6f},Volts,206.740000,Amps,{w / 200:.6f},"
                "PF,0.959300,Mark,2021-03-18_21-13-30_testing\n"
                for k, w in enumerate(watts)
            )
            lines += HOUR
    return lines


def run_step(step: str, path: Path, folder: Path) -> int:
    """Do one step; return how many lines or samples it saw."""
    if step == "lines":
        with path.open() as file:
            return sum(1 for _ in file)
    if step == "parse":
        (pending,) = PTDAEMON_LOG.find(path, Choices(zone=UTC))
        item = pending.read()
        assert isinstance(item, ImportedRun)
        return sum(len(samples) for block in item.blocks() for _, samples in block)
    if step == "convert":
        with (folder / "spl.parquet").open("wb") as written:
            recording = read_ptdaemon(folder / WHOLE)
            write_parquet(recording, written)
        return sum(len(column.samples) for column in recording.columns)
    storage = open_storage(folder / "data")
    if step == "evaluate":
        (run,) = storage.runs.all()
        result = evaluate(run, storage.samples)
        (series,) = storage.samples.list_series(run.run_id)
        storage.close()
        assert result.power is not None
        return series.n
    (outcome,) = import_source(PTDAEMON_LOG, path, storage.samples, storage.runs, Choices(zone=UTC))
    assert outcome.run_id is not None
    (series,) = storage.samples.list_series(outcome.run_id)
    storage.close()
    return series.n


def show(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def measure(step: str, path: Path, folder: Path) -> float:
    """Print the figures of a step in a process of its own; return its time [s]."""
    command = [sys.executable, "-m", "tests.benchmarks.importers.bench_ptdaemon", step, str(path), str(folder)]
    took, cpu, peak, count = map(
        float, subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
    )
    rate = path.stat().st_size / MB / took
    show(f"{step:8} {took:6.1f} s ({cpu:.1f} s CPU) {rate:6.0f} MB/s  peak {peak:4.0f} MB  {count:,.0f} read")
    return took


def main() -> None:
    """Print each step, and how much longer than reading lines it takes."""
    if sys.argv[1:2] and sys.argv[1] in STEPS:
        began, cpu = time.perf_counter(), time.process_time()
        count = run_step(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MB
        sys.stdout.write(f"{time.perf_counter() - began} {time.process_time() - cpu} {peak} {count}\n")
        return
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    with tempfile.TemporaryDirectory(dir=".") as name:
        folder = Path(name)
        path = folder / "spl.txt"
        lines = write_log(path, size * MB)
        with path.open() as log, (folder / WHOLE).open("w") as whole:
            whole.writelines(line for line in log if "Watts" in line)
        show(f"{path.stat().st_size / MB:.0f} MB, {lines:,} lines; load {os.getloadavg()[0]:.1f}")
        took = {step: measure(step, path, folder) for step in STEPS}
        for step in STEPS[1:]:
            tell(f"PTDaemon log of {size} MB: {step}", took[step], took["lines"], "s", "`for line in file`")
        show(f"load {os.getloadavg()[0]:.1f}")


if __name__ == "__main__":
    main()
