"""Recorded series of a run: power and conditions of use of each meter, and utilisation of the server."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray
from wattmark_calibration import Conditions
from wattmark_drivers.reading import REASONS, UNUSABLE, Quality

from wattmark.analysis.efficiency.bottleneck import Utilisation
from wattmark.analysis.efficiency.window import Window
from wattmark.analysis.energy.trace import Trace
from wattmark.results.meters import instrument
from wattmark.runs.channels import Total, total_channel, total_channels
from wattmark.runs.limits_of_error import stated_conditions
from wattmark.runs.record import MeterRecord, RunRecord
from wattmark.store.columns import floats, usable
from wattmark.store.sample_store import SampleReader, Samples, Series

_LEAST_SENTINEL = -2.0
"""-1 and -2 stand for "no reading"."""
Recorded = Sequence[tuple[Series, Samples]]
"""Series with the samples that were read of them."""
HOST = "host"
UTILISATION = "cpu_utilisation"
BUSIEST = "cpu_busiest_core"
DISKS, LINKS = "disk_utilisation", "network_utilisation"
SUFFIX = "_utilisation"
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


def total_series(meter: MeterRecord, series: Sequence[Series], quantity: Total) -> list[Series]:
    """Find the series that hold the whole of a meter's power or energy, one per range it used."""
    candidates = [s for s in series if s.key.source == meter.name and s.key.quantity == quantity]
    total = total_channel((s.key.channel for s in candidates), quantity)
    return [s for s in candidates if s.key.channel == total]


def total_ids(series: Sequence[Series]) -> set[int]:
    """Find the series that hold the whole power or energy of their source."""
    channels: dict[str, list[tuple[str, str]]] = {}
    for recorded in series:
        channels.setdefault(recorded.key.source, []).append((recorded.key.quantity, recorded.key.channel))
    totals = {source: total_channels(of_source) for source, of_source in channels.items()}
    return {s.id for s in series if (s.key.quantity, s.key.channel) in totals[s.key.source]}


def power_series(meter: MeterRecord, series: Sequence[Series]) -> list[Series]:
    """Find the series that hold a meter's active power (energy for a counter), one per range it used."""
    return total_series(meter, series, "energy" if meter.kind == "counter" else "power")


def read(series: Iterable[Series], store: SampleReader, begin_ns: int | None, end_ns: int | None) -> Recorded:
    """Read each of some series once between two instants."""
    distinct = {s.id: s for s in series}
    return [(s, store.read(s.id, begin_ns, end_ns)) for s in distinct.values()]


def read_trace(
    run: RunRecord,
    meter: MeterRecord,
    series: Sequence[Series],
    store: SampleReader,
    begin_ns: int | None,
    end_ns: int | None,
) -> Trace:
    """Read a meter's power between two instants [ns since 1970 UTC], all ranges in order of time, and its register."""
    needed = [*power_series(meter, series), *total_series(meter, series, "energy")]
    return trace_of(run, meter, read(needed, store, begin_ns, end_ns))


def trace_of(run: RunRecord, meter: MeterRecord, recorded: Recorded) -> Trace:
    """Merge a meter's power of all ranges in order of time, and its energy register where it has one.

    A change of range between them leaves the range unknown, since one range term cannot hold for both.
    """
    series = [s for s, _ in recorded]
    power = power_series(meter, series)
    parts = [(s, p) for s, p in recorded if s in power and len(p)]
    samples = merge([p for _, p in parts])
    unit = power[0].key.unit if power else ("Wh" if meter.kind == "counter" else "W")
    register = None
    if meter.kind != "counter":
        counters = total_series(meter, series, "energy")
        counted = merge([p for s, p in recorded if s in counters])
        register_instrument = instrument(run, meter, "Wh")
        register = (
            None
            if not len(counted)
            else Trace(
                instrument=replace(
                    register_instrument, kind="counter", resolution=meter.register_resolution_wh, specification=None
                ),
                t_ns=counted.t_ns,
                value=counted.value,
                usable=(counted.quality & UNUSABLE) == 0,
                u_t_s=counted.u_t_s.astype(np.float64),
            )
        )
    return Trace(
        instrument=instrument(run, meter, unit, ranges=len({s.key.range for s, _ in parts})),
        t_ns=samples.t_ns,
        value=samples.value,
        usable=(samples.quality & UNUSABLE) == 0,
        u_t_s=floats(samples.u_t_s),
        over_range=(samples.quality & Quality.OVER_RANGE) != 0,
        stale=(samples.quality & Quality.STALE) != 0,
        doubts=doubts(samples),
        register=register,
    )


def doubts(samples: Samples) -> tuple[tuple[str, NDArray[np.bool_]], ...]:
    """Find why samples are not usable, in words, each with its samples."""
    flags = int(np.bitwise_or.reduce(samples.quality)) if len(samples) else 0
    masks = {flag: (samples.quality & flag) != 0 for flag in REASONS if flags & flag}
    if Quality.INVALID in masks:  # a number below the codes for "no reading" is a reversed transformer's
        masks[Quality.INVALID] &= ~(samples.value < _LEAST_SENTINEL)
    return tuple((REASONS[flag], mask) for flag, mask in masks.items())


def merge(parts: Sequence[Samples]) -> Samples:
    """Merge the samples of several series in order of time."""
    if len(parts) == 1:
        return parts[0]
    t_ns = np.concatenate([np.zeros(0, dtype=np.int64), *(p.t_ns for p in parts)])
    order = np.argsort(t_ns, kind="stable")
    return Samples(
        t_ns=t_ns[order],
        value=np.concatenate([np.zeros(0), *(p.value for p in parts)])[order],
        quality=np.concatenate([np.zeros(0, dtype=np.uint16), *(p.quality for p in parts)])[order],
        u_t_s=np.concatenate([np.zeros(0, dtype=np.float32), *(p.u_t_s for p in parts)])[order],
    )


def usable_inside(samples: Samples, begin_ns: int, end_ns: int) -> Samples:
    """Select the usable samples with begin_ns <= t <= end_ns."""
    keep = (samples.t_ns >= begin_ns) & (samples.t_ns <= end_ns) & ((samples.quality & UNUSABLE) == 0)
    return Samples(samples.t_ns[keep], samples.value[keep], samples.quality[keep], samples.u_t_s[keep])


def ranges_used(meter: MeterRecord, recorded: Recorded, window: Window) -> list[str | None]:
    """List the ranges that a meter used inside the window; None is the only range of a meter without named ranges."""
    power = power_series(meter, [s for s, _ in recorded])
    used = {
        s.key.range or meter.range_name or None
        for s, p in recorded
        if s in power and np.any((p.t_ns >= window.begin_ns) & (p.t_ns <= window.end_ns))
    }
    return sorted(used, key=str)


def series_of_use(meter: MeterRecord, series: Sequence[Series], *, certified: bool) -> list[Series]:
    """Find the series of a meter's conditions of use that its specification or certificate asks for."""
    quantities = {*(PARTS if certified or meter.influences.pf0_pct else ()), *(("frequency",) if certified else ())}
    quantities |= {"current", "voltage"} if _needs_inputs(meter) else set()
    totals = [s for s in series if s.key.source == meter.name and s.key.quantity in quantities]
    return [s for s in totals if s.key.channel in TOTAL[s.key.quantity]]


def _needs_inputs(meter: MeterRecord) -> bool:
    """Return whether the limits of error depend on voltage and current: self-heating, limits of inputs, a band."""
    of = meter.influences
    return bool(of.heating_pct_per_a2 or of.heating_pct_per_v2 or of.voltage is not None or of.current_low_a)


def window_means(meter: MeterRecord, recorded: Recorded, window: Window) -> Mapping[str, float]:
    """Average the usable samples of a meter's totals inside the window, by quantity; those without any are excluded."""
    means = {}
    for quantity, channels in TOTAL.items():
        parts = [
            p
            for s, p in recorded
            if s.key.source == meter.name and s.key.quantity == quantity and s.key.channel in channels
        ]
        if not parts:
            continue
        samples = merge(parts)
        inside = usable(samples) & (samples.t_ns >= window.begin_ns) & (samples.t_ns <= window.end_ns)
        mean = float(samples.value[inside].mean()) if inside.any() else math.nan
        if math.isfinite(mean):
            means[quantity] = mean
    return means


def power_factor(means: Mapping[str, float], *, one_phase: bool) -> float | None:
    """Return the magnitude of the power factor over the window, in (0, 1]; None where the meter did not measure it.

    The meter's own power factor comes first, then P/S, then P/(V I), which holds for one phase only. Means over the
    window are used: the correction is linear in P and Q.
    """
    if "power_factor" in means:
        return _plausible(means["power_factor"])
    apparent_va = means.get("apparent_power")
    if apparent_va is None and one_phase and "voltage" in means and "current" in means:
        apparent_va = means["voltage"] * means["current"]
    if "power" not in means or not apparent_va:
        return None
    return _plausible(means["power"] / apparent_va)


def measures_one_phase(meter: MeterRecord, series: Sequence[Series]) -> bool:
    """Return whether voltage and current are those of the only phase."""
    channels = [(s.key.quantity, s.key.channel) for s in series if s.key.source == meter.name]
    return all({c for q, c in channels if q == quantity} == {quantity} for quantity in ("voltage", "current"))


def _plausible(factor: float) -> float | None:
    """Return the magnitude [1]; None for a value that is not a power factor."""
    size = abs(factor)
    return min(size, 1.0) if 0 < size <= MOST else None


def conditions(meter: MeterRecord, means: Mapping[str, float], window: Window, *, one_phase: bool) -> Conditions:
    """Return the conditions of use; None for what neither operator nor meter states."""
    current_a = means.get("current") if _needs_inputs(meter) else None
    return replace(
        stated_conditions(meter, window.end_ns),
        power_factor=power_factor(means, one_phase=one_phase) if meter.influences.pf0_pct else None,
        current_a=None if current_a is None else abs(current_a),
        voltage_v=means.get("voltage") if _needs_inputs(meter) else None,
    )


def is_host(source: str) -> bool:
    """Return whether a source is the operating system of a server: this machine, or another one by its name."""
    return source == HOST or source.startswith(f"{HOST}.")


def host_series(series: Sequence[Series], *, all_resources: bool) -> list[Series]:
    """Find the series of CPU utilisation of the server's operating system, or of all its resources."""
    channels = (UTILISATION, BUSIEST) if all_resources else (UTILISATION,)
    quantities = (DISKS, LINKS) if all_resources else ()
    host = [s for s in series if is_host(s.key.source)]
    return [s for s in host if s.key.channel in channels or s.key.quantity in quantities]


def cpu_utilisation(recorded: Recorded) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Return the CPU utilisation of the server's operating system as stamps and values [%]; empty: not recorded."""
    samples = merge([p for s, p in recorded if s.key.channel == UTILISATION])
    usable = (samples.quality & UNUSABLE) == 0
    return samples.t_ns[usable], samples.value[usable]


def utilisation(recorded: Recorded, window: Window) -> Utilisation:
    """Average utilisations [%] over the window, (begin, end] in UTC nanoseconds."""

    def inside(channel: str) -> Samples:
        samples = merge([p for s, p in recorded if s.key.channel == channel])
        return usable_inside(samples, window.begin_ns + 1, window.end_ns)

    def mean(channel: str) -> float | None:
        samples = inside(channel)
        return float(samples.value.mean()) if len(samples) else None

    def means(quantity: str) -> dict[str, float]:
        channels = dict.fromkeys(s.key.channel for s, _ in recorded if s.key.quantity == quantity)
        averages = {channel.removesuffix(SUFFIX): mean(channel) for channel in channels}
        return {name: value for name, value in averages.items() if value is not None}

    return Utilisation(
        cpu_pct=mean(UTILISATION),
        busiest_core_pct=mean(BUSIEST),
        disks=means(DISKS),
        links=means(LINKS),
    )
