"""Figures of a part of a run that a person chose: evaluated like the window of the run, with the same uncertainty."""

from __future__ import annotations

from dataclasses import replace

from wattmark_calibration import UncertainValue

from wattmark.analysis.efficiency.efficiency import Work, analyse_work
from wattmark.analysis.efficiency.window import COMPLETE, Window
from wattmark.analysis.energy.power import PowerAnalysis, analyse_power
from wattmark.analysis.energy.readings import Readings, readings_inside
from wattmark.analysis.refusal import Refused
from wattmark.core.quantity import Quantity, budget_lines
from wattmark.core.schema import Schema
from wattmark.results.loaded import LoadedRun, load_run, run_marks
from wattmark.results.meters import result_meters
from wattmark.runs.phase_name import PhaseName
from wattmark.runs.record import MeterRecord, RunRecord
from wattmark.store.sample_store import SampleStore
from wattmark.traceability.certificates.register import CertificateRegister
from wattmark.traceability.cross_calibration.record import CrossCalibrationRecord

NS = 1e-9
MOSTLY_PCT = 50.0
"""Share of the variance above which the ends of a span dominate its ± [%]."""


class SpanPower(Schema):
    """Mean power [W] and energy [J] of a span; None: not known, and ``notes`` say why."""

    power: Quantity | None = None
    energy: Quantity | None = None
    notes: list[str] = []


class MeterSpan(SpanPower, Readings):
    """A meter over a span, with its single readings."""

    meter: str
    title: str
    role: str
    simulated: bool


class SpanOut(Schema):
    """Figures of a run over [begin_s, end_s]: of the server, of each of its meters, and the work done meanwhile."""

    run_id: str
    begin_s: float
    end_s: float
    server: SpanPower
    """The meters that make the result of the run, added up."""
    simulated: bool
    """Whether one of these is a simulator."""
    meters: list[MeterSpan]
    throughput: Quantity | None = None
    efficiency: Quantity | None = None
    """Work per joule."""
    energy_per_op: Quantity | None = None
    work_notes: list[str] = []


def span_of(
    run: RunRecord,
    samples: SampleStore,
    begin_ns: int,
    end_ns: int,
    register: CertificateRegister,
    as_found: str | None = None,
    cross_calibration: CrossCalibrationRecord | None = None,
) -> SpanOut:
    """Evaluate a run between two instants [ns since 1970 UTC] like its window: power, energy, work per joule.

    The span is cut exactly, also inside a throughput interval, and shifted by the latency of each meter. Certificates
    and conditions of use are those at the span.
    """

    def loaded(meters: tuple[MeterRecord, ...]) -> LoadedRun:
        part = _part(run, meters, begin_ns, end_ns)
        return load_run(part, samples, "complete", register, as_found, cross_calibration)

    whole = loaded(run.meters)
    window = Window(begin_ns, end_ns, COMPLETE, whole.input.marks.u_s)
    power, notes = _power(whole, window)
    work = _work(run, whole, window, power)
    alone = len(result_meters(run)) == 1
    return SpanOut(
        run_id=run.run_id,
        begin_s=begin_ns * NS,
        end_s=end_ns * NS,
        server=_server(power, notes, window),
        simulated=any(meter.simulated for meter in result_meters(run)),
        meters=[
            _meter(meter, whole if alone and meter in result_meters(run) else loaded((_as_wall(meter),)), window)
            for meter in run.meters
        ],
        throughput=work.throughput and Quantity.of(work.throughput),
        efficiency=work.efficiency and Quantity.of(work.efficiency),
        energy_per_op=work.energy_per_op and Quantity.of(work.energy_per_op),
        work_notes=list(work.notes),
    )


def _part(run: RunRecord, meters: tuple[MeterRecord, ...], begin_ns: int, end_ns: int) -> RunRecord:
    """Return the record of a run that consists of the span alone; its pulses stay, for the latencies."""
    return run.model_copy(
        update={
            "meters": meters,
            "window_begin_ns": begin_ns,
            "window_end_ns": end_ns,
            "throughput": (),
            "stated_throughput": None,
            "stated_energy_operations": None,
            "phases": tuple(phase for phase in run.phases if phase.name is PhaseName.SYNC),
        }
    )


def _as_wall(meter: MeterRecord) -> MeterRecord:
    """Return a meter that is evaluated by itself; a BMC stays indicative."""
    return meter if meter.role == "bmc" else meter.model_copy(update={"role": "wall"})


def _power(loaded: LoadedRun, window: Window) -> tuple[PowerAnalysis | None, list[str]]:
    try:
        power = analyse_power(loaded.input.power, window, loaded.input.limits, loaded.input.calibrations)
    except Refused as refusal:
        return None, [refusal.text]
    return power, [*power.notes, *_ends(power.mean)]


def _ends(mean: UncertainValue) -> list[str]:
    """Explain a ± that is large because the span begins or ends near a load step; a window ends on steady power.

    There a small shift in time between samples and span changes the mean by a share of the step.
    """
    edges = [line for line in budget_lines(mean) if line.kind == "window and clock"]
    share_pct = sum(line.share_pct or 0.0 for line in edges)
    if not mean.complete or share_pct < MOSTLY_PCT:
        return []
    note = f" ({edges[0].note})" if edges[0].note else ""
    return [
        f"{share_pct:.0f} % of the variance behind this ± comes from the ends of the span, mostly "
        f"“{edges[0].name}”{note}. Begin and end the span where power is steady, or make it longer."
    ]


def _server(power: PowerAnalysis | None, notes: list[str], window: Window) -> SpanPower:
    if power is None:
        return SpanPower(notes=notes)
    return SpanPower(power=Quantity.of(power.mean), energy=_energy(power.mean, window), notes=notes)


def _energy(mean: UncertainValue, window: Window) -> Quantity:
    """Scale mean power to the energy of the span [J]; its length has no uncertainty of its own."""
    duration_s = window.duration_s
    terms = tuple(replace(term, sensitivity=term.sensitivity * duration_s) for term in mean.contributions)
    return Quantity.of(UncertainValue(mean.value * duration_s, "J", terms, complete=mean.complete))


def _meter(meter: MeterRecord, loaded: LoadedRun, window: Window) -> MeterSpan:
    power, notes = _power(loaded, window)
    server = _server(power, notes, window)
    about = {"meter": meter.name, "title": meter.title, "role": meter.role, "simulated": meter.simulated}
    try:
        readings = readings_inside(loaded.input.power[0], window, loaded.input.limits)
    except Refused:
        readings = Readings()
    return MeterSpan(**about, **dict(server), **dict(readings))


def _work(run: RunRecord, loaded: LoadedRun, window: Window, power: PowerAnalysis | None) -> Work:
    """Evaluate the work of the span where the load counted it; the figure of the source applies to its window alone."""
    marks = run_marks(run, loaded.clock)
    if not len(marks.amount):
        return Work()
    return analyse_work(marks, window, power, run.unit, stated_throughput=None, stated_operations=None)
