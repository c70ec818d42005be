"""A laboratory of generated runs, as large as one likes: for benchmarks and browser tests.

usage: python -m tests.generated_lab FOLDER [SERVERS CONFIGURATIONS REPEATS WORKLOADS]
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from wattmark.results.data_folder import Storage, open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.runs.record import MeterRecord
from wattmark.store.columns import make_samples
from wattmark.store.sample_store import SeriesKey
from wattmark_drivers.clock import SystemClock

from tests.stored_run import make_run

S = 10**9
BEGIN_NS = 1_700_000_000 * S
WINDOW_S = 60
RUNS_PER_COMMIT = 200
CPUS = ("Xeon 6430", "Xeon 8592+", "EPYC 9354", "EPYC 9654", "Ampere Q80", "Power10 SCM")
MODULES = (("RDIMM", 16), ("RDIMM", 32), ("RDIMM", 64), ("LRDIMM", 64), ("LRDIMM", 128))
COUNTS = (2, 4, 8, 12)
WORKLOADS = (
    ("openssl.rsa2048-sign", "all threads", "signs", 9000.0),
    ("7zip.compress", "all threads", "MB", 420.0),
    ("stress-ng.stream", "all threads", "GB", 180.0),
    ("sysbench.memory", "all threads", "MiB", 52000.0),
)


@dataclass(frozen=True, slots=True)
class Build:
    """A configuration of a server, and what it does and draws in this made-up world."""

    server: int
    number: int

    @property
    def server_id(self) -> str:
        return f"node-{self.server + 1:02}"

    @property
    def module(self) -> tuple[str, int]:
        return MODULES[self.number // len(COUNTS) % len(MODULES)]

    @property
    def count(self) -> int:
        return COUNTS[self.number % len(COUNTS)]

    @property
    def title(self) -> str:
        kind, gib = self.module
        return f"{self.count} x {gib} GiB {kind}"

    @property
    def power_w(self) -> float:
        """Mean power [W]: that of the server, and of each module."""
        return 260.0 + 23.0 * self.server + self.count * (2.5 + 0.03 * self.module[1])

    @property
    def speed(self) -> float:
        """Throughput by that of the slowest server with the fewest modules [1]."""
        return (1 + 0.11 * ((self.server * 5) % 12)) * (1 + 0.035 * np.log2(self.count))

    @property
    def snapshot(self) -> dict[str, Any]:
        """Describe the configuration as a campaign keeps it in a record."""
        kind, gib = self.module
        slots = {f"{'ABCDEFGHIJKL'[k]}1": {"type": kind, "capacity_gib": gib} for k in range(self.count)}
        cpu = CPUS[self.server % len(CPUS)]
        return {
            "id": f"c{self.number + 1:02}",
            "title": self.title,
            "cpu": cpu,
            "cpu_count": 2,
            "memory_type": kind,
            "memory_gib": float(self.count * gib),
            "dimm_count": self.count,
            "modules": [{"slot": slot, "channel": slot[0], **module} for slot, module in slots.items()],
            "declared": {"cpu": {"model": cpu, "sockets": 2}, "memory": {"slots": slots}},
        }


def store_lab(folder: Path, servers: int = 12, configurations: int = 20, repeats: int = 9, workloads: int = 1) -> int:
    """Store every configuration of every server under each workload, issued; returns the number of runs.

    Not everything went well, as in a real laboratory: the third configuration of every fourth server lost readings in
    all runs, the meter of the last of several servers has no stated accuracy, and the fifth configuration ran once.
    """
    storage = open_storage(folder)
    runs = list(_runs(servers, configurations, repeats, workloads))

    def write(stores: Storage, first: int) -> None:
        issuer = Issuer(stores, Evaluations(stores), SystemClock())
        for number in range(first, min(first + RUNS_PER_COMMIT, len(runs))):
            last = servers > 1 and runs[number][0].server == servers - 1
            _store(stores, issuer, number, *runs[number], last_server=last)

    for first in range(0, len(runs), RUNS_PER_COMMIT):
        storage.all_or_nothing(partial(write, first=first))
    storage.close()
    return len(runs)


def _runs(servers: int, configurations: int, repeats: int, workloads: int) -> Iterator[tuple[Build, int, int]]:
    """Iterate over builds with the number of the workload and of the repeat."""
    for repeat in range(repeats):  # measured in turns: what changes in time is in no difference
        for server in range(servers):
            for number in range(configurations):
                if number != 4 or repeat == 0:
                    yield from ((Build(server, number), workload, repeat) for workload in range(workloads))


def _store(
    storage: Storage, issuer: Issuer, number: int, build: Build, workload: int, repeat: int, *, last_server: bool
) -> None:
    """Store a run of a minute with a reading a second, and issue its result."""
    random = np.random.default_rng(number)
    key, level, unit, pace = WORKLOADS[workload]
    begin_ns = BEGIN_NS + number * 300 * S
    rate = pace * build.speed * (1 + 0.02 * workload * (build.count / 12)) * random.normal(1, 0.004)
    accuracy = {} if last_server else {"reading_pct": 0.1, "fixed_w": 0.2}
    run = make_run(
        f"g{number:05}", begin_ns=begin_ns, window_s=WINDOW_S, amount=rate, server=build.server_id,
        configuration=f"c{build.number + 1:02}", workload=key, level=level, repeat=repeat + 1, unit=unit,
        full_load_limit_pct=None,
        meters=(
            MeterRecord(
                name="wall", model="lab.analyser", title="Power analyser", serial=build.server_id, resolution_w=0.01,
                **accuracy,
            ),
        ),
        configuration_snapshot=build.snapshot,
    )  # fmt: skip
    seconds = np.arange(-5, WINDOW_S + 6)
    if build.server % 4 == 3 and build.number == 2:
        seconds = seconds[(seconds < 20) | (seconds > 40)]
    watts = build.power_w * random.normal(1, 0.003) + random.normal(0, 0.4, len(seconds))
    series = storage.samples.series(SeriesKey(run.run_id, run.server, "wall", "power", "power", "W", "averaged"))
    storage.samples.append([(series.id, make_samples(begin_ns + seconds * S, watts))])
    storage.samples.seal(run.run_id)
    storage.runs.put(run)
    issuer.first(run)


if __name__ == "__main__":
    sizes = [int(text) for text in sys.argv[2:]]
    sys.stdout.write(f"{store_lab(Path(sys.argv[1]), *sizes)} runs\n")
