"""How a meter was used over the window: what the operator stated and what the meter itself measured."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

from wattmark_calibration import Conditions

from wattmark.analysis.trace import Trace
from wattmark.analysis.window import Window
from wattmark.results.power_factor import power_factor, window_mean
from wattmark.runs.record import MeterRecord
from wattmark.storage.sample_store import SampleStore, Series

DAYS_PER_MONTH = 365.2425 / 12


def with_conditions(
    trace: Trace, meter: MeterRecord, series: Sequence[Series], store: SampleStore, window: Window
) -> Trace:
    """Tell the analysis how the meter of a trace was used over the window."""
    known = conditions(meter, series, store, window)
    return replace(trace, instrument=replace(trace.instrument, conditions=known))


def conditions(meter: MeterRecord, series: Sequence[Series], store: SampleStore, window: Window) -> Conditions:
    """Put together the conditions of use; None stays for what neither operator nor meter tells.

    Only series that the specification asks for are read.
    """
    stated, asked = meter.conditions, meter.influences
    heating = asked.heating_pct_per_a2 or asked.heating_pct_per_v2
    current_a = window_mean(meter, "current", series, store, window) if heating else None
    voltage_v = window_mean(meter, "voltage", series, store, window) if heating else None
    return Conditions(
        power_factor=power_factor(meter, series, store, window) if asked.pf0_pct else None,
        current_a=None if current_a is None else abs(current_a),
        voltage_v=voltage_v,
        temperature_c=stated.temperature_c,
        frequency_hz=stated.frequency_hz,
        crest_factor=stated.crest_factor,
        line_filter=stated.line_filter,
        months=months_since_calibration(meter, window.end_ns),
    )


def months_since_calibration(meter: MeterRecord, t_ns: int) -> float | None:
    """Compute the time from the day of the meter's last calibration to an instant [months]; None: not stated."""
    day = meter.conditions.calibrated_on
    if day is None:
        return None
    return (datetime.fromtimestamp(t_ns / 1e9, tz=UTC).date() - day).days / DAYS_PER_MONTH
