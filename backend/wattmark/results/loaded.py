"""The inputs of an evaluation, read once from the stores; everything after this is pure computation."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

import numpy as np
from wattmark_calibration import MeterInUse, Refusal

from wattmark.analysis.clocks.clocks import ServerClock
from wattmark.analysis.efficiency.rule_name import RuleName
from wattmark.analysis.efficiency.run import IdlePhase, RunInput
from wattmark.analysis.efficiency.window import COMPLETE, RULES, Marks, Window, choose_window
from wattmark.analysis.energy.calibrated import Calibration, LostCertificate
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
from wattmark.traceability.certificates.register import Accepted, CertificateRegister, Lost, range_in_use
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
    serial = meter.serial or ""
    as_of = datetime.fromtimestamp(window.end_ns / 1e9, tz=UTC)
    names = ranges_used(meter, recorded, window)
    range_name = names[0] if len(names) == 1 else None
    entry = _judging_certificate(register, serial, as_found) or register.choose(serial, range_name, as_of, run.run_id)
    lost = register.lost_instead(serial, entry)
    if lost is not None:
        return _unreadable_calibration(meter, lost, range_name, as_of)
    if entry is None:
        return None
    judged = entry.certificate.id == as_found
    covered = range_in_use(entry.certificate, range_name, as_found=judged)
    return Calibration(
        certificate=entry.certificate,
        range_name=covered or range_name or "",
        as_of=as_of,
        meter=_in_use(meter, entry, means),
        known=register.known,
        override=register.override(entry.certificate.id, serial, run.run_id),
        state="as found" if judged else "in use",
        power_factor=factor,
        previous=register.before(entry),
        refusal=_range_refusal(meter, entry, names, covered),
    )


def _in_use(meter: MeterRecord, entry: Accepted, means: Mapping[str, float]) -> MeterInUse:
    """Return the meter as it was used: frequency [Hz] and voltage [V] as it measured them, else as stated."""
    return MeterInUse(
        meter.serial or "",
        meter.firmware,
        entry.sha256,
        meter.influences.pf0_pct,
        frequency_hz=means.get("frequency", meter.conditions.frequency_hz),
        voltage_v=abs(means["voltage"]) if "voltage" in means else None,
    )


def _unreadable_calibration(meter: MeterRecord, lost: Lost, range_name: str | None, as_of: datetime) -> Calibration:
    """Return a calibration that is refused: a certificate that cannot be read may contradict the specification."""
    return Calibration(
        certificate=LostCertificate(lost.certificate_id, lost.version),
        range_name=range_name or "",
        as_of=as_of,
        meter=MeterInUse(meter.serial or "", meter.firmware, lost.sha256, meter.influences.pf0_pct),
        refusal=Refusal("unreadable", lost.text, final=True),
    )


def _judging_certificate(register: CertificateRegister, serial: str, as_found: str | None) -> Accepted | None:
    """Return the certificate whose as-found points shall judge the meter; None where it is of another meter."""
    entry = register.get(as_found) if as_found else None
    return entry if entry is not None and entry.certificate.meter.serial == serial else None


def _range_refusal(
    meter: MeterRecord, entry: Accepted, names: Sequence[str | None], covered: str | None
) -> Refusal | None:
    """Return why no correction can be made: the range changed, or is not known and the certificate has several."""
    if len(names) > 1:
        listed = ", ".join(str(name) for name in names)
        return Refusal("range", f"{meter.name} changed its range inside the window ({listed}).", final=True)
    named = bool(names) and names[0] is not None
    several = covered is None or (meter.range_pct and meter.range_w is None)
    if named or not several:
        return None
    text = f"The range of {meter.name} is not recorded, so certificate {entry.name} cannot be applied."
    return Refusal("range", text, final=True)
