"""Scaling laws in plain words. Loads scipy.optimize: import it only where a law is fitted."""

from __future__ import annotations

import math
from collections.abc import Sequence

from wattmark.analysis.scaling.scaling_fit import Fitted, fit_amdahl, fit_usl
from wattmark.core.numbers import format_number, interval_texts


def amdahl_sentence(levels: Sequence[float], throughput: Sequence[float]) -> str:
    """Describe the serial share by Amdahl's law with its 95 % interval. Raises `Refused`."""
    fit = fit_amdahl(levels, throughput)
    share = _with_interval(fit.serial_share, 100, " %")
    if fit.at_bound:
        return (
            f"Amdahl's law: serial share {share}; throughput grows as fast as the level, so no serial share is visible."
        )
    top = _with_interval(fit.largest_speed_up, 1, "")
    return (
        f"Amdahl's law: serial share {share}, largest speed-up {top} (extrapolated, not measured); "
        f"scatter about the curve {format_number(fit.residual_pct, 2)} %."
    )


def usl_sentence(levels: Sequence[float], throughput: Sequence[float]) -> str:
    """Describe contention, coherence and peak by the USL with their 95 % intervals. Raises `Refused`."""
    fit = fit_usl(levels, throughput)
    if math.isinf(fit.peak_level.value):
        peak = "no peak is visible"
    else:
        note = "" if fit.peak_measured else " (extrapolated, not measured)"
        peak = f"peak at level {_with_interval(fit.peak_level, 1, '')}{note}"
    return (
        f"The universal scalability law: contention {_with_interval(fit.contention, 100, ' %')}, coherence "
        f"{_with_interval(fit.coherence, 1, '')}, {peak}; scatter about the curve "
        f"{format_number(fit.residual_pct, 2)} %."
    )


def _with_interval(fitted: Fitted, scale: float, unit: str) -> str:
    value, low, high = interval_texts(scale * fitted.value, scale * fitted.low, scale * fitted.high)
    return f"{value}{unit} (95 % interval {low} to {high}{unit})"
