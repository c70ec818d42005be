"""Each source of power held against the wall meter: difference in the window, gain and offset, limit, verdict."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from wattmark_calibration import Specification, UncertainValue, half_width
from wattmark_calibration.specification import RECTANGULAR

from wattmark.analysis.clocks.lag import Lag, find_lag
from wattmark.analysis.cross_check.fitted_line import FittedLine
from wattmark.analysis.cross_check.levels import Array, Level, level
from wattmark.analysis.cross_check.line import fit_line
from wattmark.analysis.cross_check.measured_at import PLACES, MeasuredAt
from wattmark.analysis.cross_check.rules import INDICATIVE_RULE, RULE
from wattmark.analysis.efficiency.window import Window
from wattmark.analysis.energy.trace import Trace, good_samples
from wattmark.analysis.refusal import Refused
from wattmark.analysis.verdict import Verdict, not_checked
from wattmark.core.numbers import format_number

UNSPECIFIED_PCT = 5.0
"""Largest error of a source without stated accuracy: wattmark's own limit, not a standard's. BMCs read a few per cent
off (decision 0010); a larger difference is a wrong scale, a missing supply or another server."""
LEAST_CORRELATION = 0.9
"""A lag found at a lower correlation is none; as for cross-calibration."""
UNKNOWN_LATENCY_PERIODS = 2.0
"""Standard uncertainty of a latency that neither the bench nor the recording specifies [update periods]."""
NS = 1e9


@dataclass(frozen=True, slots=True)
class PowerSource:
    """A source of power beside the reference: for each stretch of the run one or several traces that add up."""

    name: str
    title: str
    measured_at: MeasuredAt
    traces: tuple[tuple[Trace, ...], ...]
    """In the order of the stretches: the window, then the phases."""
    latency_known: bool = False
    """False: it is looked for in the recording."""


@dataclass(frozen=True, slots=True)
class Stretch:
    """A part of the run by its name, such as "idle", as the reference recorded it."""

    name: str
    window: Window
    reference: tuple[Trace, ...]
    mean: UncertainValue | None
    """Mean power of the reference as the result states it [W]; None: it has none here."""


@dataclass(frozen=True, slots=True)
class Checked:
    """Result of the cross-check of a source.

    ``limit_w`` bounds the difference in the window; it is None for a source that measures a part only. ``levels`` are
    the window and those phases in which both were recorded.
    """

    source: PowerSource
    verdict: Verdict
    window: Level | None = None
    levels: tuple[Level, ...] = ()
    line: FittedLine | None = None
    no_line: str = ""
    limit_w: float | None = None
    limit_basis: str = ""
    lag_s: float | None = None
    """Delay of its changes after the reference [s]; None: not searched for, or not determined."""

    @property
    def difference_pct(self) -> UncertainValue | None:
        """Compute the difference in the window as a share of the reference [%]."""
        if self.window is None:
            return None
        scale = 100 / self.window.reference_w
        terms = tuple(
            replace(term, sensitivity=term.sensitivity * scale) for term in self.window.difference.contributions
        )
        difference = self.window.difference
        return UncertainValue(difference.value * scale, "%", terms, difference.complete)


def cross_check(
    stretches: Sequence[Stretch], reference: UncertainValue, sources: Sequence[PowerSource]
) -> tuple[Checked, ...]:
    """Compare each source with the reference over the stretches of a run: its window first, then its phases.

    The ``reference`` is the sum of the wall meters in the window, corrected by their certificates [W]. A source is
    moved by its latency, or by the lag that the recording shows. Pure computation; the verdict on a source that cannot
    be compared has the reason.
    """
    return tuple(_checked(source, stretches, reference) for source in sources)


def _checked(source: PowerSource, stretches: Sequence[Stretch], reference: UncertainValue) -> Checked:
    source, lag_s = _aligned(source, stretches)
    name = " + ".join(trace.instrument.name for trace in stretches[0].reference)
    levels, problems = [], []
    for stretch, traces in zip(stretches, source.traces, strict=True):
        try:
            plain = level(stretch.name, stretch.window, stretch.reference, traces)
        except Refused as refused:
            problems.append(refused.text)
            continue
        levels += [] if stretch.mean is None else [_corrected(plain, stretch.mean)]
    if not levels or levels[0].stretch != stretches[0].name:
        text = f"{source.name} is not compared: {problems[0]}"
        rule = INDICATIVE_RULE if _specification(source) is None else RULE
        return Checked(source, not_checked(rule, None, "%", text), lag_s=lag_s)
    line, no_line = _line(levels)
    rest_w = _half_width_w(_own_limit_w(source, levels[0].source_w), levels[0], reference)
    if not PLACES[source.measured_at].whole:
        verdict = _part_verdict(source, name, levels[0], rest_w)
        return Checked(source, verdict, levels[0], tuple(levels), line, no_line, lag_s=lag_s)
    basis = "its limit of error with the ± of the reference and of the comparison"
    if rest_w is None:
        whose = "its accuracy" if _specification(source) is None else f"the accuracy of {name}"
        basis = f"{UNSPECIFIED_PCT:g} %: {whose} is not stated"
    limit_w = UNSPECIFIED_PCT / 100 * levels[0].reference_w if rest_w is None else rest_w
    verdict = _whole_verdict(source, name, levels[0], limit_w, basis, RULE if rest_w is not None else INDICATIVE_RULE)
    return Checked(source, verdict, levels[0], tuple(levels), line, no_line, limit_w, basis, lag_s)


def _corrected(plain: Level, reference: UncertainValue) -> Level:
    """Return a level against the reference's power as the result states it: by its certificate or its register."""
    by_w = reference.value - plain.reference_w
    difference = replace(plain.difference, value=plain.difference.value - by_w)
    return replace(plain, reference_w=reference.value, difference=difference, reference=reference)


def _line(levels: Sequence[Level]) -> tuple[FittedLine | None, str]:
    try:
        return fit_line(levels), ""
    except Refused as refused:
        return None, refused.text


def _half_width_w(own_w: float | None, at_load: Level, reference: UncertainValue) -> float | None:
    """Compute the allowed difference of the two [W]; None where one of them does not state its limits of error.

    The source may be off by its limits, the reference by its uncertainty, the comparison by its own: the half width at
    95 % of their sum.
    """
    if own_w is None or not reference.complete:
        return None
    rest_w = math.hypot(reference.u, at_load.difference.u)
    dof = reference.dof if math.isfinite(reference.dof) else 1e9
    return float(half_width(rest_w, dof, own_w / RECTANGULAR))


def _specification(source: PowerSource) -> Specification | None:
    """Return the limits of error that the source's maker states; None where there are none, or it is a sum."""
    (first, *others), *_ = source.traces
    meter = first.instrument
    return None if others or meter.indicative or not meter.specified else meter.specification


def _own_limit_w(source: PowerSource, power_w: float) -> float | None:
    """Compute the maker's limit of error of a source at a power [W]; None where it states none."""
    specification = _specification(source)
    meter = source.traces[0][0].instrument
    return (
        None
        if specification is None
        else float(specification.limit(power_w, meter.range_w, conditions=meter.conditions))
    )


def _whole_verdict(
    source: PowerSource, reference_name: str, at_load: Level, limit_w: float, basis: str, rule: str
) -> Verdict:
    scale = 100 / at_load.reference_w
    off_pct, limit_pct = scale * at_load.difference.value, scale * limit_w
    within = abs(off_pct) <= limit_pct
    side = "high" if off_pct > 0 else "low"
    text = (
        f"{source.name} reads {format_number(abs(off_pct), 2)} % {side} against {reference_name}, "
        f"{'within' if within else 'beyond'} {format_number(limit_pct, 2)} % ({basis})."
    )
    if not within:
        text += " One of the two is wrong, or they do not measure the same inlets: check wiring, feeds and scale."
    return Verdict(rule, off_pct, limit_pct, "%", "pass" if within else "fail", text)


def _part_verdict(source: PowerSource, reference_name: str, at_load: Level, half_width_w: float | None) -> Verdict:
    """Evaluate a part of the power: it cannot exceed the whole, but for the limits of both.

    Where one of them states none, only the comparison's own uncertainty speaks for the part.
    """
    share_pct = 100 * at_load.source_w / at_load.reference_w
    spare_w = half_width_w
    if spare_w is None:
        known = at_load.difference.complete and at_load.difference.contributions
        own = [at_load.difference.expanded_u] if known else []
        of_reference = at_load.reference
        spare_w = math.hypot(*own, *([of_reference.expanded_u] if of_reference and of_reference.complete else []))
    limit_pct = 100 + 100 * spare_w / at_load.reference_w
    within = share_pct <= limit_pct
    text = (
        f"{source.name} shows {format_number(share_pct, 3)} % of {reference_name}: {PLACES[source.measured_at].title}."
    )
    if not within:
        text = (
            f"{source.name} shows {format_number(share_pct, 4)} % of {reference_name}, more than the whole server "
            "draws, "
            f"though it measures {PLACES[source.measured_at].title}. One of the two is wrong: check feeds and scale."
        )
    rule = INDICATIVE_RULE if half_width_w is None else RULE
    return Verdict(rule, share_pct, limit_pct, "%", "pass" if within else "fail", text)


def _aligned(source: PowerSource, stretches: Sequence[Stretch]) -> tuple[PowerSource, float | None]:
    """Return the source with its latency, and the lag that the recording shows [s]; None where it shows none."""
    if source.latency_known:
        return source, None
    lag = _lag(source, stretches)
    traces = tuple(tuple(_moved(trace, lag) for trace in of_stretch) for of_stretch in source.traces)
    return replace(source, traces=traces), None if lag is None else lag.value_s


def _moved(trace: Trace, lag: Lag | None) -> Trace:
    """Return a trace with the latency of its source; without a lag the stated one, which may be far off."""
    meter = trace.instrument
    u_s = UNKNOWN_LATENCY_PERIODS * meter.period_s if lag is None else math.hypot(lag.u_s, meter.period_s / 4)
    # the lag between two traces holds what sliding means are late by; their power is recovered without it
    shown_s = meter.latency_s if lag is None else lag.value_s - meter.averaging_lag_s
    return replace(trace, instrument=replace(meter, latency_s=shown_s, u_latency_s=u_s))


def _lag(source: PowerSource, stretches: Sequence[Stretch]) -> Lag | None:
    """Find how much later than the reference the source shows a step of the load; None where no stretch holds one."""
    for stretch, (trace, *_) in zip(stretches, source.traces, strict=True):
        if len(stretch.reference) != 1 or "counter" in (stretch.reference[0].instrument.kind, trace.instrument.kind):
            return None
        origin_ns, latency_s = stretch.window.begin_ns, stretch.reference[0].instrument.latency_s
        try:
            lag = find_lag(*_samples(stretch.reference[0], origin_ns, latency_s), *_samples(trace, origin_ns, 0.0))
        except Refused:
            continue
        if lag.correlation >= LEAST_CORRELATION:
            return lag
    return None


def _samples(trace: Trace, origin_ns: int, latency_s: float) -> tuple[Array, Array]:
    """Return the good samples as stamps that rise [s] and values."""
    keep = good_samples(trace)
    t_s, value = (trace.t_ns[keep] - origin_ns) / NS - latency_s, trace.value[keep]
    rising = np.concatenate([[True], np.diff(t_s) > 0]) if len(t_s) else np.zeros(0, dtype=bool)
    return t_s[rising], value[rising]
