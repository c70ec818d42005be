"""Mean power of a run's idle phases, as a bare mean of readings."""

from __future__ import annotations

import numpy as np

from wattmark.results.series import read_trace, result_meters
from wattmark.runs.record import PhaseName, RunRecord
from wattmark.storage.sample_store import SampleStore


def idle_power_w(run: RunRecord, store: SampleStore) -> float | None:
    """Average the readings of each meter in the idle phases and add the meters up [W].

    None without an idle phase, for energy counters, and where a meter gave no usable reading in it.
    """
    spans = [(p.begin_ns, p.end_ns) for p in run.phases if p.name is PhaseName.IDLE and p.end_ns is not None]
    meters = result_meters(run)
    if not spans or not meters or any(meter.kind == "counter" for meter in meters):
        return None
    series, total = store.list_series(run.run_id), 0.0
    for meter in meters:
        traces = [read_trace(run, meter, series, store, begin_ns, end_ns) for begin_ns, end_ns in spans]
        values = np.concatenate([trace.value[trace.usable & (trace.value > 0)] for trace in traces])
        if not len(values):
            return None
        total += float(values.mean())
    return total
