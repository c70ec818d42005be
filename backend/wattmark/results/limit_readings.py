"""What the series of a run say of heat, power limits and clocks held down, for its verdicts and its traces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray
from wattmark_drivers.nvml.clock_limits import (
    APPLICATION_CLOCKS,
    CLOCK_LIMITS,
    DISPLAY_CLOCKS,
    HARDWARE_SLOWDOWN,
    HARDWARE_THERMAL,
    POWER_BRAKE,
    POWER_CAP,
    SOFTWARE_THERMAL,
    SYNC_BOOST,
)

from wattmark.analysis.efficiency.bottleneck import FULL_PCT
from wattmark.analysis.efficiency.limits_reached import (
    AT_LIMIT,
    CountedTime,
    LimitKind,
    LimitReadings,
    SampledState,
    Span,
    joined,
)
from wattmark.analysis.efficiency.window import Window
from wattmark.results.series import UTILISATION, Recorded, is_host
from wattmark.runs.power_settings import TITLES, UNCHANGED, PowerSettings
from wattmark.store.columns import usable
from wattmark.store.sample_store import Samples, Series

ALL_EVENTS = "cpu_throttle_events"
TIME, EVENTS = "throttle_time", "throttle_events"
CORES = "_core_throttle_time"
"""Ends the channel with the mean over the cores of a package."""
POWER, CLOCK, AT_TEMPERATURE = "power_over_limit", "clock_over_limit", "temperature_limit"
ALARMS: dict[str, LimitKind] = {
    "power_alarm": "power",
    "current_alarm": "current",
    "temperature_alarm": "alarm",
    "voltage_alarm": "alarm",
}
CAUSES = {POWER: "power limit", CLOCK: "clock below its limit", AT_TEMPERATURE: "throttled by heat"}
"""What a lane calls a state; an alarm has the name that its sensor gives it."""
_HOST = frozenset({TIME, EVENTS, POWER, CLOCK, AT_TEMPERATURE, *ALARMS})
GPU_CHANNEL = "clock_limits"
_BITS: dict[int, LimitKind] = {
    SOFTWARE_THERMAL: "heat",
    HARDWARE_THERMAL: "heat",
    POWER_CAP: "power",
    POWER_BRAKE: "power",
    HARDWARE_SLOWDOWN: "clock",
    APPLICATION_CLOCKS: "clock",
    SYNC_BOOST: "clock",
    DISPLAY_CLOCKS: "clock",
}
_NAMED_BESIDE = HARDWARE_THERMAL | POWER_BRAKE
"""What a hardware slowdown is for, where the GPU says so: the slowdown itself is then not counted again."""
Column = tuple[NDArray[np.int64], NDArray[np.float64]]


def limit_series(series: Sequence[Series]) -> list[Series]:
    """Find the series that tell of limits: those of the server's operating system, and the reasons of its GPUs."""
    return [s for s in series if (is_host(s.key.source) and s.key.quantity in _HOST) or s.key.channel == GPU_CHANNEL]


def limit_readings(
    recorded: Recorded, window: Window | None = None, settings: PowerSettings = UNCHANGED
) -> LimitReadings:
    """Collect states and counted times; the load counts as full where CPU utilisation was recorded beside a clock.

    ``window`` is that of the events of processors whose kernel counts no time; ``settings`` are those of the plan.
    """
    columns = [(s, _column(samples)) for s, samples in recorded]
    busy = [column for s, column in columns if s.key.channel == UTILISATION and is_host(s.key.source)]
    counted = tuple(_counted(columns))
    events = [column for s, column in columns if s.key.channel == ALL_EVENTS]
    return LimitReadings(
        states=tuple(state for s, column in columns for state in _states(s, column, busy, settings)),
        counted=counted,
        events=None if counted or not events or window is None else _rise(events[0], window),
    )


def limit_spans(readings: LimitReadings, apart_ns: int) -> list[tuple[str, LimitKind, str, Span]]:
    """List where which device was at a limit: device, kind, cause, and begin and end [ns since 1970 UTC]."""
    listed = []
    parts: list[SampledState | CountedTime] = [*readings.states, *readings.counted]
    for part in parts:
        ends = np.array(part.spans(), dtype=np.int64).reshape(-1, 2)
        spans = joined(ends[:, 0], ends[:, 1], apart_ns)
        listed += [(part.device, part.kind, part.cause, span) for span in spans]
    return listed


def _column(samples: Samples) -> Column:
    good = usable(samples)
    return samples.t_ns[good], samples.value[good]


def _states(series: Series, column: Column, busy: Sequence[Column], settings: PowerSettings) -> Iterator[SampledState]:
    """Yield the states that a series tells; an alarm that is raised all the time says nothing of this load."""
    key, (t_ns, value) = series.key, column
    device, _, words = key.label.rpartition(": ")
    if not len(t_ns):
        return
    if key.channel == GPU_CHANNEL:
        yield from _of_gpu(f"GPU {key.source}", t_ns, value, settings.words("gpu_power_cap_w"))
    elif key.quantity == POWER:
        yield SampledState(device, "power", CAUSES[POWER], t_ns, value >= AT_LIMIT, settings.words("power_cap_w"))
    elif key.quantity == AT_TEMPERATURE:
        yield SampledState(device, "heat", CAUSES[AT_TEMPERATURE], t_ns, value != 0)
    elif key.quantity == CLOCK:
        full = np.isin(t_ns, np.concatenate([np.zeros(0, np.int64), *(t[pct >= FULL_PCT] for t, pct in busy)]))
        if full.any():  # else nothing asked for the clock
            words = settings.words(*(name for name in TITLES if not name.startswith("gpu_")))
            yield SampledState(device, "clock", CAUSES[CLOCK], t_ns, full & (value < AT_LIMIT), words)
    elif key.quantity in ALARMS and not value.all():
        yield SampledState(device, ALARMS[key.quantity], words, t_ns, value != 0)


def _of_gpu(
    device: str, t_ns: NDArray[np.int64], value: NDArray[np.float64], cap_of_plan: str
) -> Iterator[SampledState]:
    """Yield a state for each reason that limited the clocks, and for each kind of which there was none.

    What is not whole is the mean of several bit masks, and none itself: samples of a run that was thinned long ago.
    """
    whole = value == np.floor(value)
    t_ns, mask = t_ns[whole], value[whole].astype(np.int64)
    if not len(t_ns):
        return
    reasons = {bit: (mask & bit) != 0 for bit in _BITS}
    reasons[HARDWARE_SLOWDOWN] &= (mask & _NAMED_BESIDE) == 0
    for kind in dict.fromkeys(_BITS.values()):
        of_kind = {bit: on for bit, on in reasons.items() if _BITS[bit] == kind and on.any()}
        for bit, on in of_kind.items():
            yield SampledState(device, kind, CLOCK_LIMITS[bit], t_ns, on, cap_of_plan if bit == POWER_CAP else "")
        if not of_kind:
            yield SampledState(device, kind, "", t_ns, np.zeros(len(t_ns), dtype=np.bool_))


def _counted(columns: Sequence[tuple[Series, Column]]) -> Iterator[CountedTime]:
    """Yield the throttled time of each package and its cores with the events of the package."""
    events = {s.key.channel.partition("_")[0]: column for s, column in columns if s.key.quantity == EVENTS}
    for series, (t_ns, total_ms) in columns:
        if series.key.quantity != TIME:
            continue
        device, _, cause = series.key.label.rpartition(": ")
        event_t_ns, count = events.get(series.key.channel.partition("_")[0], (t_ns, np.zeros(len(t_ns))))
        both, of_time, of_events = np.intersect1d(t_ns, event_t_ns, return_indices=True)
        is_mean = series.key.channel.endswith(CORES)
        yield CountedTime(device, "heat", cause, both, total_ms[of_time], count[of_events], is_mean)


def _rise(column: Column, window: Window) -> float | None:
    """Compute by how much a counter rose in a window; None with fewer than two readings in it."""
    t_ns, value = column
    inside = value[(t_ns > window.begin_ns) & (t_ns <= window.end_ns)]
    return float(inside[-1] - inside[0]) if len(inside) > 1 else None
