"""The manufacturer's limits of error of a recorded meter, and the stated conditions that they hold for."""

from __future__ import annotations

from datetime import UTC, datetime

from wattmark_calibration import Conditions, Specification

from wattmark.runs.record import MeterRecord

DAYS_PER_MONTH = 365.2425 / 12


def specification(meter: MeterRecord) -> Specification | None:
    """Return the maker's limits of error; None where there are none or the device is only indicative."""
    figures = (meter.reading_pct, meter.range_pct, meter.fixed_w, meter.influences.voltage)
    if meter.indicative or meter.role == "bmc" or not any(figures):
        return None
    return Specification(
        reading_pct=meter.reading_pct or 0.0,
        range_pct=meter.range_pct or 0.0,
        fixed=meter.fixed_w or 0.0,
        source=meter.accuracy_source or "",
        influences=meter.influences,
    )


def stated_conditions(meter: MeterRecord, t_ns: int) -> Conditions:
    """Return the conditions of use that operator or meter state, at an instant [ns since 1970 UTC]."""
    stated = meter.conditions
    return Conditions(
        temperature_c=stated.temperature_c,
        frequency_hz=stated.frequency_hz,
        crest_factor=stated.crest_factor,
        line_filter=stated.line_filter,
        months=months_since_calibration(meter, t_ns),
    )


def months_since_calibration(meter: MeterRecord, t_ns: int) -> float | None:
    """Compute the time from the day of the meter's last calibration to an instant [months]; None: not stated."""
    day = meter.conditions.calibrated_on
    if day is None:
        return None
    return (datetime.fromtimestamp(t_ns / 1e9, tz=UTC).date() - day).days / DAYS_PER_MONTH
