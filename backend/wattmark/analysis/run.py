"""Everything that one run gives: window, power, throughput, efficiency, verdicts and reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from wattmark_calibration import Contribution, UncertainValue

from wattmark.analysis.calibrated import Calibration
from wattmark.analysis.efficiency import (
    FEWEST_SPANS,
    RateScatter,
    efficiency,
    efficiency_of_operations,
    efficiency_term,
    energy_per_operation,
    rate_scatter,
    rate_term,
)
from wattmark.analysis.limits import Limits
from wattmark.analysis.meter_power import meter_power
from wattmark.analysis.power import PowerAnalysis, analyse_power
from wattmark.analysis.progress import asked_length, standstill
from wattmark.analysis.refusal import Refused
from wattmark.analysis.rule_name import RuleName
from wattmark.analysis.throughput import Throughput, throughput
from wattmark.analysis.trace import Trace
from wattmark.analysis.verdict import Verdict, not_applicable
from wattmark.analysis.window import RULES, Marks, Window, choose_window, window_length


@dataclass(frozen=True, slots=True)
class RunInput:
    """What is known about a run before analysis; UTC nanoseconds, watts, operations."""

    marks: Marks
    unit: str
    power: tuple[Trace, ...]
    """Wall meters of the server; their powers add up."""
    witnesses: tuple[Trace, ...] = ()
    """Other views of the same power: shown beside it, never added."""
    stated_throughput: float | None = None
    stated_operations: float | None = None
    utilisation_t_ns: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    utilisation_pct: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    full_load_limit_pct: float | None = None
    asked_s: float | None = None
    """How long the load was asked to work [s]; None: it ends when its work is done, or nothing tells."""
    rule: RuleName = "complete"
    limits: Limits = field(default_factory=Limits)
    calibrations: Mapping[str, Calibration] = field(default_factory=dict)
    """Certificates by name of the meter; they correct mean power, never samples."""


@dataclass(frozen=True, slots=True)
class RunAnalysis:
    """What a run gives. None means: not known, and ``notes`` say why. Uncertainties count only when ``complete``.

    Throughput, power and efficiency are those of this very window. ``rate_term`` [unit/s] and ``efficiency_term``
    [unit/J] tell how they scatter within the run, and so what a longer window of the same process could have shown.
    """

    window: Window | None = None
    power: PowerAnalysis | None = None
    throughput: UncertainValue | None = None
    efficiency: UncertainValue | None = None
    energy_per_op: UncertainValue | None = None
    rate_term: Contribution | None = None
    efficiency_term: Contribution | None = None
    utilisation_pct: float | None = None
    full_load: bool | None = None
    verdicts: tuple[Verdict, ...] = ()
    notes: tuple[str, ...] = ()


def analyse_run(run: RunInput) -> RunAnalysis:
    """Analyse one run; what cannot be given is None with its reason in ``notes``, never a guess."""
    try:
        window = choose_window(RULES[run.rule], run.marks)
    except Refused as refusal:
        return RunAnalysis(notes=(refusal.text,))
    notes: list[str] = []
    power = _power(run, window, notes)
    work = _throughput(run, window, notes)
    scatter = None if work is None else _rate_scatter(run, window, power)
    ratio = _efficiency(run, window, power, work, notes)
    utilisation, load_verdict = _full_load(run, window)
    if power is not None and power.steady is False:
        notes += [power.process_reason, *([] if power.steady_part is None else [power.steady_part.text])]
    notes += _few_spans(run.marks, work, scatter)
    ratio = None if ratio is None else resolved("Work per joule", ratio, notes)
    witness_notes = [_witness(trace, window, power, run.limits) for trace in run.witnesses]
    lengths = (*window_length(window), *asked_length(window, run.asked_s, run.limits))
    verdicts = (*lengths, *standstill(run.marks, window, run.limits))
    return RunAnalysis(
        window=window,
        power=power,
        throughput=None if work is None else resolved("Throughput", work.rate, notes),
        efficiency=ratio,
        energy_per_op=None if ratio is None else energy_per_operation(ratio, run.unit),
        rate_term=rate_term(scatter),
        efficiency_term=None
        if work is None or power is None
        else efficiency_term(work.rate, power.mean, power.scatter_term, scatter),
        utilisation_pct=utilisation,
        full_load=_claims_full_load(power, load_verdict),
        verdicts=(*(() if power is None else power.verdicts), *verdicts, load_verdict),
        notes=(*notes, *witness_notes),
    )


def resolved(what: str, value: UncertainValue, notes: list[str]) -> UncertainValue:
    """Withhold an uncertainty as large as its value, with the reason: no interval reaches below no work at all."""
    if not value.complete or value.expanded_u < abs(value.value):
        return value
    notes.append(
        f"{what}: the expanded uncertainty of {value.expanded_u:.3g} {value.unit} is as large as the figure itself, so "
        "no ± is given: measure longer."
    )
    return replace(value, complete=False)


def _few_spans(marks: Marks, work: Throughput | None, scatter: RateScatter | None) -> list[str]:
    """Say so where the workload counted in too few spans to tell how its throughput scatters."""
    spans = len(marks.amount)
    if work is None or scatter is not None or spans == 0:
        return []
    counted = "one span" if spans == 1 else f"{spans} spans"
    few = "" if spans < FEWEST_SPANS else ", too few whole ones in the window"
    return [f"Work was counted in {counted}{few}: the ± of throughput is that of counting, its scatter is not known."]


def _power(run: RunInput, window: Window, notes: list[str]) -> PowerAnalysis | None:
    try:
        power = analyse_power(run.power, window, run.limits, run.calibrations)
    except Refused as refusal:
        notes.append(f"Power is withheld: {refusal.text}")
        return None
    notes += power.notes
    return power


def _throughput(run: RunInput, window: Window, notes: list[str]) -> Throughput | None:
    try:
        work = throughput(run.marks, window, run.stated_throughput, run.unit)
    except Refused as refusal:
        notes.append(f"Throughput is withheld: {refusal.text}")
        return None
    notes += () if work is None else work.notes
    return work


def _rate_scatter(run: RunInput, window: Window, power: PowerAnalysis | None) -> RateScatter | None:
    if power is None:
        return rate_scatter(run.marks, window, (), 0.0)
    return rate_scatter(run.marks, window, power.functions, power.period_s)


def _efficiency(
    run: RunInput,
    window: Window,
    power: PowerAnalysis | None,
    work: Throughput | None,
    notes: list[str],
) -> UncertainValue | None:
    """Divide what was measured over one and the same window."""
    if power is None:
        return None
    if work is not None:
        return efficiency(work.rate, power.mean, run.unit)
    if run.stated_operations is None:
        return None
    try:
        return efficiency_of_operations(run.stated_operations, power.mean, window.duration_s, run.unit)
    except Refused as refusal:
        notes.append(f"Efficiency is withheld: {refusal.text}")
        return None


def _full_load(run: RunInput, window: Window) -> tuple[float | None, Verdict]:
    """Verify full load by the CPU utilisation that the server's operating system showed in the window [%]."""
    rule, limit = "full-load", run.full_load_limit_pct
    inside = (run.utilisation_t_ns > window.begin_ns) & (run.utilisation_t_ns <= window.end_ns)
    inside &= np.isfinite(run.utilisation_pct)
    if not inside.any():
        return None, not_applicable(rule, limit, "%", "CPU utilisation was not recorded in the window.")
    mean = float(run.utilisation_pct[inside].mean())
    if limit is None:
        return mean, not_applicable(
            rule, limit, "%", f"CPU utilisation was {mean:.1f} %; no limit is set for this load."
        )
    full = mean >= limit
    text = f"CPU utilisation was {mean:.1f} % over the window; full load needs {limit:g} %."
    return mean, Verdict(rule, mean, limit, "%", "pass" if full else "fail", text)


def _claims_full_load(power: PowerAnalysis | None, verdict: Verdict) -> bool | None:
    """Claim full load only for a steady window; None where nothing tells."""
    if verdict.outcome == "not-applicable":
        return None
    return verdict.outcome == "pass" and not (power is not None and power.steady is False)


def _witness(trace: Trace, window: Window, power: PowerAnalysis | None, limits: Limits) -> str:
    """Say what another instrument saw of the same power."""
    name = trace.instrument.name
    try:
        seen_w = meter_power(trace, window, limits).power_w
    except Refused as refusal:
        return f"{name} is not shown beside the result: {refusal.text}"
    if power is None:
        return f"{name} saw {seen_w:.4g} W; it does not replace the wall meter."
    off_pct = 100 * (seen_w / power.mean.value - 1)
    kind = "indicative" if trace.instrument.indicative else "witness"
    return f"{name} saw {seen_w:.4g} W, {off_pct:+.2g} % from the result ({kind}, not used)."
