"""Mean power of one meter over the window, by the window's rule, and what speaks against its readings."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from wattmark.analysis.efficiency.window import Window
from wattmark.analysis.energy.calibrated import Calibrated
from wattmark.analysis.energy.energy import (
    WindowEnergy,
    bounded,
    energy_between_readings,
    losses,
    power_function,
    window_energy,
)
from wattmark.analysis.energy.instrument_terms import edge_steps, instrument_terms
from wattmark.analysis.energy.register import (
    RegisterReading,
    agreement,
    fine_enough,
    placed,
    read_register,
    unshared_uncertainty,
)
from wattmark.analysis.energy.sampling import aliasing
from wattmark.analysis.energy.trace import CleanTrace, Trace, clean
from wattmark.analysis.energy.type_a import TypeA
from wattmark.analysis.limits import Limits
from wattmark.analysis.refusal import Refused
from wattmark.analysis.verdict import Verdict, at_most


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
    """What its energy register says; None: it has none beside its power."""

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
    """Average one meter over the window by the window's rule [W]. Raises `Refused` with the reason."""
    duration_s = window.duration_s
    cleaned = clean(trace, window.begin_ns, shift=window.rule.shift_latency)
    inside = cleaned.inside(duration_s)
    if not inside.any():
        raise Refused("no-samples", f"{trace.instrument.name} has no usable sample inside the window; check the meter.")
    if window.rule.plain_mean and trace.instrument.kind != "counter":
        power = power_function(cleaned, limits, duration_s)
        power_w = float(cleaned.value[inside].mean())
        energy = bounded(cleaned, power, power_w * duration_s, losses(cleaned, duration_s, limits), duration_s)
    else:
        between = energy_between_readings if window.rule.readings_inside else window_energy
        energy = between(cleaned, duration_s, limits)
        power_w = energy.energy_j / duration_s
    register = None
    if trace.register is not None:
        register = read_register(trace.register, window)
    return MeterPower(cleaned, energy, power_w, int(inside.sum()), cleaned.bad_inside(duration_s), register=register)


def with_register(
    m: MeterPower, window: Window, scatter: TypeA | None, limits: Limits
) -> tuple[MeterPower, tuple[Verdict, ...]]:
    """Compare a meter's register with the integral of its power; use the register for the mean where it serves.

    It serves where the two agree, where it resolves the window, and where nothing speaks for power alone: a rule that
    wants the mean of samples, or a certificate, which was given for indications of power.
    """
    if m.register is None:
        return m, ()
    duration_s, shifted = window.duration_s, window.rule.shift_latency
    register = placed(m.register, edge_steps(m.trace, m.energy, m.indicated_w, duration_s))
    terms = instrument_terms(m.trace, m.energy, m.indicated_w, duration_s, scatter, shifted=shifted)
    verdict = agreement(m.trace.instrument.name, m.energy.energy_j, unshared_uncertainty(terms) * duration_s, register)
    serves = verdict.outcome == "pass" and fine_enough(register, limits)
    if not serves or window.rule.plain_mean or m.calibrated is not None:
        return m, (verdict,)
    energy = _counted(m.energy, register)
    text = f"{verdict.text} Mean power rests on the register."
    return replace(m, energy=energy, indicated_w=energy.energy_j / duration_s), (replace(verdict, text=text),)


def _counted(energy: WindowEnergy, register: RegisterReading) -> WindowEnergy:
    """Return the register's energy for the integral's; it also counted between samples, so gaps need no bounds."""
    if register.energy_j is None:
        return energy
    energy_j = register.energy_j
    return replace(energy, energy_j=energy_j, low_j=energy_j, high_j=energy_j, u_energy_j=register.u_energy_j)


def reading_verdicts(m: MeterPower, duration_s: float, limits: Limits) -> list[Verdict]:
    """Evaluate losses, bad, over-range, stale and unchanging readings of a meter, and loads hidden in between.

    Energy registers also count between readings, so none of this concerns them.
    """
    if m.trace.instrument.kind == "counter":
        return []
    name, lost = m.trace.instrument.name, m.energy.losses
    all_samples = m.samples + m.excluded
    over, stale = (_inside(t_s, duration_s) for t_s in (m.trace.over_range_t_s, m.trace.stale_t_s))
    verdicts = [
        at_most(
            "gaps",
            100 * lost.lost_s / duration_s,
            100 * limits.most_lost_s(duration_s, m.trace.period_s) / duration_s,
            "%",
            f"{name} gave no good reading for {lost.lost_s:.3g} s of the window, in {lost.gaps} stretches.",
        ),
        at_most(
            "bad-samples",
            100 * m.excluded / all_samples,
            limits.bad_samples_pct,
            "%",
            f"{m.excluded} of {all_samples} samples of {name} were bad and excluded.",
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
        _frozen(m, duration_s, limits),
    ]
    hidden = aliasing(m.trace, duration_s)
    return verdicts if hidden is None else [*verdicts, hidden]


def _inside(t_s: NDArray[np.float64], duration_s: float) -> int:
    return int(np.count_nonzero((t_s > 0) & (t_s < duration_s)))


def _frozen(m: MeterPower, duration_s: float, limits: Limits) -> Verdict:
    """Evaluate the longest run of equal readings: power under load never rests; an unused feed's 0 W does."""
    value = m.trace.value[m.trace.inside(duration_s)]
    longest = _longest_run(value) if np.any(value != 0) else 1
    text = f"The longest stretch of equal readings of {m.trace.instrument.name} has {longest} samples."
    if longest > limits.frozen_samples:
        text += " The meter may have stopped measuring: check it, or use a range with a finer last digit."
    return at_most("frozen", float(longest), float(limits.frozen_samples), "1", text)


def _longest_run(value: NDArray[np.float64]) -> int:
    """Count the samples of the longest stretch without a change."""
    changes = np.flatnonzero(np.diff(value) != 0)
    return int(np.diff(np.concatenate(([-1], changes, [len(value) - 1]))).max(initial=1))
