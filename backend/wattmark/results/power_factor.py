"""Power factor of a meter over the window, from whatever the meter itself measured."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from wattmark_drivers.reading import UNUSABLE

from wattmark.analysis.window import Window
from wattmark.results.series import merge
from wattmark.runs.record import MeterRecord
from wattmark.storage.sample_store import SampleStore, Series

MOST = 1.02
"""Up to here a factor above 1 is the rounding and scatter of its parts; beyond it is a fault of the meter."""
PARTS = ("power_factor", "apparent_power", "power", "voltage", "current")
TOTAL = {
    "power_factor": ("power_factor", "pf"),
    "apparent_power": ("apparent_power",),
    "power": ("power",),
    "voltage": ("voltage",),
    "current": ("current",),
    "frequency": ("frequency",),
}
"""Channels that hold a meter's total; others are phases."""


def power_factor(meter: MeterRecord, series: Sequence[Series], store: SampleStore, window: Window) -> float | None:
    """Give the magnitude of the power factor over the window, in (0, 1]; None where the meter did not measure it.

    The meter's own power factor comes first, then P/S, then P/(V I), which holds for one phase only. Means over the
    window are used: the correction is linear in P and Q.
    """
    means = {quantity: window_mean(meter, quantity, series, store, window) for quantity in PARTS}
    own, power_w = means["power_factor"], means["power"]
    if own is not None:
        return _plausible(own)
    apparent_va = means["apparent_power"]
    voltage, current = means["voltage"], means["current"]
    if apparent_va is None and voltage is not None and current is not None and _one_phase(meter, series):
        apparent_va = voltage * current
    if power_w is None or not apparent_va:
        return None
    return _plausible(power_w / apparent_va)


def _one_phase(meter: MeterRecord, series: Sequence[Series]) -> bool:
    """Tell whether voltage and current are those of the only phase."""
    mine = [(one.key.quantity, one.key.channel) for one in series if one.key.source == meter.name]
    return all({c for q, c in mine if q == quantity} == {quantity} for quantity in ("voltage", "current"))


def _plausible(factor: float) -> float | None:
    """Take the magnitude; None for what is no power factor."""
    size = abs(factor)
    return min(size, 1.0) if 0 < size <= MOST else None


def window_mean(
    meter: MeterRecord, quantity: str, series: Sequence[Series], store: SampleStore, window: Window
) -> float | None:
    """Average the usable samples of a meter's total inside the window; None where there are none."""
    mine = [
        one.id
        for one in series
        if one.key.source == meter.name and one.key.quantity == quantity and one.key.channel in TOTAL[quantity]
    ]
    samples = merge([store.read(number, window.begin_ns, window.end_ns) for number in mine])
    usable = ((samples.quality & UNUSABLE) == 0) & np.isfinite(samples.value)
    mean = float(samples.value[usable].mean()) if usable.any() else math.nan
    return mean if math.isfinite(mean) else None
