"""Excluded samples of a run's window, for the marks on the traces."""

from __future__ import annotations

import threading
from collections import OrderedDict

import numpy as np

from wattmark.analysis.energy.trace import good_samples
from wattmark.results.latency import estimate_latencies, server_clock
from wattmark.results.meters import result_meters
from wattmark.results.result import Result
from wattmark.results.series import read_trace
from wattmark.runs.record import RunRecord, RunStatus
from wattmark.store.sample_store import SampleStore

NS = 1e-9
CACHED_RUNS = 32

ExcludedSamples = list[tuple[float, float]]
"""Unix seconds and watts; zero where a sample has no value."""


class ExcludedSamplesCache:
    """Cache of the excluded samples of ended runs; safe to call from several threads.

    Finding them reads every power sample of the window, so a run whose result excluded none is not read at all.
    """

    def __init__(self, store: SampleStore) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._cached: OrderedDict[str, tuple[RunRecord, ExcludedSamples]] = OrderedDict()

    def of(self, run: RunRecord, result: Result) -> ExcludedSamples:
        """List the power samples inside the window that were excluded [(Unix seconds, W)]."""
        if result.power is not None and result.samples_excluded == 0:
            return []
        with self._lock:
            cached = self._cached.get(run.run_id)
        if cached is not None and cached[0] == run:
            return cached[1]
        samples = excluded_samples(run, self._store)
        if run.status is not RunStatus.RUNNING:
            self._keep(run, samples)
        return samples

    def _keep(self, run: RunRecord, samples: ExcludedSamples) -> None:
        with self._lock:
            self._cached[run.run_id] = (run, samples)
            self._cached.move_to_end(run.run_id)
            if len(self._cached) > CACHED_RUNS:
                self._cached.popitem(last=False)


def excluded_samples(run: RunRecord, store: SampleStore) -> ExcludedSamples:
    """List the bad samples in the window of every meter of the result [(Unix seconds, W)]."""
    if run.window_begin_ns is None or run.window_end_ns is None:
        return []
    series = store.list_series(run.run_id)
    out: ExcludedSamples = []
    run_with_latencies, _ = estimate_latencies(run, server_clock(run), series, store)
    for meter in result_meters(run_with_latencies):
        late_ns = round(meter.latency_s / NS)
        trace = read_trace(run, meter, series, store, run.window_begin_ns + late_ns, run.window_end_ns + late_ns)
        bad = ~good_samples(trace)
        if meter.kind != "counter" and bad.any():
            shown = np.nan_to_num(trace.value[bad], nan=0.0)
            out.extend(zip((trace.t_ns[bad] * NS).tolist(), shown.tolist(), strict=True))
    return out
