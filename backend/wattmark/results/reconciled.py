"""A BMC's power as the wall meter would show it, where a reconciliation is in force."""

from __future__ import annotations

from dataclasses import dataclass, replace

from wattmark_calibration import Specification, coverage_factor
from wattmark_calibration.specification import RECTANGULAR

from wattmark.analysis.run import RunInput
from wattmark.analysis.trace import Trace, good_samples
from wattmark.analysis.window import Window
from wattmark.reconciliations.record import ReconciliationRecord
from wattmark.reports.numbers import format_uncertain


@dataclass(frozen=True, slots=True)
class Told:
    """What a reader must know about the reconciliation of a result's BMC."""

    text: str
    used: bool


def refusal(record: ReconciliationRecord, trace: Trace, window: Window) -> str | None:
    """Say why a record cannot serve this window; None where it can."""
    power_w = _indicated_w(trace, window)
    if not record.wall_specified:
        return f"Reconciled against {record.wall.name} on {record.day}, whose own accuracy is not known; no ± from it."
    if power_w is None:
        return None
    if not record.covers(power_w):
        return (
            f"The BMC shows {power_w:.0f} W, outside the {record.low_w:.0f} to {record.high_w:.0f} W in which it was "
            f"reconciled on {record.day}; reconcile it at this load."
        )
    return None


def reconciled(trace: Trace, record: ReconciliationRecord, window: Window) -> tuple[Trace, str]:
    """Give the trace in watts of the wall meter, with the reconciliation as its limits of error, and the note to it.

    The lag found becomes the BMC's latency. What is not a measurement (a sentinel) stays none. The limit is the
    rectangle whose standard uncertainty is that of the
    reconciled power at the window's mean.
    """
    power_w, u_w = record.wall_power(_indicated_w(trace, window) or record.high_w)
    # the degrees of freedom of the line for all of it, the wall meter's limits too: at least 95 %
    size = format_uncertain(power_w, coverage_factor(record.dof) * u_w, "W")
    note = f"Reconciled against wall meter {record.wall.name} on {record.day}: {size}."
    instrument = replace(
        trace.instrument,
        specification=Specification(0.0, fixed=RECTANGULAR * u_w, source=note.removesuffix(".")),
        indicative=False,
        latency_s=record.lag_s,
        u_latency_s=record.u_lag_s,
        group=f"{trace.instrument.group}, {record.name}",
    )
    value = record.offset_w + record.gain * trace.value
    return replace(trace, instrument=instrument, value=value, usable=good_samples(trace)), note


def with_reconciliation(
    given: RunInput, record: ReconciliationRecord | None, window: Window | None
) -> tuple[RunInput, Told | None]:
    """Use a reconciliation for a run whose power comes from that BMC alone, or say why it does not serve."""
    if record is None or window is None or len(given.power) != 1:
        return given, None
    (trace,) = given.power
    reason = refusal(record, trace, window)
    if reason is not None:
        return given, Told(reason, used=False)
    trace, note = reconciled(trace, record, window)
    return replace(given, power=(trace,)), Told(note, used=True)


def _indicated_w(trace: Trace, window: Window) -> float | None:
    inside = (trace.t_ns >= window.begin_ns) & (trace.t_ns <= window.end_ns) & good_samples(trace)
    return float(trace.value[inside].mean()) if inside.any() else None
