"""Everything that one run gives: window, power, throughput, efficiency, verdicts and reasons."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from wattmark_calibration import Contribution, UncertainValue

from wattmark.analysis.efficiency.bottleneck import Bottleneck, Utilisation, bottleneck
from wattmark.analysis.efficiency.efficiency import (
    FEWEST_SPANS,
    RateScatter,
    Throughput,
    delay_product,
    efficiency,
    efficiency_of_operations,
    efficiency_term,
    energy_per_operation,
    rate_scatter,
    rate_term,
    throughput,
)
from wattmark.analysis.efficiency.idle_subtracted import (
    Idle,
    idle_power,
    idle_subtracted_efficiency,
    idle_subtracted_power,
)
from wattmark.analysis.efficiency.rule_name import RuleName
from wattmark.analysis.efficiency.window import (
    RULES,
    Marks,
    Window,
    asked_length,
    choose_window,
    standstill,
    window_length,
)
from wattmark.analysis.energy.calibrated import Calibration
from wattmark.analysis.energy.meter_power import meter_power
from wattmark.analysis.energy.power import PowerAnalysis, analyse_power
from wattmark.analysis.energy.trace import Trace
from wattmark.analysis.limits import Limits
from wattmark.analysis.refusal import Refused
from wattmark.analysis.verdict import Verdict, not_applicable


@dataclass(frozen=True, slots=True)
class IdlePhase:
    """A phase without load, read by the meters of the result."""

    window: Window
    power: tuple[Trace, ...]


@dataclass(frozen=True, slots=True)
class RunInput:
    """What is known about a run before analysis; UTC nanoseconds, watts, operations."""

    marks: Marks
    unit: str
    power: tuple[Trace, ...]
    """Wall meters of the server; their powers add up."""
    secondary_traces: tuple[Trace, ...] = ()
    """Other views of the same power: shown beside it, never added."""
    idle: tuple[IdlePhase, ...] = ()
    """The run's own idle phases, before and after its load."""
    stated_throughput: float | None = None
    stated_operations: float | None = None
    utilisation_t_ns: NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))
    utilisation_pct: NDArray[np.float64] = field(default_factory=lambda: np.zeros(0))
    host: Utilisation | None = None
    """What the server's operating system showed of its resources in the window; None: nothing is to be judged by it."""
    limited_by: str | None = None
    """The resource that is meant to limit the load; None: no load was asked for."""
    full_load_limit_pct: float | None = None
    asked_s: float | None = None
    """How long the load was asked to work [s]; None: it ends when its work is done, or nothing tells."""
    rule: RuleName = "complete"
    limits: Limits = field(default_factory=Limits)
    calibrations: Mapping[str, Calibration] = field(default_factory=dict)
    """Certificates by name of the meter; they correct mean power, never samples."""


@dataclass(frozen=True, slots=True)
class IdleSubtracted:
    """Power above that of the idle server [W], the idle power that it rests on, and work per joule of it."""

    idle: Idle
    power: UncertainValue
    efficiency: UncertainValue | None


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
    limited_by: Bottleneck | None = None
    """What limited the load over the window; None where nothing was asked for, or nothing was recorded."""
    idle_subtracted: IdleSubtracted | None = None
    delay_products: tuple[UncertainValue, UncertainValue] | None = None
    """EDP [J s] and ED2P [J s^2] of one unit of work."""
    verdicts: tuple[Verdict, ...] = ()
    notes: tuple[str, ...] = ()
    idle_notes: tuple[str, ...] = ()
    """Why there is no idle-subtracted figure, or no ± of it."""


def analyse_run(run: RunInput) -> RunAnalysis:
    """Evaluate one run; a figure that cannot be computed is None, with its reason in ``notes``."""
    try:
        window = choose_window(RULES[run.rule], run.marks)
    except Refused as refusal:
        return RunAnalysis(notes=(refusal.text,))
    lengths = (*window_length(window), *asked_length(window, run.asked_s, run.limits))
    worked = (*lengths, *standstill(run.marks, window, run.limits))
    notes: list[str] = []
    power = _power(run, window, notes)
    work = _throughput(run, window, notes)
    scatter = None if work is None else _rate_scatter(run, window, power)
    ratio = _efficiency(run, window, power, work, notes)
    ratio_term = None
    if work is not None and power is not None:
        ratio_term = efficiency_term(work.rate, power.mean, power.scatter_term, scatter)
    utilisation, load_verdict = _full_load(run, window)
    if power is not None and power.steady is False:
        notes += [power.process_reason, *([] if power.steady_part is None else [power.steady_part.text])]
    notes += _few_spans(run.marks, work, scatter)
    ratio = None if ratio is None else resolved("Work per joule", ratio, notes)
    secondary_notes = [_secondary(trace, window, power, run.limits) for trace in run.secondary_traces]
    rate = None if work is None else resolved("Throughput", work.rate, notes)
    idle_notes: list[str] = []
    above = None if power is None else _idle_subtracted(run, window, power.mean, rate, idle_notes)
    held_back = _limited(run)
    return RunAnalysis(
        window=window,
        power=power,
        throughput=rate,
        efficiency=ratio,
        energy_per_op=None if ratio is None else energy_per_operation(ratio, run.unit),
        rate_term=rate_term(scatter),
        efficiency_term=ratio_term,
        utilisation_pct=utilisation,
        full_load=_claims_full_load(power, load_verdict),
        limited_by=held_back,
        idle_subtracted=above,
        delay_products=None if power is None or rate is None else _delay_products(rate, power.mean),
        verdicts=(
            *(() if power is None else power.verdicts),
            *worked,
            load_verdict,
            *(() if above is None else (above.idle.verdict,)),
            *(() if held_back is None else (held_back.verdict,)),
        ),
        notes=(*notes, *secondary_notes),
        idle_notes=tuple(idle_notes),
    )


def resolved(title: str, value: UncertainValue, notes: list[str]) -> UncertainValue:
    """Mark a value as incomplete where its expanded uncertainty is as large as itself; the reason goes to ``notes``."""
    if not value.complete or value.expanded_u < abs(value.value):
        return value
    notes.append(
        f"{title}: the expanded uncertainty of {value.expanded_u:.3g} {value.unit} is as large as the figure itself, "
        "so no ± is given: measure longer."
    )
    return replace(value, complete=False)


def _few_spans(marks: Marks, work: Throughput | None, scatter: RateScatter | None) -> list[str]:
    """Report a workload that counted in too few spans to show the scatter of its throughput."""
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
    """Compute work per joule over the window [unit/J]; None without work or power."""
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


def _idle_subtracted(
    run: RunInput, window: Window, power: UncertainValue, rate: UncertainValue | None, notes: list[str]
) -> IdleSubtracted | None:
    """Subtract the idle power of a run's own idle phases from its power under load; each is averaged as a window is."""
    if not run.idle:
        return None
    try:
        before, after = (
            [
                analyse_power(phase.power, phase.window, run.limits, run.calibrations).mean
                for phase in run.idle
                if (phase.window.begin_ns < window.begin_ns) is early
            ]
            for early in (True, False)
        )
        idle = idle_power(before, after, power.value, run.limits)
        net = idle_subtracted_power(power, idle)
    except Refused as refusal:
        notes.append(f"No idle-subtracted figure: {refusal.text}")
        return None
    ratio = None if rate is None else idle_subtracted_efficiency(rate, net, run.unit)
    return IdleSubtracted(
        idle, net, None if ratio is None else resolved("Idle-subtracted work per joule", ratio, notes)
    )


def _delay_products(rate: UncertainValue, power: UncertainValue) -> tuple[UncertainValue, UncertainValue]:
    edp, ed2p = (resolved("", delay_product(rate, power, exponent), []) for exponent in (1, 2))
    return edp, ed2p


def _limited(run: RunInput) -> Bottleneck | None:
    """Return the resource that limited the load over the window; a level below full load need not meet a limit."""
    if run.host is None or run.host.cpu_pct is None or run.limited_by is None:
        return None
    held_back = bottleneck(run.host, run.limited_by)
    if held_back.resource == "nothing" and run.full_load_limit_pct is None:
        text = f"{held_back.verdict.text} This level is not meant to be full load."
        verdict = not_applicable(held_back.verdict.rule, held_back.verdict.limit, "%", text)
        return replace(held_back, verdict=verdict)
    return held_back


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
    """Return whether the run may claim full load: only with a steady window; None where utilisation is unknown."""
    if verdict.outcome == "not-applicable":
        return None
    return verdict.outcome == "pass" and not (power is not None and power.steady is False)


def _secondary(trace: Trace, window: Window, power: PowerAnalysis | None, limits: Limits) -> str:
    """Describe the power that a secondary meter showed over the same window."""
    name = trace.instrument.name
    try:
        seen_w = meter_power(trace, window, limits).power_w
    except Refused as refusal:
        return f"{name} is not shown beside the result: {refusal.text}"
    if power is None:
        return f"{name} showed {seen_w:.4g} W; it does not replace the wall meter."
    off_pct = 100 * (seen_w / power.mean.value - 1)
    kind = "indicative" if trace.instrument.indicative else "secondary"
    return f"{name} showed {seen_w:.4g} W, {off_pct:+.2g} % from the result ({kind}, not used)."
