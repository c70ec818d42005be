"""What the series of a run say of heat, power limits and clocks held down, for its verdicts and its traces."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

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
from wattmark_drivers.reading import Kind

from wattmark.analysis.efficiency.bottleneck import FULL_PCT
from wattmark.analysis.efficiency.limits_reached import (
    AT_LIMIT,
    CountedEvents,
    CountedTime,
    LimitKind,
    LimitReadings,
    SampledState,
    Span,
    gap_ends,
    joined,
)
from wattmark.hosts.probes.limit_quantities import (
    ALL_EVENTS,
    CLOCK_OVER_LIMIT,
    CURRENT_ALARM,
    DEVICE_ALARM,
    POWER_ALARM,
    POWER_OVER_LIMIT,
    TEMPERATURE_ALARM,
    TEMPERATURE_LIMIT,
    THROTTLE_EVENTS,
    THROTTLE_TIME,
    VOLTAGE_ALARM,
    is_of_cores,
    place_of,
)
from wattmark.hosts.probes.power_limits import LONGEST_S
from wattmark.results.series import UTILISATION, Recorded, is_host
from wattmark.runs.power_settings import TITLES, UNCHANGED, PowerSettings
from wattmark.store.columns import usable
from wattmark.store.sample_store import Samples, Series

ALARMS: dict[str, LimitKind] = {
    POWER_ALARM: "power",
    CURRENT_ALARM: "current",
    TEMPERATURE_ALARM: "alarm",
    VOLTAGE_ALARM: "alarm",
    DEVICE_ALARM: "alarm",
}
CAUSES = {POWER_OVER_LIMIT: "power limit", CLOCK_OVER_LIMIT: "clock below its limit"}
"""What a lane calls a state; others have the words of their label."""
_HOST = frozenset({THROTTLE_TIME, THROTTLE_EVENTS, POWER_OVER_LIMIT, CLOCK_OVER_LIMIT, TEMPERATURE_LIMIT, *ALARMS})
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
    """Find the series that tell of limits: those of the server's operating system, and the reasons of its GPUs.

    Reasons that were thinned long ago are means of bit masks, and none themselves: such a series has its extremes
    beside it, and is not read.
    """
    thinned = {s.key.source for s in series if s.key.channel == f"{GPU_CHANNEL}.maximum"}
    return [
        s
        for s in series
        if (is_host(s.key.source) and s.key.quantity in _HOST)
        or (s.key.channel == GPU_CHANNEL and s.key.source not in thinned)
    ]


def limit_readings(recorded: Recorded, settings: PowerSettings = UNCHANGED) -> LimitReadings:
    """Collect states, counted times, and events of processors whose kernel counts no time.

    The load counts as full where CPU utilisation was recorded beside a clock; ``settings`` are those of the plan.
    """
    columns = [(s, column) for s, samples in recorded if len((column := _column(samples))[0])]
    busy = [column for s, column in columns if s.key.channel == UTILISATION and is_host(s.key.source)]
    below = _below(columns)
    counted = tuple(_counted(columns, below))
    events = [
        CountedEvents(*column, was_below=below[_place(s)]) for s, column in columns if s.key.channel == ALL_EVENTS
    ]
    return LimitReadings(
        states=tuple(
            state
            for s, column in columns
            for state in _states(
                s, column, busy, settings, recorded, is_counted=any(s.key.source == of for of, _ in below)
            )
        ),
        counted=counted,
        events=None if counted or not events else events[0],
    )


def limit_spans(readings: LimitReadings, apart_ns: int) -> list[tuple[str, LimitKind, str, Span]]:
    """List where which device was at a limit: device, kind, cause, and begin and end [ns since 1970 UTC]."""
    listed = []
    parts: list[SampledState | CountedTime] = [*readings.states, *readings.counted]
    for part in parts:
        if isinstance(part, SampledState) and part.is_alarm and part.on.all():
            continue  # nothing changed, so it says nothing of this load
        ends = np.array(part.spans(), dtype=np.int64).reshape(-1, 2)
        spans = joined(ends[:, 0], ends[:, 1], apart_ns)
        listed += [(part.device, part.kind, part.cause, span) for span in spans]
    return listed


def _column(samples: Samples) -> Column:
    good = usable(samples)
    return samples.t_ns[good], samples.value[good]


def _unread(series: Series, recorded: Recorded) -> NDArray[np.int64]:
    """Return where no mean of a series reaches across: ends of gaps in all that was read there, unusable readings."""
    stamps = [samples.t_ns for s, samples in recorded if s.key.source == series.key.source]
    unusable = [samples.t_ns[~usable(samples)] for s, samples in recorded if s.key == series.key]
    return np.union1d(gap_ends(np.unique(np.concatenate(stamps))), np.concatenate(unusable))


def _states(
    series: Series,
    column: Column,
    busy: Sequence[Column],
    settings: PowerSettings,
    recorded: Recorded,
    *,
    is_counted: bool,
) -> Iterator[SampledState]:
    """Yield the states that a series tells; ``is_counted``: the kernel counts throttling of that machine, too."""
    key, (t_ns, value) = series.key, column
    device, _, words = key.label.rpartition(": ")
    if key.channel == GPU_CHANNEL:
        yield from _of_gpu(f"GPU {key.source}", t_ns, value.astype(np.int64), settings.words("gpu_power_cap_w"))
    elif key.quantity == POWER_OVER_LIMIT:
        is_mean = key.kind == Kind.AVERAGED
        mean_ns, unread_ns = (round(LONGEST_S * 1e9), _unread(series, recorded)) if is_mean else (None, None)
        words = settings.words("power_cap_w")
        on, cause = value >= AT_LIMIT, CAUSES[POWER_OVER_LIMIT]
        yield SampledState(device, "power", cause, t_ns, on, words, mean_ns=mean_ns, unread_ns=unread_ns)
    elif key.quantity == TEMPERATURE_LIMIT:
        # half: it is not known, and only a count tells
        yield SampledState(device, "heat", words, t_ns, value > 0.5, tells=None if is_counted else value != 0.5)
    elif key.quantity == CLOCK_OVER_LIMIT:
        full = np.isin(t_ns, np.concatenate([np.zeros(0, np.int64), *(t[pct >= FULL_PCT] for t, pct in busy)]))
        if full.any():  # else nothing asked for the clock
            words = settings.words(*(name for name in TITLES if not name.startswith("gpu_")))
            yield SampledState(device, "clock", CAUSES[CLOCK_OVER_LIMIT], t_ns, full & (value < AT_LIMIT), words)
    elif key.quantity in ALARMS:
        yield SampledState(device, ALARMS[key.quantity], words, t_ns, value != 0, is_alarm=True)


def _of_gpu(device: str, t_ns: NDArray[np.int64], mask: NDArray[np.int64], cap_of_plan: str) -> Iterator[SampledState]:
    """Yield a state for each reason that limited the clocks, and for each kind of which there was none."""
    reasons = {bit: (mask & bit) != 0 for bit in _BITS}
    reasons[HARDWARE_SLOWDOWN] &= (mask & _NAMED_BESIDE) == 0
    for kind in dict.fromkeys(_BITS.values()):
        of_kind = {bit: on for bit, on in reasons.items() if _BITS[bit] == kind and on.any()}
        for bit, on in of_kind.items():
            yield SampledState(device, kind, CLOCK_LIMITS[bit], t_ns, on, cap_of_plan if bit == POWER_CAP else "")
        if not of_kind:
            yield SampledState(device, kind, "", t_ns, np.zeros(len(t_ns), dtype=np.bool_))


def _below(columns: Sequence[tuple[Series, Column]]) -> Mapping[tuple[str, str], bool]:
    """Return of each package or die that is counted whether its temperature was below its limit at some time.

    Sensors that do not say which package they are in speak for all of them where all were below and none is missing.
    """
    cool = {_place(s): bool(np.any(value == 0)) for s, (_, value) in columns if s.key.quantity == TEMPERATURE_LIMIT}
    counters = [s for s, _ in columns if s.key.quantity in (THROTTLE_TIME, THROTTLE_EVENTS)]
    places = dict.fromkeys(_place(s) for s in counters if s.key.channel != ALL_EVENTS)
    of_all = bool(cool) and cool.keys().isdisjoint(places) and len(cool) >= len(places) and all(cool.values())
    below = {place: cool.get(place, of_all) for place in places}
    whole = all(below.values()) if below else of_all
    return below | {_place(s): whole for s in counters if s.key.channel == ALL_EVENTS}


def _counted(columns: Sequence[tuple[Series, Column]], below: Mapping[tuple[str, str], bool]) -> Iterator[CountedTime]:
    """Yield the throttled time of each package or die and its cores with the events there."""
    events = {
        _place(s): column for s, column in columns if s.key.quantity == THROTTLE_EVENTS and s.key.channel != ALL_EVENTS
    }
    for series, (t_ns, total_ms) in columns:
        if series.key.quantity != THROTTLE_TIME:
            continue
        device, _, cause = series.key.label.rpartition(": ")
        event_t_ns, count = events.get(_place(series), (t_ns, np.zeros(len(t_ns))))
        both, of_time, of_events = np.intersect1d(t_ns, event_t_ns, return_indices=True)
        yield CountedTime(
            device,
            "heat",
            cause,
            both,
            total_ms[of_time],
            count[of_events],
            is_mean=is_of_cores(series.key.channel),
            was_below=below[_place(series)],
        )


def _place(series: Series) -> tuple[str, str]:
    """Return the machine and the package, die or sensor that a channel of throttling is of."""
    return series.key.source, place_of(series.key.channel)
