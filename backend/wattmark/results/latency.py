"""The time of a run's marks and readings: the clock of the load's machine, and the latency of each meter."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wattmark.analysis.clocks.clocks import Exchange, Latency, ServerClock, fit_server_clock, meter_latency
from wattmark.analysis.energy.trace import Trace, good_samples
from wattmark.analysis.refusal import Refused
from wattmark.results.meters import instrument
from wattmark.results.series import read_trace
from wattmark.runs.disclosure import MeterLatency
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import MeterRecord, Phase, RunRecord
from wattmark.store.sample_store import SampleReader, Series


@dataclass(frozen=True, slots=True)
class _Pattern:
    """The load pulses of a sync phase."""

    begin_ns: int
    end_ns: int
    pulses: Sequence[tuple[float, float]]
    """Begin and end of each pulse [s since the phase began]."""
    u_clock_s: float
    """Standard uncertainty that the clock of the load adds [s]."""


def server_clock(run: RunRecord) -> ServerClock | None:
    """Fit the clock of the run's server; None where the load ran under the clock of the readings itself."""
    stamps = run.disclosure.clock.exchanges
    return fit_server_clock([Exchange(*stamp) for stamp in stamps]) if stamps else None


def estimate_latencies(
    run: RunRecord, clock: ServerClock | None, series: Sequence[Series], store: SampleReader
) -> tuple[RunRecord, tuple[MeterLatency, ...]]:
    """Estimate the latency of each wall and secondary meter [s], by its load pulses, else as known before.

    Returns the record with these latencies of its meters, and the latencies with their basis: none for a run that has
    neither a sync pattern nor estimates of earlier runs.
    """
    earlier = run.disclosure.earlier_latencies
    phase = next((phase for phase in run.phases if phase.name is PhaseName.SYNC and phase.pulses), None)
    if phase is None and not earlier:
        return run, ()
    pattern = None if phase is None or phase.end_ns is None else _pattern(phase, phase.end_ns, clock)
    latencies = []
    for meter in (m for m in run.meters if m.role != "bmc"):
        try:
            if pattern is None:
                raise Refused("no-pattern", "The run has no sync pattern.")
            latency = _by_pattern(read_trace(run, meter, series, store, pattern.begin_ns, pattern.end_ns), pattern)
        except Refused as refusal:
            latencies.append(_known_before(run, meter, earlier, refusal.text))
            continue
        latencies.append(
            MeterLatency(
                meter=meter.name,
                latency_s=latency.latency_s,
                u_latency_s=latency.u_s,
                basis="pattern",
                run_id=run.run_id,
                correlation=latency.correlation,
            )
        )
    return with_latencies(run, latencies), tuple(latencies)


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


def _pattern(phase: Phase, end_ns: int, clock: ServerClock | None) -> _Pattern:
    """Return the pulses of a phase, by the stamps of the load's own clock where it gave some."""
    pulses, converted = [], False
    for pulse in phase.pulses:
        pulse_begin_ns, pulse_end_ns = pulse.begin_ns, pulse.end_ns
        if clock is not None and pulse.begin_there_ns is not None and pulse.end_there_ns is not None:
            pulse_begin_ns = clock.fit.to_ours(pulse.begin_there_ns)
            pulse_end_ns = clock.fit.to_ours(pulse.end_there_ns)
            converted = True
        pulses.append(((pulse_begin_ns - phase.begin_ns) / 1e9, (pulse_end_ns - phase.begin_ns) / 1e9))
    u_clock_s = 0.0 if clock is None else clock.fit.u_s if converted else clock.u_marks_s
    return _Pattern(phase.begin_ns, end_ns, pulses, u_clock_s)


def _by_pattern(trace: Trace, pattern: _Pattern) -> Latency:
    """Estimate the latency by correlating the pulses with the trace [s]. Raises `Refused` with the reason.

    An averaging meter is taken to average over the time between its samples, as the energy over the window is, unless
    its maker states another time.
    """
    meter = trace.instrument
    if meter.kind == "counter":
        raise Refused("no-pattern", "An energy register is too coarse to show the load pulses.")
    good = good_samples(trace)
    t_s = (trace.t_ns[good] - pattern.begin_ns) / 1e9
    averaging_s = 0.0
    if meter.kind == "averaged":
        spacing_s = float(np.median(np.diff(t_s))) if len(t_s) > 2 else meter.period_s
        averaging_s = max(meter.period_s, spacing_s) if meter.averaging_s is None else meter.averaging_s
    latency = meter_latency(t_s, trace.value[good], pattern.pulses, averaging_s=averaging_s)
    return Latency(latency.latency_s, math.hypot(latency.u_s, pattern.u_clock_s), latency.correlation)


def _known_before(run: RunRecord, meter: MeterRecord, earlier: Sequence[MeterLatency], reason: str) -> MeterLatency:
    """Return the newest estimate of earlier runs, else the stated or assumed latency [s], with ``reason``."""
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
