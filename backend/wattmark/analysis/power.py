"""Mean power of a server over the window: all its wall meters, joined on time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray
from wattmark_calibration import Contribution, UncertainValue

from wattmark.analysis.calibrated import Calibration, calibrate
from wattmark.analysis.instrument_terms import edge_steps, instrument_terms
from wattmark.analysis.limits import Limits
from wattmark.analysis.meter_power import MeterPower, meter_power, with_register
from wattmark.analysis.piecewise import PiecewisePower
from wattmark.analysis.refusal import Refused
from wattmark.analysis.since_calibration import with_influences
from wattmark.analysis.steady_part import SteadyPart, steady_part
from wattmark.analysis.steady_state import Steadiness, steadiness
from wattmark.analysis.trace import CleanTrace, Trace
from wattmark.analysis.type_a import TypeA, type_a
from wattmark.analysis.verdict import Verdict, at_most
from wattmark.analysis.window import Window

Array = NDArray[np.float64]
SCATTER = "Scatter of power within the run"
SCATTER_BOUND = "Scatter of single readings (upper bound)"
MARKS = "Clock of the server that set the marks"
FEWEST_CLEAR = 5
NO_CERTIFICATES: Mapping[str, Calibration] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class PowerAnalysis:
    """Mean power of the server with its budget; ``scatter`` is None where too few samples tell it."""

    mean: UncertainValue
    energy_j: float
    functions: tuple[PiecewisePower, ...]
    period_s: float
    samples: int
    excluded: int
    scatter: TypeA | None
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

    ``calibrations`` holds the certificate of each meter, by its name; its specification serves where there is none.
    """
    if not traces:
        raise Refused("no-meter", "No power was recorded for this run.")
    meters = [_calibrated(meter_power(trace, window, limits), calibrations) for trace in traces]
    if sum(m.power_w for m in meters) <= 0:
        raise Refused("no-power", "Mean power is 0 W; check that the server is fed through the meter.")
    t_s, watts = joined_samples(meters, window.duration_s)
    scatter, notes = _scatter(_clear_of_edges(t_s, watts, meters, window.duration_s, limits))
    judged = steadiness(t_s, watts, window.duration_s, scatter, limits) if scatter is not None else Steadiness(None, ())
    registers = [with_register(m, window, scatter, limits) for m in meters]
    meters = [m for m, _ in registers]
    power_w = float(sum(m.power_w for m in meters))
    contributions, more_notes = _budget(meters, window, scatter, judged, limits)
    return PowerAnalysis(
        mean=UncertainValue(power_w, "W", tuple(contributions), complete=not more_notes),
        energy_j=power_w * window.duration_s,
        functions=tuple(m.energy.power for m in meters),
        period_s=max(m.trace.period_s for m in meters),
        samples=sum(m.samples for m in meters),
        excluded=sum(m.excluded for m in meters),
        scatter=scatter,
        steady=judged.steady,
        verdicts=(
            *(v for m in meters for v in _sample_verdicts(m, window.duration_s, limits)),
            *(v for _, verdicts in registers for v in verdicts),
            *judged.verdicts,
        ),
        notes=(*notes, *more_notes, *_certificate_notes(meters)),
        meters=tuple(meters),
        steady_part=steady_part(t_s, watts, window.duration_s, limits) if judged.steady is False else None,
    )


def _calibrated(m: MeterPower, calibrations: Mapping[str, Calibration]) -> MeterPower:
    """Let the meter's certificate answer for its mean power."""
    name = m.trace.instrument.name
    known = calibrations.get(name)
    if known is None:
        return m
    return replace(m, calibrated=with_influences(calibrate(name, m.indicated_w, known), m.trace.instrument))


def joined_samples(meters: Sequence[MeterPower], duration_s: float) -> tuple[Array, Array]:
    """Give the server's power as one series of samples inside the window: (t [s], P [W]).

    One meter: its own samples. Several: energy of each over the cells of the slowest one, never by line number.
    """
    slowest = max(meters, key=lambda m: m.trace.period_s)
    inside = slowest.trace.inside(duration_s)
    if len(meters) == 1 and slowest.trace.instrument.kind != "counter":
        return slowest.trace.t_s[inside], slowest.trace.value[inside]
    edges = np.unique(np.concatenate(([0.0], slowest.trace.t_s[inside], [duration_s])))
    begin, end = edges[:-1], edges[1:]
    wide = end - begin > 0.5 * slowest.trace.period_s
    begin, end = begin[wide], end[wide]
    energy_j = np.sum([m.energy.power.energy_j(begin, end) for m in meters], axis=0)
    return end, energy_j / (end - begin)


def _clear_of_edges(t_s: Array, watts: Array, meters: Sequence[MeterPower], duration_s: float, limits: Limits) -> Array:
    """Leave out, in a short window, the samples that may reach over its edges within the latency's uncertainty.

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
    meters: Sequence[MeterPower], window: Window, scatter: TypeA | None, judged: Steadiness, limits: Limits
) -> tuple[list[Contribution], list[str]]:
    """Collect all contributions [W], and the reasons why the budget is not complete."""
    shifted = window.rule.shift_latency
    terms: list[Contribution] = []
    missing: list[str] = []
    for m in meters:
        trace = _without_specification(m.trace) if _specification_excluded(m) else m.trace
        terms += instrument_terms(trace, m.energy, m.indicated_w, window.duration_s, scatter, shifted=shifted)
        terms += [] if m.calibrated is None else m.calibrated.contributions
        missing += _unknown_accuracy(m)
    term, reason = _scatter_term(scatter, judged, limits)
    if scatter is not None and scatter.sd == 0 and any(m.trace.instrument.resolution is None for m in meters):
        reason = "All readings are equal and the last digit of the meter is not known; the meter may be stuck."
    terms += [] if window.u_s == 0 else [_marks_term(meters, window)]
    return [*([term] if term is not None else []), *terms], [*missing, *([reason] if reason else [])]


def _marks_term(meters: Sequence[MeterPower], window: Window) -> Contribution:
    """Compute step at the edge x u(time)/D for marks of a machine with a clock of its own; one error for all meters."""
    step_w = sum(max(edge_steps(m.trace, m.indicated_w, window.duration_s)) for m in meters)
    return Contribution(
        MARKS,
        window.u_s,
        "B",
        sensitivity=step_w / window.duration_s,
        note=f"step of {step_w:.3g} W at the edge of the window",
        unit="s",
        kind="window and clock",
    )


def _specification_excluded(m: MeterPower) -> bool:
    """Tell whether the specification must not serve: a certificate does (never both), or the meter is in doubt."""
    return m.calibrated is not None and (m.corrected or m.calibrated.in_doubt)


def _without_specification(trace: CleanTrace) -> CleanTrace:
    return replace(trace, instrument=replace(trace.instrument, specification=None))


def _certificate_notes(meters: Sequence[MeterPower]) -> list[str]:
    """Say why certificates did not serve, and what to know about those that did."""
    out: list[str] = []
    for one in (m.calibrated for m in meters):
        if one is not None:
            refused = "" if one.in_doubt else " The specification serves instead, if there is one."
            out += [f"{one.meter}: {refusal.text}{refused}" for refusal in one.refusals if not one.in_doubt]
            out += one.notes
    return out


def _unknown_accuracy(m: MeterPower) -> list[str]:
    meter = m.trace.instrument
    if m.calibrated is not None and m.calibrated.corrected is not None:
        complete = m.calibrated.corrected.value.complete
        return [] if complete else [f"What the power factor does to {meter.name} is not known, so no ± can be given."]
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


def _scatter_term(scatter: TypeA | None, judged: Steadiness, limits: Limits) -> tuple[Contribution | None, str]:
    """Give the type A term, or the reason why there is none.

    Below the limit of n_eff a window is unsteady and gets none; one too short to judge gets the scatter of single
    readings, which bounds the scatter of their mean.
    """
    if scatter is None:
        return None, "The scatter of power is not known, so no ± can be given."
    if scatter.n_eff is None:
        return None, ""
    if scatter.n_eff >= limits.n_eff:
        note = f"{scatter.n} samples worth {min(scatter.n_eff, scatter.n):.3g} independent ones"
        return Contribution(SCATTER, scatter.u, "A", scatter.dof, note=note, unit="W", kind="scatter"), ""
    if judged.steady is None:
        note = f"{scatter.n} samples worth {scatter.n_eff:.3g} independent ones: too few to average"
        return Contribution(SCATTER_BOUND, scatter.sd, "A", scatter.n - 1.0, note=note, unit="W", kind="scatter"), ""
    return None, (
        f"Power is not steady: {scatter.n} samples are worth only {scatter.n_eff:.2g} independent ones, "
        f"so its mean gets no ±."
    )


def _sample_verdicts(m: MeterPower, duration_s: float, limits: Limits) -> list[Verdict]:
    """Judge gaps and bad samples of one meter."""
    name = m.trace.instrument.name
    gap_pct = 100 * m.energy.gap_s / duration_s
    bad_pct = 100 * m.excluded / (m.samples + m.excluded)
    gap_text = f"{name} was silent for {m.energy.gap_s:.3g} s in {m.energy.gaps} gaps."
    bad_text = f"{m.excluded} of {m.samples + m.excluded} samples of {name} were bad and left out."
    return [
        at_most("gaps", gap_pct, limits.gap_share_pct, "%", gap_text),
        at_most("bad-samples", bad_pct, limits.bad_samples_pct, "%", bad_text),
    ]
