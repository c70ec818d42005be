"""Everything that one run gives: window, power, throughput, efficiency, verdicts and reasons."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray
from wattmark_calibration import UncertainValue

from wattmark.analysis.efficiency.bottleneck import RULE as BOTTLENECK
from wattmark.analysis.efficiency.bottleneck import Bottleneck, Utilisation, bottleneck
from wattmark.analysis.efficiency.efficiency import Work, analyse_work
from wattmark.analysis.efficiency.idle_subtracted import RULE as IDLE_DRIFT
from wattmark.analysis.efficiency.idle_subtracted import IdleSubtracted, subtract_idle
from wattmark.analysis.efficiency.limits_reached import (
    HEAT_RULE,
    LIMIT_RULES,
    LimitReadings,
    LimitShare,
    limit_shares,
    limit_verdicts,
)
from wattmark.analysis.efficiency.rule_name import RuleName
from wattmark.analysis.efficiency.window import RULES, WINDOW_RULES, Marks, Window, choose_window, window_verdicts
from wattmark.analysis.energy.calibrated import Calibration
from wattmark.analysis.energy.meter_power import meter_power
from wattmark.analysis.energy.power import POWER_RULES, PowerAnalysis, analyse_power
from wattmark.analysis.energy.trace import Trace
from wattmark.analysis.refusal import Refused
from wattmark.analysis.verdict import Limits, Verdict, each_rule, not_checked
from wattmark.core.numbers import format_number, signed_number

NO_IDLE = "No idle-subtracted figure"
FULL_LOAD = "full-load"
RUN_RULES = (*POWER_RULES, *WINDOW_RULES, FULL_LOAD, IDLE_DRIFT, BOTTLENECK, *LIMIT_RULES)
"""Rules that the analysis evaluates for every run."""


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
    limit_readings: LimitReadings = field(default_factory=LimitReadings)
    """What was recorded of heat, power limits and clocks held down."""
    full_load_limit_pct: float | None = None
    asked_s: float | None = None
    """Requested duration of the load [s]; None: it ends when its work is done, or is not known."""
    rule: RuleName = "complete"
    limits: Limits = field(default_factory=Limits)
    calibrations: Mapping[str, Calibration] = field(default_factory=dict)
    """Certificates by name of the meter; they correct mean power, never samples."""


@dataclass(frozen=True, slots=True)
class RunAnalysis:
    """What a run gives. None means: not known, and ``notes`` say why. Uncertainties count only when ``complete``.

    Power and work are those of this very window.
    """

    window: Window | None = None
    power: PowerAnalysis | None = None
    work: Work = field(default_factory=Work)
    """Throughput, and with the power work per joule, energy per operation and energy-delay products."""
    utilisation_pct: float | None = None
    full_load: bool | None = None
    limited_by: Bottleneck | None = None
    """What limited the load over the window; None where nothing was asked for, or nothing was recorded."""
    limit_shares: tuple[LimitShare, ...] = ()
    """For which share of the window each processor or GPU was at which limit; empty where none was recorded."""
    idle_power: tuple[UncertainValue | None, ...] = ()
    """Mean power of each idle phase [W]; None where it cannot be given."""
    idle_subtracted: IdleSubtracted | None = None
    verdicts: tuple[Verdict, ...] = ()
    """At least one for each of `RUN_RULES`."""
    notes: tuple[str, ...] = ()
    withheld: Mapping[str, Refused] = field(default_factory=dict)
    """Why a figure is not given, by its name ("power", "throughput"), or by "window" where there is none for both."""
    readings: int = 0
    """Usable readings of the wall meters inside the window, whether or not they give a power."""
    idle_notes: tuple[str, ...] = ()
    """Why there is no idle-subtracted figure, or no ± of it."""


def analyse_run(run: RunInput) -> RunAnalysis:
    """Evaluate one run; a figure that cannot be computed is None, with its reason in ``notes``."""
    try:
        window = choose_window(RULES[run.rule], run.marks)
    except Refused as refusal:
        return RunAnalysis(
            verdicts=each_rule(RUN_RULES, (), refusal.text), notes=(refusal.text,), withheld={"window": refusal}
        )
    judged_window = window_verdicts(window, run.marks, run.asked_s, run.limits)
    power, power_verdicts, power_notes, refused = _power(run, window)
    secondary_notes = [_secondary(trace, window, power, run.limits) for trace in run.secondary_traces]
    work = analyse_work(
        run.marks,
        window,
        power,
        run.unit,
        stated_throughput=run.stated_throughput,
        stated_operations=run.stated_operations,
    )
    idle_power, idle_notes = _idle_power(run)
    above = None
    if power is not None and idle_power and not idle_notes:
        above, idle_notes = _idle_subtracted(run, window, power.mean, idle_power, work.throughput)
    utilisation, load_verdict = _full_load(run, window)
    shares = limit_shares(run.limit_readings, window)
    reached = limit_verdicts(run.limit_readings, shares, window, run.limits)
    throttled = any(verdict.rule == HEAT_RULE and verdict.outcome == "fail" for verdict in reached)
    limiting, limit_verdict = _limited(run, throttled=throttled)
    return RunAnalysis(
        window=window,
        power=power,
        work=work,
        utilisation_pct=utilisation,
        full_load=_claims_full_load(power, load_verdict),
        limited_by=limiting,
        limit_shares=shares,
        idle_power=idle_power,
        idle_subtracted=above,
        verdicts=(
            *power_verdicts,
            *judged_window,
            load_verdict,
            _idle_drift(run, power, idle_notes) if above is None else above.idle.verdict,
            limit_verdict,
            *reached,
        ),
        notes=(*power_notes, *work.notes, *secondary_notes),
        withheld={name: why for name, why in (("power", refused), ("throughput", work.withheld)) if why is not None},
        readings=_readings(run.power, window),
        idle_notes=() if power is None else idle_notes,
    )


def _readings(traces: Sequence[Trace], window: Window) -> int:
    """Count the usable readings inside the window."""
    inside = ((trace.t_ns > window.begin_ns) & (trace.t_ns <= window.end_ns) & trace.usable for trace in traces)
    return sum(int(np.count_nonzero(usable)) for usable in inside)


def _power(
    run: RunInput, window: Window
) -> tuple[PowerAnalysis | None, tuple[Verdict, ...], list[str], Refused | None]:
    """Evaluate the power over the window, with verdicts and notes; None where it cannot be given, with the refusal."""
    try:
        power = analyse_power(run.power, window, run.limits, run.calibrations)
    except Refused as refusal:
        withheld = f"Power is withheld: {refusal.text}"
        verdicts = each_rule(POWER_RULES, refusal.verdicts, withheld if run.power else refusal.text)
        return None, verdicts, [withheld], refusal
    notes = list(power.notes)
    if power.steady is False:
        notes += [power.process_reason, *([] if power.steady_part is None else [power.steady_part.text])]
    return power, each_rule(POWER_RULES, power.verdicts, power.process_reason), notes, None


def _idle_power(run: RunInput) -> tuple[tuple[UncertainValue | None, ...], tuple[str, ...]]:
    """Average the power of each idle phase as that of a window [W], and explain why one of them has none."""
    means: list[UncertainValue | None] = []
    notes: list[str] = []
    for phase in run.idle:
        try:
            means.append(analyse_power(phase.power, phase.window, run.limits, run.calibrations).mean)
        except Refused as refusal:
            means.append(None)
            notes.append(f"{NO_IDLE}: {refusal.text}")
    return tuple(means), tuple(notes[:1])


def _idle_subtracted(
    run: RunInput,
    window: Window,
    power: UncertainValue,
    idle: Sequence[UncertainValue | None],
    rate: UncertainValue | None,
) -> tuple[IdleSubtracted | None, tuple[str, ...]]:
    """Subtract the mean power of a run's own idle phases from its power under load."""
    before, after = (
        [
            mean
            for phase, mean in zip(run.idle, idle, strict=True)
            if mean is not None and (phase.window.begin_ns < window.begin_ns) is early
        ]
        for early in (True, False)
    )
    try:
        above = subtract_idle(power, before, after, rate, run.unit, run.limits)
    except Refused as refusal:
        return None, (f"{NO_IDLE}: {refusal.text}",)
    return above, above.notes


def _idle_drift(run: RunInput, power: PowerAnalysis | None, notes: Sequence[str]) -> Verdict:
    """Explain why idle power before and after the load was not compared."""
    if not run.idle:
        text = "The run has no idle phase."
    elif power is None:
        text = "Power is withheld, so nothing is subtracted from it."
    else:
        text = notes[0] if notes else "The idle phases give no power."
    return not_checked(IDLE_DRIFT, run.limits.drift_pct, "%", text)


def _limited(run: RunInput, *, throttled: bool) -> tuple[Bottleneck | None, Verdict]:
    """Return the resource that limited the load over the window; a level below full load need not meet a limit."""
    if run.limited_by is None:
        text = "The run does not say which resource should limit its load."
        return None, not_checked(BOTTLENECK, None, "%", text)
    if run.host is None or run.host.cpu_pct is None:
        return None, not_checked(BOTTLENECK, None, "%", "CPU utilisation was not recorded in the window.")
    limiting = bottleneck(run.host, run.limited_by, throttled=throttled)
    if limiting.resource == "nothing" and run.full_load_limit_pct is None:
        text = f"{limiting.verdict.text} This load level is below full load by design."
        verdict = not_checked(limiting.verdict.rule, limiting.verdict.limit, "%", text)
        limiting = replace(limiting, verdict=verdict)
    return limiting, limiting.verdict


def _full_load(run: RunInput, window: Window) -> tuple[float | None, Verdict]:
    """Verify full load by the CPU utilisation that the server's operating system showed in the window [%]."""
    rule, limit = FULL_LOAD, run.full_load_limit_pct
    inside = (run.utilisation_t_ns > window.begin_ns) & (run.utilisation_t_ns <= window.end_ns)
    inside &= np.isfinite(run.utilisation_pct)
    if not inside.any():
        return None, not_checked(rule, limit, "%", "CPU utilisation was not recorded in the window.")
    mean = float(run.utilisation_pct[inside].mean())
    if limit is None:
        return mean, not_checked(rule, limit, "%", f"CPU utilisation was {mean:.1f} %; no limit is set for this load.")
    full = mean >= limit
    text = f"CPU utilisation was {mean:.1f} % over the window; full load needs {limit:g} %."
    return mean, Verdict(rule, mean, limit, "%", "pass" if full else "fail", text)


def _claims_full_load(power: PowerAnalysis | None, verdict: Verdict) -> bool | None:
    """Return whether the run may claim full load: only with a steady window; None where utilisation is unknown."""
    if verdict.outcome == "not-checked":
        return None
    return verdict.outcome == "pass" and not (power is not None and power.steady is False)


def _secondary(trace: Trace, window: Window, power: PowerAnalysis | None, limits: Limits) -> str:
    """Describe the power that a secondary meter showed over the same window."""
    name = trace.instrument.name
    try:
        seen_w = meter_power(trace, window, limits).power_w
    except Refused as refusal:
        return f"{name} is not shown with the result: {refusal.text}"
    if power is None:
        return f"{name} showed {format_number(seen_w, 4)} W; it does not replace the wall meter."
    off_pct = 100 * (seen_w / power.mean.value - 1)
    kind = "indicative" if trace.instrument.indicative else "secondary"
    return (
        f"{name} showed {format_number(seen_w, 4)} W, {signed_number(off_pct, 2)} % from the result ({kind}, not used)."
    )
