"""The analyzer of an MLPerf Power result: who it is, its limits of error, and what its daemon complained of."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wattmark.importers.mlperf.power_session import PowerSession
from wattmark.importers.mlperf.yokogawa import YokogawaLimits, power_limits
from wattmark.importers.ptdaemon.ptdaemon import PowerLog
from wattmark.importers.ptdaemon.ptdaemon_console import Measurement
from wattmark.runs.record import MeterRecord

UNKNOWN_METER = "PTDaemon analyzer"


def describe_meter(
    session: PowerSession, console: Measurement | None, log: PowerLog, begin_ns: int, end_ns: int, notes: list[str]
) -> MeterRecord:
    """Describe the analyzer during the window [begin, end] (log clock); without known limits it stays not_traceable."""
    identity = session.identity
    if identity is None:
        notes.append("The session files do not say which analyzer was used, so no limits of error are known.")
        return MeterRecord(name=UNKNOWN_METER, model="unknown", title="Power analyzer behind PTDaemon, model unknown")
    calibrated = identity.calibration_date
    limits = _limits(identity.model, console, log, begin_ns, end_ns, notes)
    not_traceable = None
    if calibrated is None:
        assumed = ", so the manufacturer's 12-month limits of error are an assumption" if limits else ""
        not_traceable = f"The daemon states no calibration date (no_cal_date){assumed}."
        notes.append(not_traceable)
    return MeterRecord(
        name=identity.driver,
        model=identity.model,
        title=f"{identity.maker} {identity.model}".strip(),
        serial=identity.serial,
        period_s=identity.averaging_s or 1.0,
        reading_pct=limits and limits.reading_pct,
        range_pct=limits and limits.range_pct,
        fixed_w=limits and limits.fixed_w,
        range_w=limits and limits.range_w,
        accuracy_source=limits and _source(limits, calibrated),
        not_traceable=not_traceable,
    )


def range_text(console: Measurement | None) -> str:
    """Write the ranges in force during the measurement; empty when they are not known."""
    settings = console.settings if console else None
    if settings is None or settings.volt_range is None or settings.amp_range is None:
        return ""
    return f"{settings.volt_range:g} V x {settings.amp_range:g} A"


def check_console(console: Measurement | None, notes: list[str]) -> None:
    """Report what the daemon complained of."""
    if console is None:
        notes.append("There is no daemon console for this pass: ranges, warnings and sample count are not known.")
        return
    notes.extend(f"The daemon wrote {count} times: {kind}" for kind, count in sorted(console.problems.items()))


def _limits(
    model: str, console: Measurement | None, log: PowerLog, begin_ns: int, end_ns: int, notes: list[str]
) -> YokogawaLimits | None:
    inside = (log.t_ns >= begin_ns) & (log.t_ns <= end_ns)
    typical = [_usable(log, name, inside) for name in ("Watts", "Volts", "Amps")]
    if console is None or log.channels > 1 or not all(len(values) for values in typical):
        limits = None
    else:
        watts, volts, amps = (float(np.median(values)) for values in typical)
        limits = power_limits(model, console.settings, watts, volts, amps)
    if limits is None:
        notes.append(f"No limits of error are known for the {model} as it was used: the result is not traceable.")
    return limits


def _usable(log: PowerLog, name: str, inside: NDArray[np.bool_]) -> NDArray[np.float64]:
    column = log.columns[name]
    chosen: NDArray[np.float64] = column.value[inside & (column.quality == 0)]
    return chosen[chosen > 0]


def _source(limits: YokogawaLimits, calibrated: str | None) -> str:
    parts: Sequence[str] = (
        limits.source,
        "range from the daemon's console",
        f"calibrated {calibrated}" if calibrated else "calibration date not stated",
    )
    return "; ".join(parts)
