"""The figures of a run that was measured: its issued result, and the readings behind it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from wattmark.measurements.choice import PACKAGES, PACKAGES_ONLY
from wattmark.measurements.lab import MeasuringLab
from wattmark.measurements.measurement import Measured
from wattmark.measurements.screen import Figures, Trace
from wattmark.results.evaluate import evaluate
from wattmark.runs.channels import total_channel
from wattmark.runs.record import MeterRecord, RunRecord
from wattmark.store.sample_store import SampleReader

BMC_ONLY = "as the BMC states it, not the wall"


def figures_of(measured: Measured, lab: MeasuringLab) -> Figures:
    """Evaluate a run, and issue its result.

    Without a wall meter the stored result has no power. What is shown then is that of the only other source, under
    its name.
    """
    run, result = measured.record, lab.evaluate(measured.record.run_id)
    sources = [meter for meter in run.meters if meter.role == "wall"]
    instead = ""
    if not sources and len(run.meters) == 1:
        only = run.meters[0]
        instead = PACKAGES_ONLY if only.model == PACKAGES else BMC_ONLY
        sources = [only.changed(role="wall")]
        result = evaluate(run.changed(meters=tuple(sources)), lab.samples)
    return Figures(measured, result, _trace(run, sources, lab.samples), instead)


def _trace(run: RunRecord, sources: Sequence[MeterRecord], samples: SampleReader) -> Trace | None:
    """Read the power of the only source over the window; None where several add up, or none has power."""
    if len(sources) != 1 or run.window_begin_ns is None or run.window_end_ns is None:
        return None
    own = [
        series
        for series in samples.list_series(run.run_id)
        if series.key.source == sources[0].name and series.key.quantity == "power"
    ]
    total = total_channel(series.key.channel for series in own)
    series = next((series for series in own if series.key.channel == total), None)
    if series is None:
        return None
    readings = samples.read(series.id, run.window_begin_ns, run.window_end_ns)
    usable = (readings.quality == 0) & np.isfinite(readings.value)
    last_digit_w = None if sources[0].kind == "counter" else sources[0].resolution_w
    return Trace(readings.t_ns[usable], readings.value[usable], last_digit_w)
