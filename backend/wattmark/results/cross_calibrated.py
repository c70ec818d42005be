"""The power of a BMC corrected to that of the wall meter, where a cross-calibration is in force."""

from __future__ import annotations

from dataclasses import dataclass, replace

from wattmark_calibration import Specification, coverage_factor
from wattmark_calibration.specification import RECTANGULAR

from wattmark.analysis.efficiency.run import RunInput
from wattmark.analysis.efficiency.window import Window
from wattmark.analysis.energy.trace import Trace, good_samples
from wattmark.core.numbers import format_uncertain
from wattmark.runs.record import MeterRecord
from wattmark.traceability.cross_calibration.drift import exchanged
from wattmark.traceability.cross_calibration.record import CrossCalibrationRecord


@dataclass(frozen=True, slots=True)
class CrossCalibrationNote:
    """The note of a result about the cross-calibration of its BMC, and whether the cross-calibration was used."""

    text: str
    used: bool


def refusal(record: CrossCalibrationRecord, trace: Trace, window: Window, bmc: MeterRecord) -> str | None:
    """Return why a cross-calibration cannot serve this window of a BMC; None where it can."""
    if record.expired(window.end_ns):
        return (
            f"The cross-calibration against {record.wall.name} of {record.day} expired: it served until "
            f"{record.last_day}. Cross-calibrate the BMC again."
        )
    if (change := exchanged(record.bmc, bmc)) is not None:
        return f"The BMC is not the one that was cross-calibrated on {record.day}: {change}. Cross-calibrate it again."
    power_w = _indicated_w(trace, window)
    reason = record.wall_unspecified
    if reason is not None:
        return f"Cross-calibrated against {record.wall.name} on {record.day}, which gives no ±. {reason}"
    if power_w is None:
        return None
    if not record.covers(power_w):
        return (
            f"The BMC shows {power_w:.0f} W, outside the {record.low_w:.0f} to {record.high_w:.0f} W in which it was "
            f"cross-calibrated on {record.day}; cross-calibrate it at this load."
        )
    return None


def cross_calibrated(trace: Trace, record: CrossCalibrationRecord, window: Window) -> tuple[Trace, str]:
    """Return the trace in watts of the wall meter, with the cross-calibration as its limits of error, and its note.

    The lag of the record, less the part explained by a declared averaging time, becomes the BMC's latency. Bad samples
    stay bad. The limit is the rectangle whose standard uncertainty is that of the cross-calibrated power at
    the window's mean.
    """
    power_w, u_w = record.wall_power(_indicated_w(trace, window) or record.high_w)
    # the degrees of freedom of the line for all of it, the wall meter's limits too: at least 95 %
    size = format_uncertain(power_w, coverage_factor(record.dof) * u_w, "W")
    age_days = record.age_days(window.end_ns)
    age = f"{age_days} day{'' if age_days == 1 else 's'} away, valid until {record.last_day}, {record.drift_text}"
    note = f"Cross-calibrated against wall meter {record.wall.name} on {record.day}: {size} ({age})."
    source = "; ".join((note.removesuffix("."), *record.wall_assumptions))
    instrument = replace(
        trace.instrument,
        specification=Specification(0.0, fixed=RECTANGULAR * u_w, source=source),
        indicative=False,
        latency_s=record.lag_s - trace.instrument.averaging_lag_s,
        u_latency_s=record.u_lag_s,
        group=f"{trace.instrument.group}, {record.name}",
    )
    value = record.offset_w + record.gain * trace.value
    return replace(trace, instrument=instrument, value=value, usable=good_samples(trace)), note


def with_cross_calibration(
    run_input: RunInput, record: CrossCalibrationRecord, window: Window, bmc: MeterRecord
) -> tuple[RunInput, CrossCalibrationNote | None]:
    """Apply a cross-calibration to a run whose power comes from that BMC alone; the note explains a refusal."""
    if len(run_input.power) != 1:
        return run_input, None
    (trace,) = run_input.power
    reason = refusal(record, trace, window, bmc)
    if reason is not None:
        return run_input, CrossCalibrationNote(reason, used=False)
    trace, note = cross_calibrated(trace, record, window)
    return replace(run_input, power=(trace,)), CrossCalibrationNote(note, used=True)


def _indicated_w(trace: Trace, window: Window) -> float | None:
    inside = (trace.t_ns >= window.begin_ns) & (trace.t_ns <= window.end_ns) & good_samples(trace)
    return float(trace.value[inside].mean()) if inside.any() else None
