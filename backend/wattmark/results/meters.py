"""The meters of a run: which decide its result, their identities, and their description for the analysis."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark.analysis.energy.trace import Instrument
from wattmark.runs.limits_of_error import specification
from wattmark.runs.origin import lab_of
from wattmark.runs.record import MeterRecord, RunRecord

NO_SERIAL = frozenset(
    {"na", "none", "unknown", "default", "notspecified", "tobefilledbyoem", "serial", "serialnumber"}
    | {"123456", "1234567", "12345678", "123456789", "1234567890", "0123456789"}
)
"""Answers of devices without a serial number, reduced to letters and digits. One repeated character is none either."""
IDENTITY_ASSUMED = (
    "the meter has no serial number, so it is assumed to be the same meter as long as bench, name and calibration do "
    "not change"
)


def result_meters(run: RunRecord) -> list[MeterRecord]:
    """List the meters whose power decides the result."""
    return deciding(run.meters)


def deciding(meters: Sequence[MeterRecord]) -> list[MeterRecord]:
    """List those of a server's meters whose power is added up to its own: all wall meters, else the first BMC."""
    wall = [m for m in meters if m.role == "wall"]
    return wall or [m for m in meters if m.role == "bmc"][:1]


def instrument(run: RunRecord, meter: MeterRecord, unit: str = "W", ranges: int = 1) -> Instrument:
    """Return the description of a recorded meter for the analysis."""
    range_w = meter.range_w if ranges <= 1 else None
    imported = run.disclosure.imported
    part = None if imported is None else imported.part
    return Instrument(
        name=meter.name,
        kind=meter.kind,
        unit=unit,
        period_s=meter.period_s,
        averaging_s=meter.averaging_s,
        specification=specification(meter),
        range_w=range_w,
        highest_w=meter.range_limit_w if ranges <= 1 else None,
        resolution=meter.resolution_w,
        wraps_at=meter.register_wraps_at_wh,
        latency_s=meter.latency_s,
        u_latency_s=meter.u_latency_s,
        group=meter_identity(run, meter) + (f", range {range_w:g} W" if range_w else ""),
        identity_note=identity_note(meter),
        operating_point=operating_point(run),
        indicative=meter.indicative or meter.role == "bmc",
        u_temperature_k=meter.conditions.u_temperature_c or 0.0,
        wiring_loss_w=meter.conditions.wiring_loss_w,
        u_wiring_loss_w=meter.conditions.u_wiring_loss_w,
        logged_by_others=imported is not None,
        log_begin_ns=None if part is None else part.log_begin_ns,
    )


def operating_point(run: RunRecord) -> str:
    """Return the operating point of a run: runs at the same one share a meter's non-linearity and resolution."""
    return f"{run.server}/{run.configuration}, {run.workload}, {run.level}"


def guard_s(run: RunRecord) -> float:
    """Compute the standard uncertainty of the window's edges on the power axis: the worst meter's latency [s].

    0 where no meter took part. Stamp uncertainties of single readings are in the power budget.
    """
    return max((instrument(run, m).latency_uncertainty_s for m in result_meters(run)), default=0.0)


def meter_identity(run: RunRecord, meter: MeterRecord) -> str:
    """Return the identity of a physical meter; runs with the same identity share its errors.

    Maker, model and serial number where the device reports it, else bench, name of the meter and day of its
    calibration; always with the place where the run was recorded, so that meters of two labs, appliances, submitters or
    rounds are never one.
    """
    serial = known_serial(meter)
    if serial is not None:
        return f"{_place(run)}: {meter.title} ({meter.model}), serial {serial}"
    calibrated = meter.conditions.calibrated_on
    day = f"calibrated {calibrated}" if calibrated else "calibration date not stated"
    return f"{_place(run)}, {_bench(run)}: {meter.title} ({meter.model}) {meter.name}, {day}"


def known_serial(meter: MeterRecord) -> str | None:
    """Return a meter's serial number; None where it has none, or a placeholder such as "123456"."""
    if meter.serial is None:
        return None
    signs = "".join(sign for sign in meter.serial.lower() if sign.isalnum())
    return None if len(set(signs)) < 2 or signs in NO_SERIAL else meter.serial.strip()


def identity_note(meter: MeterRecord) -> str:
    """Return what the identity of a meter assumes; empty where it has a serial number."""
    return "" if known_serial(meter) is not None else IDENTITY_ASSUMED


def _place(run: RunRecord) -> str:
    """Return where a run was recorded: lab and appliance, submitter and round, or its source.

    A run restored from an archive names the same appliance as before, and so the same meter.
    """
    imported, recorded = run.disclosure.imported, run.disclosure.recorded_by
    if imported is not None and (imported.submitter or imported.round):
        return f"{imported.submitter or 'submitter not named'}, round {imported.round or 'not named'}"
    if recorded is not None:
        return f"{recorded.lab or 'lab not named'}, appliance {recorded.appliance}"
    lab = lab_of(run.source)
    return run.source if lab is None else f"archive of {lab}"


def _bench(run: RunRecord) -> str:
    """Return the bench of a run; for a submission, which names no bench, its system."""
    imported, recorded = run.disclosure.imported, run.disclosure.recorded_by
    if imported is not None and imported.submitter:
        return run.server
    return f"bench {(recorded.bench if recorded else None) or 'not named'}"
