"""The latency of each meter of a run: from its load pulses, from those of an earlier run, as stated, or assumed."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wattmark.analysis.clocks.clocks import Latency, meter_latency
from wattmark.analysis.energy.trace import good_samples
from wattmark.analysis.refusal import Refused
from wattmark.results.meters import instrument
from wattmark.results.series import read_trace
from wattmark.results.server_clock import server_clock
from wattmark.runs.disclosure import MeterLatency
from wattmark.runs.record import MeterRecord, Phase, PhaseName, RunRecord
from wattmark.store.sample_store import SampleStore, Series


def find_latencies(run: RunRecord, series: Sequence[Series], store: SampleStore) -> tuple[MeterLatency, ...]:
    """Estimate the latency of each wall and secondary meter and its standard uncertainty [s], with their basis.

    Empty for a run that has neither a sync pattern nor estimates of earlier runs.
    """
    earlier = run.disclosure.earlier_latencies
    phase = next((phase for phase in run.phases if phase.name is PhaseName.SYNC and phase.pulses), None)
    if phase is None and not earlier:
        return ()
    return tuple(_find(run, m, phase, earlier, series, store) for m in run.meters if m.role != "bmc")


def with_latencies(run: RunRecord, latencies: Sequence[MeterLatency]) -> RunRecord:
    """Return the record with these latencies [s] of its meters."""
    by_meter = {latency.meter: latency for latency in latencies}
    meters = tuple(
        m.model_copy(update={"latency_s": by_meter[m.name].latency_s, "u_latency_s": by_meter[m.name].u_latency_s})
        if m.name in by_meter
        else m
        for m in run.meters
    )
    return run.model_copy(update={"meters": meters})


def _find(
    run: RunRecord,
    meter: MeterRecord,
    phase: Phase | None,
    earlier: Sequence[MeterLatency],
    series: Sequence[Series],
    store: SampleStore,
) -> MeterLatency:
    """Estimate a latency [s] from the run's own sync pattern; else return the newest earlier or the stated one."""
    try:
        latency = _from_pattern(run, meter, phase, series, store)
    except Refused as refusal:
        return _fallback(run, meter, earlier, refusal.text)
    return MeterLatency(
        meter=meter.name,
        latency_s=latency.latency_s,
        u_latency_s=latency.u_s,
        basis="pattern",
        run_id=run.run_id,
        correlation=latency.correlation,
    )


def _fallback(run: RunRecord, meter: MeterRecord, earlier: Sequence[MeterLatency], reason: str) -> MeterLatency:
    estimates = [estimate for estimate in earlier if estimate.meter == meter.name]
    if estimates:
        return estimates[-1].changed(basis="earlier pattern", reason=reason)
    return MeterLatency(
        meter=meter.name,
        latency_s=meter.latency_s,
        u_latency_s=instrument(run, meter).latency_uncertainty_s,
        basis="assumed" if meter.u_latency_s is None else "stated",
        reason=reason,
    )


def _from_pattern(
    run: RunRecord, meter: MeterRecord, phase: Phase | None, series: Sequence[Series], store: SampleStore
) -> Latency:
    """Estimate the latency by correlating the pulses with the trace [s]. Raises `Refused` with the reason.

    An averaging meter is taken to average over the time between its samples, as the energy over the window is, unless
    its maker states another time.
    """
    if phase is None or phase.end_ns is None:
        raise Refused("no-pattern", "It has no sync pattern.")
    if meter.kind == "counter":
        raise Refused("no-pattern", "An energy register is too coarse to show pulses.")
    trace = read_trace(run, meter, series, store, phase.begin_ns, phase.end_ns)
    good = good_samples(trace)
    t_s = (trace.t_ns[good] - phase.begin_ns) / 1e9
    averaging_s = 0.0
    if meter.kind == "averaged":
        averaging_s = _spacing_s(t_s, meter.period_s) if meter.averaging_s is None else meter.averaging_s
    pulses, u_clock_s = _pulses(run, phase)
    latency = meter_latency(t_s, trace.value[good], pulses, averaging_s=averaging_s)
    return Latency(latency.latency_s, math.hypot(latency.u_s, u_clock_s), latency.correlation)


def _spacing_s(t_s: NDArray[np.float64], declared_s: float) -> float:
    return max(declared_s, float(np.median(np.diff(t_s)))) if len(t_s) > 2 else declared_s


def _pulses(run: RunRecord, phase: Phase) -> tuple[list[tuple[float, float]], float]:
    """Return begin and end of each pulse [s since the phase began], by the stamps of the load where it gave some.

    The second figure is the standard uncertainty that its clock adds [s].
    """
    clock = server_clock(run)
    pulses, converted = [], False
    for pulse in phase.pulses:
        begin_ns, end_ns = pulse.begin_ns, pulse.end_ns
        if clock is not None and pulse.begin_there_ns is not None and pulse.end_there_ns is not None:
            begin_ns, end_ns = clock.fit.to_ours(pulse.begin_there_ns), clock.fit.to_ours(pulse.end_there_ns)
            converted = True
        pulses.append(((begin_ns - phase.begin_ns) / 1e9, (end_ns - phase.begin_ns) / 1e9))
    if clock is None:
        return pulses, 0.0
    return pulses, clock.fit.u_s if converted else clock.u_marks_s
