"""Which stored series belong to which instrument of a run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from wattmark_calibration import Influences, Specification
from wattmark_drivers.reading import UNUSABLE, Quality

from wattmark.analysis.trace import Instrument, Trace
from wattmark.results.identity import identity_note, meter_identity
from wattmark.runs.record import MeterRecord, RunRecord
from wattmark.storage.sample_store import Samples, SampleStore, Series

TOTALS = {"power": ("power", "dcmi_power"), "energy": ("energy", "energy_import")}
"""Channels that hold the whole of a meter's power or energy, by quantity; others are phases, supplies or exports."""
HOST = "host"
UTILISATION = "cpu_utilisation"


def power_series(meter: MeterRecord, series: Sequence[Series]) -> list[Series]:
    """Find the series that hold a meter's active power (energy for a counter), one per range it used."""
    return total_series(meter, series, "energy" if meter.kind == "counter" else "power")


def total_series(meter: MeterRecord, series: Sequence[Series], quantity: Literal["power", "energy"]) -> list[Series]:
    """Find the series that hold the whole of a meter's power or energy, one per range it used."""
    candidates = [s for s in series if s.key.source == meter.name and s.key.quantity == quantity]
    channels = {s.key.channel for s in candidates}
    preferred = next((c for c in TOTALS[quantity] if c in channels), None)
    if preferred is None and len(channels) == 1:
        preferred = channels.pop()
    return [s for s in candidates if s.key.channel == preferred]


def read_trace(
    run: RunRecord,
    meter: MeterRecord,
    series: Sequence[Series],
    store: SampleStore,
    begin_ns: int | None,
    end_ns: int | None,
) -> Trace:
    """Read a meter's power between two instants, all its ranges in order of time; beside it its energy register.

    A change of range between them leaves the range unknown, since one range term cannot hold for both.
    """
    mine = power_series(meter, series)
    parts = [(s, store.read(s.id, begin_ns, end_ns)) for s in mine]
    parts = [(s, p) for s, p in parts if len(p)]
    samples = merge([p for _, p in parts])
    unit = mine[0].key.unit if mine else ("Wh" if meter.kind == "counter" else "W")
    return Trace(
        instrument=instrument(run, meter, unit, ranges=len({s.key.range for s, _ in parts})),
        t_ns=samples.t_ns,
        value=samples.value,
        usable=(samples.quality & UNUSABLE) == 0,
        u_t_s=samples.u_t_s.astype(np.float64),
        over_range=(samples.quality & Quality.OVER_RANGE) != 0,
        stale=(samples.quality & Quality.STALE) != 0,
        register=None if meter.kind == "counter" else read_register(run, meter, series, store, begin_ns, end_ns),
    )


def read_register(
    run: RunRecord,
    meter: MeterRecord,
    series: Sequence[Series],
    store: SampleStore,
    begin_ns: int | None,
    end_ns: int | None,
) -> Trace | None:
    """Read the energy register of a meter that also tells power; None where it has none or it was not recorded."""
    samples = merge([store.read(s.id, begin_ns, end_ns) for s in total_series(meter, series, "energy")])
    if not len(samples):
        return None
    of = instrument(run, meter, "Wh")
    return Trace(
        instrument=replace(of, kind="counter", resolution=meter.register_resolution_wh, specification=None),
        t_ns=samples.t_ns,
        value=samples.value,
        usable=(samples.quality & UNUSABLE) == 0,
        u_t_s=samples.u_t_s.astype(np.float64),
    )


def merge(parts: Sequence[Samples]) -> Samples:
    """Put the samples of several series in order of time."""
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


def instrument(run: RunRecord, meter: MeterRecord, unit: str = "W", ranges: int = 1) -> Instrument:
    """Describe a recorded meter to the analysis."""
    range_w = meter.range_w if ranges <= 1 else None
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
    )


def operating_point(run: RunRecord) -> str:
    """Name what runs have in common that a meter's curve and its last digit act on alike."""
    return f"{run.server}/{run.configuration}, {run.workload}, {run.level}"


def specification(meter: MeterRecord) -> Specification | None:
    """Take the maker's limits of error; None where the maker states none or the device is only indicative."""
    figures = (meter.reading_pct, meter.range_pct, meter.fixed_w)
    if meter.indicative or meter.role == "bmc" or not any(figures):
        return None
    return Specification(
        reading_pct=meter.reading_pct or 0.0,
        range_pct=meter.range_pct or 0.0,
        fixed=meter.fixed_w or 0.0,
        pf0_pct=meter.influences.pf0_pct,
        source=meter.accuracy_source or "",
        influences=Influences(**meter.influences.model_dump(exclude={"pf0_pct"})),
    )


def is_host(source: str) -> bool:
    """Tell whether a source is the operating system of a server: this machine, or another one by its name."""
    return source == HOST or source.startswith(f"{HOST}.")


def utilisation(
    series: Sequence[Series], store: SampleStore, begin_ns: int | None, end_ns: int | None
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Read the CPU utilisation of the server's operating system as stamps and values [%]; empty where not recorded."""
    mine = [s for s in series if is_host(s.key.source) and s.key.channel == UTILISATION]
    samples = merge([store.read(s.id, begin_ns, end_ns) for s in mine])
    usable = (samples.quality & UNUSABLE) == 0
    return samples.t_ns[usable], samples.value[usable]


def result_meters(run: RunRecord) -> list[MeterRecord]:
    """List the meters whose power makes the result: all wall meters, or the first BMC where there is no wall meter."""
    wall = [m for m in run.meters if m.role == "wall"]
    return wall or [m for m in run.meters if m.role == "bmc"][:1]
