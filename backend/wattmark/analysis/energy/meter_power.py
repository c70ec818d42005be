"""Mean power of one meter over the window: by the window's rule, or by its register; and what its readings show.

A meter's energy register is compared with the integral of its power, and carries the mean where it serves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from wattmark_calibration import Contribution, Kind

from wattmark.analysis.efficiency.window import Window
from wattmark.analysis.energy.calibrated import Calibrated
from wattmark.analysis.energy.energy import (
    Losses,
    WindowEnergy,
    energy_between_readings,
    losses,
    mean_energy,
    window_energy,
)
from wattmark.analysis.energy.flat_top import cut_readings
from wattmark.analysis.energy.instrument_terms import edge_steps, instrument_terms
from wattmark.analysis.energy.register import counted_energy
from wattmark.analysis.energy.trace import (
    NEARLY_COVERED,
    CleanTrace,
    Trace,
    between_readings,
    clean,
    count_reasons,
    dithered,
)
from wattmark.analysis.energy.type_a import TypeA
from wattmark.analysis.refusal import Refused
from wattmark.analysis.verdict import Limits, Verdict, at_most, each_rule, not_checked
from wattmark.core.numbers import format_number, signed_number

UNSHARED: frozenset[Kind] = frozenset({"sampling", "window and clock", "gaps", "resolution"})
"""Kinds of contributions that the integral of power does not share with the same meter's energy register."""
PATH_SHARE = 0.1
"""Share of the manufacturer's limit by which a meter's power and energy may differ from one another: an assumption.

Both come from the same converters, so its gain is common; only the arithmetic behind them differs.
"""
FLAT_TOP = "flat-top"
LONE_READINGS = "lone-readings"
FAR = 10.0
"""A reading this many times the median, or this part of it, that stands alone: no server idles at a tenth of its power
under load (SPECpower_ssj2008), and a change of load lasts longer than one reading or moves all of them."""
_FEWEST_READINGS = 8
READING_RULES = ("gaps", "bad-samples", "over-range", "stale", "frozen", FLAT_TOP, LONE_READINGS, "aliasing")
"""Rules for the readings of each meter, including one whose power is withheld."""
REGISTER = "register"
UNCOVERED_LIMIT_PCT = 100 * NEARLY_COVERED
"""Share of time that readings on a grid may leave uncovered before a load of the same rhythm can hide in it."""


@dataclass(frozen=True, slots=True)
class RegisterReading:
    """Energy that a register counted over the window [J] with its last digit's uncertainty q/sqrt(6).

    ``energy_j`` None: not known, for ``reason``.
    """

    energy_j: float | None
    u_energy_j: float = 0.0
    reason: str = ""
    edge_cells_s: tuple[float, float] = (0.0, 0.0)
    """Stretches between readings that the window's begin and end lie in."""


@dataclass(frozen=True, slots=True)
class MeterPower:
    """One meter over the window: its samples, its power as a function of time and its mean power [W].

    ``calibrated`` is what its certificate says of that mean; None: it has none. Samples are never corrected.
    """

    trace: CleanTrace
    energy: WindowEnergy
    indicated_w: float
    samples: int
    excluded: int
    calibrated: Calibrated | None = None
    register: RegisterReading | None = None
    """Its energy register over the window; None: it has none beside its power."""
    verdicts: tuple[Verdict, ...] = ()
    """On its readings: losses, bad, over-range, stale and unchanging ones, and loads hidden in between."""

    @property
    def power_w(self) -> float:
        """Return mean power, corrected where a certificate serves, without the stated loss in the wiring [W]."""
        seen_w = self.indicated_w if self.calibrated is None else self.calibrated.power_w
        return seen_w - self.trace.instrument.wiring_loss_w

    @property
    def corrected(self) -> bool:
        """Return whether a certificate serves; the specification then does not."""
        return self.calibrated is not None and self.calibrated.corrected is not None


def meter_power(trace: Trace, window: Window, limits: Limits) -> MeterPower:
    """Average one meter over the window by the window's rule [W]. Raises `Refused` with the reason and its verdicts."""
    try:
        cleaned = clean(trace, window)
    except Refused as refusal:
        raise Refused(refusal.reason, refusal.text, _unread(trace, refusal, limits), cause=refusal.cause) from None
    try:
        energy, power_w = _energy(cleaned, window, limits)
    except Refused as refusal:
        verdicts = reading_verdicts(cleaned, losses(cleaned, limits), limits)
        raise Refused(refusal.reason, refusal.text, verdicts, cause=refusal.cause) from None
    samples, excluded = len(cleaned.t_s[cleaned.inside]), _count_inside(cleaned.bad_t_s, window.duration_s)
    register = None if trace.register is None else read_register(trace.register, window)
    verdicts = reading_verdicts(cleaned, energy.losses, limits)
    return MeterPower(cleaned, energy, power_w, samples, excluded, register=register, verdicts=verdicts)


def _energy(cleaned: CleanTrace, window: Window, limits: Limits) -> tuple[WindowEnergy, float]:
    """Compute energy over the window by its rule, and mean power [W]. Raises `Refused` with the reason."""
    inside = cleaned.inside
    if not len(cleaned.t_s[inside]):
        name = cleaned.instrument.name
        raise Refused("no-samples", f"{name} has no usable sample inside the window; check the meter.")
    if window.rule.plain_mean and cleaned.instrument.kind != "counter":
        power_w = float(cleaned.value[inside].mean())
        return mean_energy(cleaned, power_w, limits), power_w
    between = energy_between_readings if window.rule.readings_inside else window_energy
    energy = between(cleaned, limits)
    return energy, energy.energy_j / window.duration_s


def _unread(trace: Trace, refusal: Refused, limits: Limits) -> tuple[Verdict, ...]:
    """Evaluate the readings of a meter of which none can be used: where it gave none, all of the window is a gap."""
    if refusal.reason != "no-samples" or trace.instrument.kind == "counter":
        return each_rule(READING_RULES, (), refusal.text)
    gaps = at_most("gaps", 100.0, limits.gap_share_pct, "%", refusal.text)
    return each_rule(READING_RULES, (gaps,), refusal.text)


def with_register(
    m: MeterPower, window: Window, scatter: TypeA | None, limits: Limits
) -> tuple[MeterPower, tuple[Verdict, ...]]:
    """Compare a meter's register with the integral of its power; use the register for the mean where it qualifies.

    It qualifies where the two agree, where it resolves the window, and where nothing requires power itself: a rule on
    the mean of samples, or a certificate, which applies to indications of power.
    """
    if m.register is None:
        return m, (not_checked(REGISTER, None, "J", _no_register(m.trace)),)
    duration_s = window.duration_s
    register = placed(m.register, edge_steps(m.trace, m.energy, m.indicated_w))
    terms = instrument_terms(m.trace, m.energy, m.indicated_w, scatter)
    verdict = agreement(m.trace.instrument.name, m.energy.energy_j, unshared_uncertainty(terms) * duration_s, register)
    serves = verdict.outcome == "pass" and fine_enough(register, limits)
    if not serves or window.rule.plain_mean or m.calibrated is not None:
        return m, (verdict,)
    energy = _counted(m.energy, register)
    text = f"{verdict.text} Mean power is computed from the energy register."
    return replace(m, energy=energy, indicated_w=energy.energy_j / duration_s), (replace(verdict, text=text),)


def _no_register(trace: CleanTrace) -> str:
    name = trace.instrument.name
    if trace.instrument.kind == "counter":
        return f"{name} recorded its energy register only, which cannot be compared with its power."
    return f"{name} recorded no energy register beside its power."


def _counted(energy: WindowEnergy, register: RegisterReading) -> WindowEnergy:
    """Return the register's energy for the integral's; it also counted between samples, so gaps need no bounds."""
    if register.energy_j is None:
        return energy
    energy_j = register.energy_j
    return replace(energy, energy_j=energy_j, low_j=energy_j, high_j=energy_j, u_energy_j=register.u_energy_j)


def read_register(trace: Trace, window: Window) -> RegisterReading:
    """Read a register at both edges of the window [J]; a problem is returned as text, not raised."""
    try:
        cleaned = clean(trace, window)
        if window.rule.readings_inside:
            cleaned, _ = between_readings(cleaned)
        counted = counted_energy(cleaned)
    except Refused as refusal:
        return RegisterReading(None, reason=refusal.text)
    if counted.u_energy_j is None:
        return RegisterReading(
            None, reason=f"The resolution of the energy register of {trace.instrument.name} is not known."
        )
    cells_s = (0.0, 0.0) if window.rule.readings_inside else counted.edge_cells_s
    scale = window.duration_s / cleaned.duration_s
    return RegisterReading(counted.energy_j * scale, counted.u_energy_j * scale, edge_cells_s=cells_s)


def placed(register: RegisterReading, steps_w: tuple[float, float]) -> RegisterReading:
    """Add the uncertainty of a power step between two register readings at the edges [J].

    Interpolation there errs by step x length/sqrt(30), as a cell cut by the window does.
    """
    products = (step_w * cell_s for step_w, cell_s in zip(steps_w, register.edge_cells_s, strict=True))
    u_edges_j = math.fsum(products) / math.sqrt(30.0)
    return replace(register, u_energy_j=math.hypot(register.u_energy_j, u_edges_j))


def unshared_uncertainty(terms: Sequence[Contribution]) -> float:
    """Combine those terms of a meter's mean power that it does not share with its own register [W].

    Sampling, edges, gaps and last digit count in full, the maker's limit with `PATH_SHARE`; temperature and wiring are
    common.
    """
    unshared = [term.u_result for term in terms if term.kind in UNSHARED]
    return math.hypot(*unshared, *(PATH_SHARE * term.u_result for term in terms if term.kind == "instrument"))


def agreement(name: str, integral_j: float, u_integral_j: float, register: RegisterReading) -> Verdict:
    """Evaluate |E_int - E_reg| <= 2 sqrt(u_int^2 + q^2/6) [J] (method 1); u_int without their common terms."""
    if register.energy_j is None:
        text = f"The energy register of {name} was not compared with its power: {register.reason}"
        return not_checked(REGISTER, None, "J", text)
    apart_j = integral_j - register.energy_j
    limit_j = 2 * math.hypot(u_integral_j, register.u_energy_j)
    text = (
        f"{name}: the integral of power, {format_number(integral_j, 6)} J, differs from its energy register by "
        f"{signed_number(apart_j, 3)} J; the "
        f"limit is {format_number(limit_j, 3)} J (two standard uncertainties of the contributions that they do not "
        "share)."
    )
    return Verdict(REGISTER, apart_j, limit_j, "J", "pass" if abs(apart_j) <= limit_j else "fail", text)


def fine_enough(register: RegisterReading, limits: Limits) -> bool:
    """Return whether a register resolves the window: q/sqrt(6) is at most its share of the energy."""
    if register.energy_j is None or register.energy_j <= 0:
        return False
    return register.u_energy_j <= limits.register_share_pct / 100 * register.energy_j


def reading_verdicts(trace: CleanTrace, lost: Losses, limits: Limits) -> tuple[Verdict, ...]:
    """Evaluate losses, bad, over-range, stale and unchanging readings of a meter, and loads hidden in between.

    Energy registers also count between readings, so none of this concerns them.
    """
    name, duration_s = trace.instrument.name, trace.duration_s
    if trace.instrument.kind == "counter":
        text = f"{name} is an energy register: it also counts between its readings."
        return each_rule(READING_RULES, (), text)
    excluded = _count_inside(trace.bad_t_s, duration_s)
    all_samples = len(trace.t_s[trace.inside]) + excluded
    gaps = at_most(
        "gaps",
        100 * lost.lost_s / duration_s,
        100 * limits.most_lost_s(duration_s, trace.period_s) / duration_s,
        "%",
        f"{name} gave no good reading for {format_number(lost.lost_s, 3)} s of the window, "
        f"in {lost.gaps} gap{'' if lost.gaps == 1 else 's'}.",
    )
    if not all_samples:
        return each_rule(READING_RULES, (gaps,), f"{name} has no sample inside the window.")
    counted = count_reasons(trace.bad_why[(trace.bad_t_s > 0) & (trace.bad_t_s < duration_s)])
    reasons = f": {counted}" if counted else ""
    over, stale = (_count_inside(t_s, duration_s) for t_s in (trace.over_range_t_s, trace.stale_t_s))
    return (
        gaps,
        at_most(
            "bad-samples",
            100 * excluded / all_samples,
            limits.bad_samples_pct,
            "%",
            f"{excluded} of {all_samples} samples of {name} were bad and excluded{reasons}.",
        ),
        at_most(
            "over-range",
            100 * over / all_samples,
            limits.gap_share_pct,
            "%",
            f"{over} of {all_samples} samples of {name} were beyond its range.",
        ),
        at_most(
            "stale",
            100 * stale / all_samples,
            limits.gap_share_pct,
            "%",
            f"{stale} of {all_samples} samples of {name} only repeated an old reading.",
        ),
        _frozen(trace, limits),
        _flat_top(trace, limits),
        _lone_readings(trace, limits),
        _aliasing(trace),
    )


def _count_inside(t_s: NDArray[np.float64], duration_s: float) -> int:
    return int(np.count_nonzero((t_s > 0) & (t_s < duration_s)))


def _frozen(trace: CleanTrace, limits: Limits) -> Verdict:
    """Evaluate the longest run of equal readings: power under load never rests; an unused feed's 0 W does."""
    value = trace.value[trace.inside]
    longest = _longest_run(value) if np.any(value != 0) else 1
    text = f"The longest sequence of equal readings of {trace.instrument.name} has {longest} samples."
    if longest > limits.frozen_samples:
        text += " The meter may have stopped measuring: check it, or use a range with a finer resolution."
    return at_most("frozen", float(longest), float(limits.frozen_samples), "1", text)


def _flat_top(trace: CleanTrace, limits: Limits) -> Verdict:
    """Evaluate the share of readings on one value that none exceeds, while the others scatter."""
    name, limit_pct = trace.instrument.name, limits.gap_share_pct
    end = cut_readings(trace.value[trace.inside], trace.instrument.resolution)
    if end is None:
        text = (
            f"The readings of {name} are too few, or its last digit is too coarse, to tell whether it cuts them off at "
            "a limit."
        )
        return not_checked(FLAT_TOP, limit_pct, "%", text)
    if not end.cut:
        return Verdict(FLAT_TOP, 0.0, limit_pct, "%", "pass", f"The readings of {name} end at no value in particular.")
    share_pct = 100 * end.share
    text = (
        f"{share_pct:.2g} % of the readings of {name} are {end.value_w:.6g} W, the {end.end} of all, to the last "
        "digit, while the others scatter."
    )
    if share_pct > limit_pct:
        text += (
            " The meter cuts readings off at this value and does not say so: use a range that holds all of the power, "
            "and check the limits of its inputs."
        )
    return at_most(FLAT_TOP, share_pct, limit_pct, "%", text)


def _lone_readings(trace: CleanTrace, limits: Limits) -> Verdict:
    """Evaluate by how much single readings far from all others move the mean."""
    name, limit_pct = trace.instrument.name, limits.gap_share_pct
    beside = (trace.t_s > -trace.period_s) & (trace.t_s < trace.duration_s + trace.period_s)  # the edges count as well
    lone = lone_readings(trace.value[beside])
    if lone is None:
        return not_checked(
            LONE_READINGS, limit_pct, "%", f"The readings of {name} are too few to judge one by the others."
        )
    count, farthest_w, moves_pct = lone
    if not count:
        text = f"No reading of {name} stands alone at {FAR:g} times the median, or at a part of it as small."
        return Verdict(LONE_READINGS, 0.0, limit_pct, "%", "pass", text)
    stand = "reading stands" if count == 1 else "readings stand"
    text = (
        f"{count} {stand} alone, far from all others of {name}, such as {farthest_w:.6g} W; the mean moves by "
        f"{format_number(moves_pct, 3)} %."
    )
    if moves_pct > limit_pct:
        text += " A sum, an overflow or a reading in another unit is not a power: look at the raw readings."
    return at_most(LONE_READINGS, moves_pct, limit_pct, "%", text)


def lone_readings(value: NDArray[np.float64]) -> tuple[int, float, float] | None:
    """Find readings far from both of their neighbours and from the median.

    Returns their count, the farthest of them, and by how much they move the mean [%]; None for too few readings.
    """
    if len(value) < _FEWEST_READINGS:
        return None
    median = float(np.median(value))
    far = (value > FAR * median) | (value < median / FAR)
    lone = far.copy()
    lone[1:] &= ~far[:-1]
    lone[:-1] &= ~far[1:]
    if median <= 0 or not lone.any():
        return 0, median, 0.0
    others = float(value[~lone].mean())
    farthest = value[lone][np.argmax(np.abs(np.log(np.maximum(value[lone], median * 1e-9) / median)))]
    return int(np.count_nonzero(lone)), float(farthest), 100 * abs(float(value.mean()) / others - 1)


def _longest_run(value: NDArray[np.float64]) -> int:
    """Count the samples of the longest stretch without a change."""
    changes = np.flatnonzero(value[1:] != value[:-1])
    if not len(changes):
        return max(len(value), 1)
    return int(max(changes[0] + 1, len(value) - 1 - changes[-1], np.diff(changes).max(initial=1)))


def _aliasing(trace: CleanTrace) -> Verdict:
    """Evaluate whether a load in step with the readings could hide between them; readings that cover all hide none.

    Readings on a grid that leave time uncovered sample a load of the same rhythm at one phase only, which they cannot
    show. Polls at random times sample all phases: the load is then scatter, which is in the budget (decision 0035).
    """
    meter = trace.instrument
    uncovered_pct = 100 * trace.uncovered_share
    if uncovered_pct == 0:
        text = f"Readings of {meter.name} stand for all of the time between them."
        return at_most("aliasing", 0.0, UNCOVERED_LIMIT_PCT, "%", text)
    t_s = trace.t_s[trace.inside]
    if dithered(t_s, min(trace.period_s, trace.interval_s)):
        text = f"{meter.name} was polled at random times, so a load synchronous with the readings shows as scatter."
        return Verdict("aliasing", uncovered_pct, None, "%", "pass", text)
    passed = uncovered_pct <= UNCOVERED_LIMIT_PCT
    text = (
        f"Readings of {meter.name} every {format_number(trace.interval_s, 3)} s leave "
        f"{format_number(uncovered_pct, 3)} % of the time uncovered."
    )
    if not passed:
        text = (
            f"{text} A load synchronous with the readings would always be sampled at the same phase. Poll the meter at "
            "its update interval, or at random times."
        )
    return Verdict("aliasing", uncovered_pct, UNCOVERED_LIMIT_PCT, "%", "pass" if passed else "fail", text)
