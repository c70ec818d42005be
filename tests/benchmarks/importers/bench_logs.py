"""Reading plain logs: MB/s of processor time and peak memory, for a narrow and a wide format.

usage: python -m tests.benchmarks.importers.bench_logs [MEGABYTES, 200 by default]

A tenth of the size is read first: the peak memory of the whole must not be far above. Each figure is taken in a fresh
process, so that its memory is its own.
"""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path

from wattmark.importers.importer import Choices, ImportedRun
from wattmark.importers.kinds import KINDS

from tests.benchmarks.ratio import tell

MB = 10**6
BEGIN_S = 1_600_000_000
DCMI = "instantaneous_power_reading"
COLUMNS = 200
HEADING = "Date,Time," + ",".join(f'"Sensor {k} [W]"' for k in range(COLUMNS)) + ",\n"


def write_points(path: Path, size: int) -> None:
    """Write a reading of 20 machines each second in line protocol."""
    with path.open("w") as file:
        second = BEGIN_S
        while file.tell() < size:
            file.writelines(
                f"ipmi_sensor,name={DCMI},server=node{k},unit=watts value={300 + k} {second}000000000\n"
                for second in range(second, second + 100)
                for k in range(20)
            )
            second += 100


def write_sensors(path: Path, size: int) -> None:
    """Write a row of 200 sensors every 2 s as HWiNFO does."""
    with path.open("w") as file:
        file.write(HEADING)
        values = ",".join(f"{k / 7:.3f}" for k in range(COLUMNS))
        second = BEGIN_S
        while file.tell() < size:
            when = datetime.fromtimestamp(second, UTC)
            file.write(f"{when.day}.{when.month}.{when.year},{when:%H:%M:%S}.250,{values},\n")
            second += 2


WRITERS = {"telegraf": write_points, "hwinfo": write_sensors}


def read(kind: str, path: Path) -> int:
    """Read a log as an import does, without the store; return its samples."""
    (pending,) = KINDS[kind].find(path, Choices(zone=UTC))
    item = pending.read()
    assert isinstance(item, ImportedRun)
    return sum(len(samples) for block in item.blocks() for _, samples in block)


def main() -> None:
    """Print a line for each format and size."""
    if sys.argv[1:2] and sys.argv[1] in WRITERS:
        count = read(sys.argv[1], Path(sys.argv[2]))
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024 / MB
        sys.stdout.write(f"{time.process_time()} {peak} {count}\n")
        return
    size = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with tempfile.TemporaryDirectory(dir=".") as folder:
        for kind, write in WRITERS.items():
            peaks = []
            for part in (size // 10, size):
                path = Path(folder) / "log.txt"
                write(path, part * MB)
                command = [sys.executable, "-m", "tests.benchmarks.importers.bench_logs", kind, str(path)]
                answer = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout.split()
                cpu_s, peak, samples = map(float, answer)
                rate = path.stat().st_size / MB / cpu_s
                figures = f"{cpu_s:6.1f} s CPU, {rate:5.1f} MB/s, peak {peak:4.0f} MB, {samples:,.0f} samples"
                sys.stdout.write(f"{kind:9} {part:6.0f} MB {figures}\n")
                sys.stdout.flush()
                peaks.append(peak)
            tell(f"{kind} log of {size} MB: peak memory", peaks[1], peaks[0], "MB", "a log of a tenth", "<= 1.2")


if __name__ == "__main__":
    main()
