"""Mean power of a server over the window: all its wall meters, joined on time."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from wattmark_calibration import Contribution, UncertainValue

from wattmark.analysis.efficiency.steady_state import STEADY_RULES, Steadiness, SteadyPart, steadiness, steady_part
from wattmark.analysis.efficiency.window import Window
from wattmark.analysis.energy.calibrated import Calibration, calibrate, with_influences
from wattmark.analysis.energy.instrument_terms import edge_steps, instrument_terms
from wattmark.analysis.energy.meter_power import READING_RULES, REGISTER, MeterPower, meter_power, with_register
from wattmark.analysis.energy.piecewise import PiecewisePower
from wattmark.analysis.energy.register import JOULE_PER_WH, last_digit
from wattmark.analysis.energy.trace import CleanTrace, Trace
from wattmark.analysis.energy.type_a import TypeA, type_a
from wattmark.analysis.refusal import Refused
from wattmark.analysis.verdict import Limits, Verdict, each_rule
from wattmark.core.numbers import format_number

Array = NDArray[np.float64]
SCATTER = "Scatter of power within the run"
SCATTER_BOUND = "Scatter of single readings (upper bound)"
MARKS = "Marks set by another machine"
FROZEN = (
    "All readings are equal, and the resolution of the meter is not known: no ± can be given. The meter may be frozen."
)
FEWEST_CLEAR = 5
CHANCE = 1.5
"""Cells that scatter by at most this multiple of their rounding show rounding only; a chi-squared of 5
degrees of freedom exceeds 1.5 squared in 5 of 100."""
CELL_STEPS = 40
"""Steps of a register in a cell, so that its rounding is 1 % of the cell's energy: q/sqrt(6) of 40 q."""
POWER_RULES = (*READING_RULES, REGISTER, *STEADY_RULES)
"""Rules for power over the window."""
NO_CERTIFICATES: Mapping[str, Calibration] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class PowerAnalysis:
    """Power of the server over the window, and as a property of the server under this load.

    ``mean`` is the mean over this very window [W]: it needs good readings, not steadiness. ``process`` is the power
    of the server under this load, with the scatter of its process; None where the window does not determine it, for
    the reason in ``process_reason``. ``scatter`` is None with too few samples.
    """

    mean: UncertainValue
    process: UncertainValue | None
    process_reason: str
    energy_j: float
    functions: tuple[PiecewisePower, ...]
    period_s: float
    samples: int
    excluded: int
    scatter: TypeA | None
    scatter_term: Contribution | None
    """Scatter of the process about its mean, as a term of ``process`` [W]; None without ``process`` or scatter."""
    steady: bool | None
    verdicts: tuple[Verdict, ...]
    notes: tuple[str, ...]
    meters: tuple[MeterPower, ...] = ()
    steady_part: SteadyPart | None = None
    """Of an unsteady window, the longest part that was steady; a suggestion, never applied."""


def analyse_power(
    traces: Sequence[Trace],
    window: Window,
    limits: Limits,
    calibrations: Mapping[str, Calibration] = NO_CERTIFICATES,
) -> PowerAnalysis:
    """Add up the wall meters of one server over the window [W]. Raises `Refused` where any of them cannot be used.

    ``calibrations`` holds the certificate of each meter, by its name; without one, its specification is used.
    A refusal carries the verdicts on the readings of all meters.
    """
    if not traces:
        raise Refused("no-meter", "No power was recorded for this run.")
    meters = [_calibrated(m, calibrations) for m in _metered(traces, window, limits)]
    readings = tuple(v for m in meters for v in m.verdicts)
    if sum(m.power_w for m in meters) <= 0:
        raise Refused("no-power", "Mean power is 0 W; check that the server is powered through the meter.", readings)
    _require_resolved(meters, window.duration_s, limits, readings)
    t_s, watts = joined_samples(meters, window.duration_s)
    scatter, notes = _scatter(_clear_of_edges(t_s, watts, meters, window.duration_s, limits))
    scatter = None if scatter is None else _without_rounding(scatter, t_s, meters)
    if scatter is not None:
        judged = steadiness(t_s, watts, window.duration_s, scatter, limits)
    else:
        judged = Steadiness(None, each_rule(STEADY_RULES, (), notes[0]))
    registers = [with_register(m, window, scatter, limits) for m in meters]
    meters = [m for m, _ in registers]
    power_w = float(sum(m.power_w for m in meters))
    contributions, more_notes = _budget(meters, window, scatter)
    if any(m.trace.instrument.kind != "counter" for m in meters):
        more_notes += [f"{note.removesuffix('.')}, so no ± can be given." for note in notes]
    mean = UncertainValue(power_w, "W", tuple(contributions), complete=not more_notes)
    process, process_reason = _process(mean, scatter, judged, limits)
    return PowerAnalysis(
        mean=mean,
        process=process,
        process_reason=process_reason,
        energy_j=power_w * window.duration_s,
        functions=tuple(m.energy.power for m in meters),
        period_s=max(m.trace.interval_s for m in meters),
        samples=sum(m.samples for m in meters),
        excluded=sum(m.excluded for m in meters),
        scatter=scatter,
        scatter_term=None if process is None else scatter_term(process),
        steady=judged.steady,
        verdicts=(
            *readings,
            *(v for _, verdicts in registers for v in verdicts),
            *judged.verdicts,
        ),
        notes=(*more_notes, *_certificate_notes(meters)),
        meters=tuple(meters),
        steady_part=steady_part(t_s, watts, window.duration_s, limits, _in_log_s(traces, window))
        if judged.steady is False
        else None,
    )


def _in_log_s(traces: Sequence[Trace], window: Window) -> float | None:
    """Return when a window begins in the imported log of its meters [s]; None where they are of no such log."""
    begins_ns = {trace.instrument.log_begin_ns for trace in traces}
    log_begin_ns = begins_ns.pop() if len(begins_ns) == 1 else None
    return None if log_begin_ns is None else (window.begin_ns - log_begin_ns) / 1e9


def _metered(traces: Sequence[Trace], window: Window, limits: Limits) -> list[MeterPower]:
    """Average each meter over the window; the first refusal counts, with the verdicts on all of them."""
    meters: list[MeterPower] = []
    refusals: list[Refused] = []
    for trace in traces:
        try:
            meters.append(meter_power(trace, window, limits))
        except Refused as refusal:
            refusals.append(refusal)
    if refusals:
        readings = [*(refusal.verdicts for refusal in refusals), *(m.verdicts for m in meters)]
        first, verdicts = refusals[0], tuple(v for each in readings for v in each)
        raise Refused(first.reason, first.text, verdicts, cause=first.cause)
    return meters


def _calibrated(m: MeterPower, calibrations: Mapping[str, Calibration]) -> MeterPower:
    """Apply the meter's certificate to its mean power, where there is one."""
    name = m.trace.instrument.name
    calibration = calibrations.get(name)
    if calibration is None:
        return m
    return replace(m, calibrated=with_influences(calibrate(name, m.indicated_w, calibration), m.trace.instrument))


def joined_samples(meters: Sequence[MeterPower], duration_s: float) -> tuple[Array, Array]:
    """Return the server's power as one series of samples inside the window: (t [s], P [W]).

    One meter: its own samples. Several: energy of each over the cells of the slowest one, never by line number; a
    register is as slow as it takes to count `CELL_STEPS` of its steps, for shorter cells show its last digit only.
    """
    slowest = max(meters, key=_cell_s)
    cell_s = _cell_s(slowest)
    inside = slowest.trace.wholly_inside
    if len(meters) == 1 and slowest.trace.instrument.kind != "counter":
        return slowest.trace.t_s[inside], slowest.trace.value[inside]
    if cell_s > slowest.trace.period_s:
        inner = np.arange(1, int(duration_s / cell_s)) * cell_s
    else:
        inner = slowest.trace.t_s[inside]
    edges = np.unique(np.concatenate(([0.0], inner, [duration_s])))
    begin, end = edges[:-1], edges[1:]
    wide = end - begin > 0.5 * cell_s
    begin, end = begin[wide], end[wide]
    energy_j = np.sum([m.energy.power.energy_j(begin, end) for m in meters], axis=0)
    return end, energy_j / (end - begin)


def _without_rounding(scatter: TypeA, t_s: Array, meters: Sequence[MeterPower]) -> TypeA:
    """Remove the part that the rounding of registers adds to the scatter of cells; none is left within chance.

    A cell's energy is the difference of two readings, each rounded by u/sqrt(2) of the register's window.
    """
    u_j = np.hypot.reduce([m.energy.u_energy_j or 0.0 for m in meters if m.trace.instrument.kind == "counter"])
    cell_s = float(np.median(np.diff(t_s))) if len(t_s) > 1 else math.inf
    rounding_w = float(u_j) / cell_s
    if scatter.sd == 0 or rounding_w == 0:
        return scatter
    left = max(1 - (rounding_w / scatter.sd) ** 2, 0.0)
    if scatter.sd <= CHANCE * rounding_w:
        left = 0.0
    return replace(scatter, sd=scatter.sd * math.sqrt(left), u=scatter.u * math.sqrt(left))


def _cell_s(m: MeterPower) -> float:
    """Compute the shortest cell of a meter over which mean power is resolved [s]."""
    step_wh = last_digit(m.trace) if m.trace.instrument.kind == "counter" else None
    if step_wh is None or m.indicated_w <= 0:
        return m.trace.period_s
    return max(m.trace.period_s, CELL_STEPS * step_wh * JOULE_PER_WH / m.indicated_w)


def _require_resolved(
    meters: Sequence[MeterPower], duration_s: float, limits: Limits, readings: tuple[Verdict, ...]
) -> None:
    """Refuse registers too coarse for the window, judged by the energy of all meters together."""
    u_j = np.hypot.reduce([m.energy.u_energy_j or 0.0 for m in meters])
    energy_j = duration_s * sum(m.power_w for m in meters)
    if u_j > limits.counter_share_pct / 100 * energy_j:
        coarsest = max(meters, key=lambda m: m.energy.u_energy_j or 0.0)
        raise Refused(
            "register-coarse",
            f"The energy register of {coarsest.trace.instrument.name} is too coarse for a window of "
            f"{format_number(duration_s, 4)} "
            f"s: its resolution leaves {format_number(u_j, 3)} J of {format_number(energy_j, 4)} J uncertain; use a "
            "longer window.",
            readings,
        )


def _clear_of_edges(t_s: Array, watts: Array, meters: Sequence[MeterPower], duration_s: float, limits: Limits) -> Array:
    """Exclude, in a short window, samples that may reach over its edges within the latency's uncertainty.

    The step at the edge is in the latency term already and would rule the scatter of a dozen samples; in a long
    window a sample or two do not matter and stay.
    """
    if not limits.too_short(duration_s, len(watts)):
        return watts
    guard_s = max(2 * m.trace.instrument.latency_uncertainty_s for m in meters)
    period_s = max(m.trace.period_s for m in meters)
    clear = (t_s >= period_s + guard_s) & (t_s <= duration_s - guard_s)
    return watts[clear] if np.count_nonzero(clear) >= FEWEST_CLEAR else watts


def _scatter(watts: Array) -> tuple[TypeA | None, list[str]]:
    try:
        return type_a(watts), []
    except Refused as refusal:
        return None, [refusal.text]


def _budget(
    meters: Sequence[MeterPower], window: Window, scatter: TypeA | None
) -> tuple[list[Contribution], list[str]]:
    """Collect all contributions to the mean over the window [W], and the reasons why the budget is not complete."""
    terms: list[Contribution] = []
    missing: list[str] = []
    for m in meters:
        trace = _without_specification(m.trace) if _specification_excluded(m) else m.trace
        terms += instrument_terms(trace, m.energy, m.indicated_w, scatter)
        terms += [] if m.calibrated is None else m.calibrated.contributions
        missing += _unknown_accuracy(m)
    stuck = scatter is not None and scatter.sd == 0
    if stuck and any(m.trace.instrument.resolution is None and m.trace.instrument.kind != "counter" for m in meters):
        missing.append(FROZEN)
    terms += [] if window.u_s == 0 else [_marks_term(meters, window)]
    return terms, missing


def _marks_term(meters: Sequence[MeterPower], window: Window) -> Contribution:
    """Compute step at the edge x u(time)/D for marks that another machine set; one error for all meters."""
    step_w = sum(max(edge_steps(m.trace, m.energy, m.indicated_w)) for m in meters)
    return Contribution(
        MARKS,
        window.u_s,
        "B",
        sensitivity=step_w / window.duration_s,
        note=f"step of {format_number(step_w, 3)} W at the edge of the window",
        unit="s",
        kind="window and clock",
    )


def _specification_excluded(m: MeterPower) -> bool:
    """Return whether the specification must not serve: a certificate does (never both), or the meter is in doubt."""
    return m.calibrated is not None and (m.corrected or m.calibrated.in_doubt)


def _without_specification(trace: CleanTrace) -> CleanTrace:
    return replace(trace, instrument=replace(trace.instrument, specification=None))


def _certificate_notes(meters: Sequence[MeterPower]) -> list[str]:
    """List why certificates did not serve, and the notes of those that did."""
    out: list[str] = []
    for calibrated in (m.calibrated for m in meters):
        if calibrated is not None:
            refused = "" if calibrated.in_doubt else " The specification serves instead, if there is one."
            out += [
                f"{calibrated.meter}: {refusal.text}{refused}"
                for refusal in calibrated.refusals
                if not calibrated.in_doubt
            ]
            out += calibrated.notes
    return out


def _unknown_accuracy(m: MeterPower) -> list[str]:
    """Explain why no uncertainty of a meter's mean can be given."""
    return [*_unbounded(m), *_unknown_limits(m)]


def _unbounded(m: MeterPower) -> list[str]:
    name = m.trace.instrument.name
    if m.energy.u_energy_j is None:
        return [f"The resolution of the energy register of {name} is not known, so no ± can be given: declare it."]
    if m.energy.farthest_j is None:
        lost_s = m.energy.losses.invalid_s + m.energy.losses.over_range_s
        return [
            f"{name} gave no value, or one beyond its range, for {format_number(lost_s, 3)} s, and nothing limits "
            "the power that it "
            "missed, so no ± can be given: record the range in use."
        ]
    return []


def _unknown_limits(m: MeterPower) -> list[str]:
    meter = m.trace.instrument
    if m.calibrated is not None and m.calibrated.corrected is not None:
        complete = m.calibrated.corrected.value.complete
        return (
            [] if complete else [f"The effect of the power factor on {meter.name} is not known, so no ± can be given."]
        )
    if m.calibrated is not None and m.calibrated.in_doubt:
        reasons = " ".join(refusal.text for refusal in m.calibrated.refusals)
        return [f"{meter.name} has no calibration in force, so no ± can be given: not traceable. {reasons}"]
    if meter.indicative:
        return [f"{meter.name} is indicative: it has no specification, so no ± can be given."]
    if meter.specification is None:
        return [f"{meter.name} has neither specification nor certificate, so no ± can be given: not traceable."]
    if meter.unspecified is not None:
        return [f"{meter.unspecified.rstrip('.')}: not traceable."]
    return []


def scatter_term(process: UncertainValue) -> Contribution | None:
    """Find the scatter of the process in its budget; None where its readings never changed."""
    return next((c for c in process.contributions if c.kind == "scatter"), None)


def _process(
    mean: UncertainValue, scatter: TypeA | None, judged: Steadiness, limits: Limits
) -> tuple[UncertainValue | None, str]:
    """Add the scatter of the process to the budget of the window's mean, or give the reason why it has no meaning.

    A window too short to judge gets the scatter of single readings, which bounds the scatter of their mean.
    """
    if judged.steady is False:
        failed = ", ".join(v.rule for v in judged.verdicts if v.outcome == "fail")
        return (
            None,
            f"Power was not steady over the window ({failed}), so the run gives no full-load power of this server.",
        )
    if scatter is None:
        return (
            None,
            "There are too few readings to estimate the scatter of power, so the run gives no full-load power of this "
            "server.",
        )
    if scatter.n_eff is None:
        return mean, ""
    if scatter.n_eff >= limits.n_eff:
        note = f"{scatter.n} samples worth {format_number(min(scatter.n_eff, scatter.n), 3)} independent ones"
        term = Contribution(SCATTER, scatter.u, "A", scatter.dof, note=note, unit="W", kind="scatter")
    else:
        note = f"{scatter.n} samples worth {format_number(scatter.n_eff, 3)} independent ones: too few to average"
        term = Contribution(SCATTER_BOUND, scatter.sd, "A", scatter.n - 1.0, note=note, unit="W", kind="scatter")
    return replace(mean, contributions=(term, *mean.contributions)), ""
