"""Which samples of a run's window the analysis leaves out, for the crosses on the traces."""

from __future__ import annotations

import threading
from collections import OrderedDict

import numpy as np

from wattmark.analysis.trace import good_samples
from wattmark.results.latency import find_latencies, with_latencies
from wattmark.results.series import read_trace, result_meters
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.runs.result import Result
from wattmark.storage.sample_store import SampleStore

NS = 1e-9
KEPT_RUNS = 32

Crosses = list[tuple[float, float]]
"""Unix seconds and watts; zero where a sample has no value."""


class CrossShelf:
    """Find them once for each run that has ended; safe to call from several threads.

    Finding them reads every power sample of the window, so a run whose result left none out is not read at all.
    """

    def __init__(self, store: SampleStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._kept: OrderedDict[str, tuple[RunRecord, Crosses]] = OrderedDict()

    def of(self, run: RunRecord, result: Result) -> Crosses:
        """List the power samples inside the window that were left out [(Unix seconds, W)]."""
        if result.power_w is not None and result.samples_excluded == 0:
            return []
        with self._lock:
            kept = self._kept.get(run.run_id)
        if kept is not None and kept[0] == run:
            return kept[1]
        found = left_out(run, self._store)
        if run.status is not RunStatus.RUNNING:
            self._keep(run, found)
        return found

    def _keep(self, run: RunRecord, found: Crosses) -> None:
        with self._lock:
            self._kept[run.run_id] = (run, found)
            self._kept.move_to_end(run.run_id)
            if len(self._kept) > KEPT_RUNS:
                self._kept.popitem(last=False)


def left_out(run: RunRecord, store: SampleStore) -> Crosses:
    """Read the window of every meter that makes the result, and list what is not a measurement there."""
    if run.window_begin_ns is None or run.window_end_ns is None:
        return []
    series = store.list_series(run.run_id)
    out: Crosses = []
    for meter in result_meters(with_latencies(run, find_latencies(run, store))):
        late_ns = round(meter.latency_s / NS)
        trace = read_trace(run, meter, series, store, run.window_begin_ns + late_ns, run.window_end_ns + late_ns)
        bad = ~good_samples(trace)
        if meter.kind != "counter" and bad.any():
            shown = np.nan_to_num(trace.value[bad], nan=0.0)
            out.extend(zip((trace.t_ns[bad] * NS).tolist(), shown.tolist(), strict=True))
    return out
