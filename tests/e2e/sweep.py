"""A configuration measured at four load levels, as a data folder keeps it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from wattmark.results.data_folder import Storage, open_storage
from wattmark.runs.record import MeterRecord, RunRecord, RunStatus, ThroughputInterval
from wattmark.store.sample_store import Samples, SeriesKey

BEGIN_NS = 1_700_000_000_000_000_000
S = 10**9
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
    storage.runs.put(
        RunRecord(
            run_id=run_id,
            server="s",
            configuration="fb4",
            workload="db.read",
            level=level,
            status=RunStatus.COMPLETE,
            created_ns=begin_ns,
            unit="queries",
            full_load_limit_pct=None,
            throughput=tuple(
                ThroughputInterval(
                    begin_ns=begin_ns + k * S, end_ns=begin_ns + (k + 1) * S, amount=rate * (1 + 0.002 * (k % 3 - 1))
                )
                for k in range(60)
            ),
            window_begin_ns=begin_ns,
            window_end_ns=begin_ns + 60 * S,
            meters=(MeterRecord(name="wall", model="wattsup.pro", title="W", reading_pct=1.5, fixed_w=0.3),),
        )
    )
    t_ns = begin_ns + np.arange(-5, 66) * S
    key = SeriesKey(run_id, "s", "wall", "power", "power", "W", "averaged")
    columns = Samples(t_ns, 200.0 + np.arange(71) % 2, np.zeros(71, np.uint16), np.full(71, 0.002, np.float32))
    storage.samples.append([(storage.samples.series(key).id, columns)])
