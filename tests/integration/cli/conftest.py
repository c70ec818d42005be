"""A data folder with planted runs, and the program inside the test."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import numpy as np
import pytest
from wattmark.results.data_folder import open_storage
from wattmark.runs.record import MeterRecord

from tests.stored_run import BEGIN_NS, make_run, store_readings

DIMMS = ["--factor", "memory.dimm_count", "--old", "2", "--new", "8", "--figure", "power"]
EXTRAPOLATED = ["table", "extrapolated", "--axis", "load", "--target", "8"]
MEANS = ["table", "geometric-means", "--from", "2"]

SECONDS = 100
METER = MeterRecord(name="outlet", model="wattsup.pro", title="Watts Up? PRO", reading_pct=1.5, fixed_w=0.3)
LEVELS = {1: "1 process", 2: "2 processes", 4: "4 processes"}


def store_run(storage, dimms: int, processes: int, repeat: int, server: str = "s1") -> None:
    """Record a run of 200 W + 6 W per DIMM + 10 W per process, and 1000 signs/s per process."""
    begin_ns = BEGIN_NS + len(storage.runs.all()) * 2 * SECONDS * 10**9
    run = make_run(
        f"{'' if server == 's1' else server}{dimms}-{processes}-{repeat}",
        begin_ns=begin_ns, window_s=SECONDS, every_s=10,
        amount=10_000 * processes + repeat, server=server, configuration=f"dimm-{dimms}", workload="rsa",
        level=LEVELS[processes], repeat=repeat, meters=(METER,),
        configuration_snapshot={"title": f"{dimms} FB-DIMMs", "dimm_count": dimms, "memory_gib": float(dimms)},
    )  # fmt: skip
    storage.runs.put(run)
    rng = np.random.default_rng(dimms * 100 + processes * 10 + repeat)
    t_s = np.arange(-10, SECONDS + 11)
    store_readings(storage, run, t_s, 200.0 + 6 * dimms + 10 * processes + rng.normal(0, 0.3, len(t_s)))


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
