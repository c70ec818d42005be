"""How late each meter of a run is: from the run's own load pulses, an earlier run's, the bench file, or assumed."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from wattmark.analysis.clocks import Latency, meter_latency
from wattmark.analysis.refusal import Refused
from wattmark.analysis.trace import good_samples
from wattmark.results.series import instrument, read_trace
from wattmark.results.server_clock import server_clock
from wattmark.runs.record import MeterRecord, Phase, PhaseName, RunRecord
from wattmark.runs.result import MeterLatency
from wattmark.storage.sample_store import SampleStore, Series

EARLIER_LATENCIES = "earlier_latencies"
"""Key of a run's disclosure: the newest estimates from earlier runs of its campaign on its server."""


def find_latencies(run: RunRecord, store: SampleStore) -> tuple[MeterLatency, ...]:
    """Find the latency of each wall meter and witness [s] and its standard uncertainty, with where it comes from.

    Nothing for a run that has neither a sync pattern nor estimates of earlier runs.
    """
    earlier = [MeterLatency.model_validate(one) for one in run.disclosure.get(EARLIER_LATENCIES, ())]
    phase = next((one for one in run.phases if one.name is PhaseName.SYNC and one.pulses), None)
    if phase is None and not earlier:
        return ()
    series = store.list_series(run.run_id)
    return tuple(_find(run, m, phase, earlier, series, store) for m in run.meters if m.role != "bmc")


def with_latencies(run: RunRecord, latencies: Sequence[MeterLatency]) -> RunRecord:
    """Let the meters of a record have the latencies that were found."""
    found = {one.meter: one for one in latencies}
    meters = tuple(
        m.model_copy(update={"latency_s": found[m.name].latency_s, "u_latency_s": found[m.name].u_latency_s})
        if m.name in found
        else m
        for m in run.meters
    )
    return run.model_copy(update={"meters": meters})


def latency_notes(latencies: Sequence[MeterLatency]) -> list[str]:
    """Say of each meter how late it is and how that is known."""
    return [_note(one) for one in latencies]


def _note(one: MeterLatency) -> str:
    figure = f"{one.latency_s:.3f} s with a standard uncertainty of {one.u_latency_s:.3f} s"
    if one.basis == "pattern":
        return f"{one.meter} shows the load {figure} later, measured from the load pulses of this run."
    failed = f"The latency of {one.meter} was not measured in this run: {one.reason}"
    if one.basis == "earlier pattern":
        return f"{failed} It is {figure}, from the load pulses of run {one.run_id}."
    return f"{failed} It is {figure}, as {'the bench file states' if one.basis == 'stated' else 'assumed'}."


def _find(
    run: RunRecord,
    meter: MeterRecord,
    phase: Phase | None,
    earlier: Sequence[MeterLatency],
    series: Sequence[Series],
    store: SampleStore,
) -> MeterLatency:
    """Take the run's own pattern; where it cannot be seen the newest earlier estimate, then what was stated."""
    try:
        found = _from_pattern(run, meter, phase, series, store)
    except Refused as refusal:
        return _otherwise(run, meter, earlier, refusal.text)
    return MeterLatency(
        meter=meter.name,
        latency_s=found.latency_s,
        u_latency_s=found.u_s,
        basis="pattern",
        run_id=run.run_id,
        correlation=found.correlation,
    )


def _otherwise(run: RunRecord, meter: MeterRecord, earlier: Sequence[MeterLatency], reason: str) -> MeterLatency:
    known = [one for one in earlier if one.meter == meter.name]
    if known:
        return known[-1].model_copy(update={"basis": "earlier pattern", "reason": reason})
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
    """Correlate the pulses with the meter's trace. Raises `Refused` with the reason.

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
    found = meter_latency(t_s, trace.value[good], pulses, averaging_s=averaging_s)
    return Latency(found.latency_s, math.hypot(found.u_s, u_clock_s), found.correlation)


def _spacing_s(t_s: NDArray[np.float64], declared_s: float) -> float:
    return max(declared_s, float(np.median(np.diff(t_s)))) if len(t_s) > 2 else declared_s


def _pulses(run: RunRecord, phase: Phase) -> tuple[list[tuple[float, float]], float]:
    """Give begin and end of each pulse [s since the phase began], by the load's own stamps where its machine gave some.

    The second figure is the standard uncertainty that its clock adds [s].
    """
    clock = server_clock(run)
    pulses, converted = [], False
    for one in phase.pulses:
        begin_ns, end_ns = one.begin_ns, one.end_ns
        if clock is not None and one.begin_there_ns is not None and one.end_there_ns is not None:
            begin_ns, end_ns = clock.fit.to_ours(one.begin_there_ns), clock.fit.to_ours(one.end_there_ns)
            converted = True
        pulses.append(((begin_ns - phase.begin_ns) / 1e9, (end_ns - phase.begin_ns) / 1e9))
    if clock is None:
        return pulses, 0.0
    return pulses, clock.fit.u_s if converted else clock.u_marks_s
