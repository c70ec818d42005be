"""The inputs of an evaluation, read once from the stores; everything after this is pure computation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np

from wattmark.analysis.clocks.clocks import ServerClock
from wattmark.analysis.efficiency.rule_name import RuleName
from wattmark.analysis.efficiency.run import IdlePhase, RunInput
from wattmark.analysis.efficiency.window import COMPLETE, RULES, Marks, Window, choose_window
from wattmark.analysis.energy.calibrated import Calibration
from wattmark.analysis.energy.trace import Trace
from wattmark.analysis.refusal import Refused
from wattmark.results.cross_calibrated import CrossCalibrationNote, with_cross_calibration
from wattmark.results.cross_check import CrossCheckInput, read_cross_check
from wattmark.results.latency import estimate_latencies, server_clock
from wattmark.results.limit_readings import limit_readings, limit_series
from wattmark.results.meters import result_meters
from wattmark.results.series import (
    Recorded,
    conditions,
    cpu_utilisation,
    host_series,
    measures_one_phase,
    power_factor,
    power_series,
    ranges_used,
    read,
    read_trace,
    series_of_use,
    total_series,
    trace_of,
    utilisation,
    window_means,
)
from wattmark.runs.disclosure import MeterLatency
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.power_settings import UNCHANGED
from wattmark.runs.record import MeterRecord, RunRecord
from wattmark.store.sample_store import SampleReader, Series
from wattmark.traceability.certificates.in_use import calibration_of
from wattmark.traceability.certificates.register import CertificateRegister
from wattmark.traceability.cross_calibration.record import CrossCalibrationRecord

MARGIN_S = 30.0
MARGIN_PERIODS = 10
MARGIN_AVERAGES = 2
EMPTY = CertificateRegister()


@dataclass(frozen=True, slots=True)
class LoadedRun:
    """A run with all inputs of its result."""

    run: RunRecord
    """The record; its meters have their estimated latencies."""
    meters: tuple[MeterRecord, ...]
    """The meters whose power makes the result."""
    input: RunInput
    """Marks, traces, utilisation, idle phases and certificates, for the analysis."""
    clock: ServerClock | None = None
    """The clock of the load's machine; None: it is the clock of the readings, or was not compared."""
    latencies: tuple[MeterLatency, ...] = ()
    cross_calibration: CrossCalibrationNote | None = None
    """The note about the cross-calibration of the run's BMC; None: none is in force."""
    cross_check: CrossCheckInput | None = None
    """Sources recorded beside the wall meters; None: none, or no window."""


def load_run(
    run: RunRecord,
    samples: SampleReader,
    rule: RuleName = "complete",
    register: CertificateRegister = EMPTY,
    as_found: str | None = None,
    cross_calibration: CrossCalibrationRecord | None = None,
) -> LoadedRun:
    """Load the inputs of a result: traces, conditions of use, utilisation, latencies, certificates.

    Each series is read once around the marked work, and once for each idle phase and sync pattern; what tells of limits
    is read as a whole, because an alarm may have stood before the load. A wall meter that has a certificate in force on
    ``register`` gets it; ``as_found`` names one whose as-found points judge its meter.
    """
    series = samples.list_series(run.run_id)
    clock = server_clock(run)
    run, latencies = estimate_latencies(run, clock, series, samples)
    marks = run_marks(run, clock)
    begin_ns, end_ns = _span(run, marks)
    window = _window(marks, rule)
    chosen = result_meters(run)
    power: list[Trace] = []
    certificates: dict[str, Calibration] = {}
    for meter in chosen:
        certified = window is not None and bool(register.revision) and _may_have_certificate(meter)
        needed_series = [*power_series(meter, series), *total_series(meter, series, "energy")]
        needed_series += [] if window is None else series_of_use(meter, series, certified=certified)
        recorded = read(needed_series, samples, begin_ns, end_ns)
        trace = trace_of(run, meter, recorded)
        if window is not None:
            one_phase, means = measures_one_phase(meter, series), window_means(meter, recorded, window)
            used = conditions(meter, means, window, one_phase=one_phase)
            trace = replace(trace, instrument=replace(trace.instrument, conditions=used))
            if certified:
                factor = power_factor(means, one_phase=one_phase)
                calibration = _calibration(run, meter, recorded, means, factor, window, register, as_found)
                certificates |= {} if calibration is None else {meter.name: calibration}
        power.append(trace)
    others = [m for m in run.meters if m not in chosen and not m.partial and not m.other_servers]
    beside = {m.name: read_trace(run, m, series, samples, begin_ns, end_ns) for m in others}
    expected = None if window is None else _expected_limit(run)
    host = read(host_series(series, all_resources=expected is not None), samples, begin_ns, end_ns)
    limits = [] if window is None else read(limit_series(series), samples, None, None)
    utilisation_t_ns, utilisation_pct = cpu_utilisation(host)
    run_input = RunInput(
        marks=marks,
        unit=run.unit,
        power=tuple(power),
        secondary_traces=tuple(beside.values()),
        idle=() if window is None else _idle_phases(run, chosen, power, series, samples),
        stated_throughput=run.stated_throughput,
        stated_operations=run.stated_energy_operations,
        utilisation_t_ns=utilisation_t_ns,
        utilisation_pct=utilisation_pct,
        host=None if window is None or expected is None else utilisation(host, window),
        limited_by=expected,
        limit_readings=limit_readings([*host, *limits], run.disclosure.settings or UNCHANGED),
        full_load_limit_pct=run.full_load_limit_pct,
        asked_s=run.disclosure.asked_s,
        rule=rule,
        calibrations=certificates,
    )
    note = None
    if cross_calibration is not None and window is not None:
        run_input, note = with_cross_calibration(run_input, cross_calibration, window, chosen[0])
    idle = [phase.window for phase in run_input.idle]
    sources = None if window is None else read_cross_check(run, beside, (begin_ns, end_ns), idle, series, samples)
    return LoadedRun(run, tuple(chosen), run_input, clock, latencies, note, sources)


def run_marks(run: RunRecord, clock: ServerClock | None) -> Marks:
    """Return the marks of the workload [ns since 1970 UTC] and its intervals of counted work."""
    return Marks(
        begin_ns=run.window_begin_ns,
        end_ns=run.window_end_ns,
        interval_begin_ns=np.array([i.begin_ns for i in run.throughput], dtype=np.int64),
        interval_end_ns=np.array([i.end_ns for i in run.throughput], dtype=np.int64),
        amount=np.array([i.amount for i in run.throughput], dtype=np.float64),
        u_s=math.hypot(clock.u_marks_s if clock else 0.0, run.disclosure.window.u_s or 0.0),
        count_step=run.count_step,
    )


def _window(marks: Marks, rule: RuleName) -> Window | None:
    """Choose the window; None where the marks give none."""
    try:
        return choose_window(RULES[rule], marks)
    except Refused:
        return None


def _span(run: RunRecord, marks: Marks) -> tuple[int | None, int | None]:
    """Return begin and end of the marked work with a margin [ns since 1970 UTC]; None, None (all) without marks."""
    begins = [t for t in (marks.begin_ns, *marks.interval_begin_ns[:1].tolist()) if t is not None]
    ends = [t for t in (marks.end_ns, *marks.interval_end_ns[-1:].tolist()) if t is not None]
    if not begins or not ends:
        return None, None
    margin_s = max([MARGIN_S, *(_margin_s(m) for m in run.meters)])
    margin_ns = round(margin_s * 1e9)
    return min(begins) - margin_ns, max(ends) + margin_ns


def _margin_s(meter: MeterRecord) -> float:
    """Compute the time before and after a window in which a meter's readings show its edges [s].

    Readings that average for long show an edge until that time has passed, and power is steady before or after it.
    """
    return MARGIN_PERIODS * meter.period_s + abs(meter.latency_s) + MARGIN_AVERAGES * (meter.averaging_s or 0.0)


def _expected_limit(run: RunRecord) -> str | None:
    """Return the resource that is meant to limit the workload; None where no workload ran."""
    workload = run.disclosure.workload
    return None if run.disclosure.task.task == "idle" or workload is None else workload.limited_by


def _idle_phases(
    run: RunRecord, meters: Sequence[MeterRecord], power: Sequence[Trace], series: Sequence[Series], store: SampleReader
) -> tuple[IdlePhase, ...]:
    """Read the idle phases, with the conditions of use under load and the operating point of the idle server."""
    phases = []
    for phase in run.phases:
        if phase.name is not PhaseName.IDLE or phase.end_ns is None:
            continue
        traces = []
        for meter, loaded in zip(meters, power, strict=True):
            margin_ns = round(max(MARGIN_S, _margin_s(meter)) * 1e9)
            trace = read_trace(run, meter, series, store, phase.begin_ns - margin_ns, phase.end_ns + margin_ns)
            point = f"{trace.instrument.operating_point}, idle"
            used = replace(trace.instrument, conditions=loaded.instrument.conditions, operating_point=point)
            traces.append(replace(trace, instrument=used))
        phases.append(IdlePhase(Window(phase.begin_ns, phase.end_ns, COMPLETE), tuple(traces)))
    return tuple(phases)


def _may_have_certificate(meter: MeterRecord) -> bool:
    return meter.role == "wall" and not meter.indicative and bool(meter.serial)


def _calibration(
    run: RunRecord,
    meter: MeterRecord,
    recorded: Recorded,
    means: Mapping[str, float],
    factor: float | None,
    window: Window,
    register: CertificateRegister,
    as_found: str | None,
) -> Calibration | None:
    """Choose a meter's certificate at the end of the window; None: it has none, and its specification is used.

    ``means`` are what the meter itself measured over the window, and ``factor`` its power factor.
    """
    as_of = datetime.fromtimestamp(window.end_ns / 1e9, tz=UTC)
    names = ranges_used(meter, recorded, window)
    return calibration_of(register, meter, names, means, factor, as_of, run_id=run.run_id, as_found=as_found)
