"""A data folder with planted runs, and the program inside the test."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from wattmark.results.data_folder import open_storage
from wattmark.runs.record import MeterRecord, RunRecord, RunStatus, ThroughputInterval
from wattmark.store.sample_store import Samples, SeriesKey

DIMMS = ["--factor", "memory.dimm_count", "--old", "2", "--new", "8", "--figure", "power"]
EXTRAPOLATED = ["table", "extrapolated", "--axis", "load", "--target", "8"]
MEANS = ["table", "geometric-means", "--from", "2"]

BEGIN_NS = 1_700_000_000_000_000_000
SECONDS = 100
METER = MeterRecord(name="outlet", model="wattsup.pro", title="Watts Up? PRO", reading_pct=1.5, fixed_w=0.3)
LEVELS = {1: "1 process", 2: "2 processes", 4: "4 processes"}


def store_run(storage, dimms: int, processes: int, repeat: int) -> None:
    """Record a run of 200 W + 6 W per DIMM + 10 W per process, and 1000 signs/s per process."""
    run_id = f"{dimms}-{processes}-{repeat}"
    amount = 10_000 * processes + repeat
    begin_ns = BEGIN_NS + len(storage.runs.all()) * 2 * SECONDS * 10**9
    run = RunRecord(
        run_id=run_id,
        server="s1",
        configuration=f"dimm-{dimms}",
        workload="rsa",
        level=LEVELS[processes],
        repeat=repeat,
        status=RunStatus.COMPLETE,
        created_ns=begin_ns,
        unit="signs",
        throughput=tuple(
            ThroughputInterval(begin_ns=begin_ns + k * 10**10, end_ns=begin_ns + (k + 1) * 10**10, amount=amount)
            for k in range(SECONDS // 10)
        ),
        window_begin_ns=begin_ns,
        window_end_ns=begin_ns + SECONDS * 10**9,
        meters=(METER,),
        configuration_snapshot={"title": f"{dimms} FB-DIMMs", "dimm_count": dimms, "memory_gib": float(dimms)},
    )
    storage.runs.put(run)
    rng = np.random.default_rng(dimms * 100 + processes * 10 + repeat)
    t_ns = begin_ns + np.arange(-10, SECONDS + 11) * 10**9
    watts = 200.0 + 6 * dimms + 10 * processes + rng.normal(0, 0.3, len(t_ns))
    series = storage.samples.series(SeriesKey(run_id, "s1", "outlet", "power", "power", "W", "averaged"))
    none, u_t_s = np.zeros(len(t_ns), np.uint16), np.full(len(t_ns), 0.002, np.float32)
    storage.samples.append([(series.id, Samples(t_ns, watts, none, u_t_s))])


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Three repeats of three memory populations at 4 processes; of one of them also at 1 and 2."""
    folder = tmp_path_factory.mktemp("data")
    storage = open_storage(folder)
    for repeat in (1, 2, 3):
        for dimms in (2, 4, 8):
            store_run(storage, dimms, 4, repeat)
        for processes in (1, 2):
            store_run(storage, 4, processes, repeat)
    storage.close()
    return folder


def rows(out: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(out.decode(), newline="")))
