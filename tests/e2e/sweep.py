"""A configuration measured at four load levels, as a data folder keeps it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from wattmark.results.data_folder import Storage, open_storage

from tests.stored_run import BEGIN_NS, PLUG_METER, S, make_run, store_readings

RATES = {1: 100.0, 2: 195.0, 4: 360.0, 8: 400.0}
"""Throughput by level [operations/s]: rises to 8, bends most at 4."""


def store_sweep(folder: Path) -> None:
    """Keep one run for each level in a data folder."""
    storage = open_storage(folder)
    for number, (count, rate) in enumerate(RATES.items()):
        _store(storage, f"r{number}", f"{count} clients", rate, BEGIN_NS + number * 100 * S)
    storage.close()


def _store(storage: Storage, run_id: str, level: str, rate: float, begin_ns: int) -> None:
    """Store a steady run of 60 s."""
    run = make_run(
        run_id, begin_ns=begin_ns, window_s=60, amount=lambda k: rate * (1 + 0.002 * (k % 3 - 1)), configuration="fb4",
        workload="db.read", level=level, unit="queries", full_load_limit_pct=None, meters=(PLUG_METER,),
    )  # fmt: skip
    storage.runs.put(run)
    store_readings(storage, run, np.arange(-5, 66), 200.0 + np.arange(71) % 2)
