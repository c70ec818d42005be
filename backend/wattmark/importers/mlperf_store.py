"""Keep an imported result: its samples, then its record."""

from __future__ import annotations

import numpy as np

from wattmark.importers.mlperf_result import ImportedResult
from wattmark.storage.run_store import RunStore
from wattmark.storage.sample_store import Samples, SampleStore, SeriesKey

_QUANTITIES = {
    "Watts": ("power", "W"),
    "Volts": ("voltage", "V"),
    "Amps": ("current", "A"),
    "PF": ("power_factor", "1"),
}
_STAMP_RESOLUTION_S = 0.0005


def store_result(result: ImportedResult, samples: SampleStore, runs: RunStore) -> None:
    """Write samples first and the record last, so that a broken import leaves no run without its samples."""
    record, log = result.record, result.log
    runs.delete(record.run_id)
    samples.delete_run(record.run_id)
    t_ns = log.t_ns - result.utc_offset_ns
    u_t_s = np.full(len(log), _STAMP_RESOLUTION_S, dtype=np.float32)
    batch = []
    for name, (quantity, unit) in _QUANTITIES.items():
        column = log.columns[name]
        if np.all(np.isnan(column.value)):
            continue
        key = SeriesKey(
            record.run_id, record.server, record.meters[0].name, quantity, quantity, unit, "averaged", result.range
        )
        batch.append((samples.series(key).id, Samples(t_ns, column.value, column.quality, u_t_s)))
    samples.append(batch)
    samples.seal(record.run_id)
    runs.put(record)
