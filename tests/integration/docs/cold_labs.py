"""Three laboratories whose runs are made up, archived as the guide's page on queries describes them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from wattmark.fleet.parquet.archive import ParquetArchive
from wattmark.fleet.parquet.target import Folder
from wattmark.results.data_folder import Storage, open_storage
from wattmark.results.issued.evaluations import Evaluations
from wattmark.results.issued.issuer import Issuer
from wattmark.runs.record import MeterRecord
from wattmark_drivers.clock import SystemClock

from tests.generated_lab import BEGIN_NS, Build, store_lab
from tests.stored_run import make_run, store_readings

LABS = {"North": (4, 8, 2, 1), "South": (2, 8, 2, 1)}
"""Servers, configurations, repeats and workloads of a generated laboratory."""
INSTANTS_S = 0.3
"""The meter of the third laboratory reads so long after each second."""


def make_archive(folder: Path) -> None:
    """Archive the laboratories in `cold` of a folder."""
    for name, sizes in LABS.items():
        store_lab(folder / name, *sizes)
        _archive(folder, name)
    storage = open_storage(folder / "East")
    _store_instants(storage)
    storage.close()
    _archive(folder, "East")


def _archive(folder: Path, lab: str) -> None:
    storage = open_storage(folder / lab, read_only=True)
    target = Folder(folder / "cold")
    with ParquetArchive(storage, Evaluations(storage), target, lab, lambda: BEGIN_NS) as archive:
        archive.add(storage.runs.all())
    storage.close()


def _store_instants(storage: Storage) -> None:
    """Store a run whose meter gives the power of an instant, not the mean of a second."""
    seconds = np.arange(-5, 66)
    run = make_run(
        "e00001", begin_ns=BEGIN_NS, window_s=60, amount=9000.0, server="blade-1", configuration="c1",
        workload="openssl.rsa2048-sign", level="all threads", full_load_limit_pct=None,
        meters=(
            MeterRecord(
                name="wall", model="lab.meter", title="Meter", kind="instantaneous", reading_pct=0.5, fixed_w=0.5
            ),
        ),
        configuration_snapshot=Build(0, 0).snapshot,
    )  # fmt: skip
    store_readings(storage, run, seconds + INSTANTS_S, 240 + 30 * np.sin(seconds / 4))
    storage.samples.seal("e00001")
    storage.runs.put(run)
    Issuer(storage, Evaluations(storage), SystemClock()).first(run)
