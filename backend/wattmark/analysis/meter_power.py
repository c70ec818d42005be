"""Mean power of one meter over the window, by the window's rule."""

from __future__ import annotations

from dataclasses import dataclass, replace

from wattmark.analysis.calibrated import Calibrated
from wattmark.analysis.energy import WindowEnergy, bounded, power_function, window_energy
from wattmark.analysis.instrument_terms import edge_steps, instrument_terms
from wattmark.analysis.limits import Limits
from wattmark.analysis.losses import losses
from wattmark.analysis.readings_inside import energy_between_readings
from wattmark.analysis.refusal import Refused
from wattmark.analysis.register import (
    RegisterReading,
    agreement,
    counted,
    fine_enough,
    placed,
    read_register,
    unshared_uncertainty,
)
from wattmark.analysis.trace import CleanTrace, Trace, clean
from wattmark.analysis.type_a import TypeA
from wattmark.analysis.verdict import Verdict
from wattmark.analysis.window import Window


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
        """Give mean power, corrected where a certificate serves, without the stated loss in the wiring [W]."""
        seen_w = self.indicated_w if self.calibrated is None else self.calibrated.power_w
        return seen_w - self.trace.instrument.wiring_loss_w

    @property
    def corrected(self) -> bool:
        """Tell whether a certificate serves; the specification then does not."""
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
    """Hold a meter's register against the integral of its power, and rest its mean on the register where that serves.

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
    energy = counted(m.energy, register)
    text = f"{verdict.text} Mean power rests on the register."
    return replace(m, energy=energy, indicated_w=energy.energy_j / duration_s), (replace(verdict, text=text),)
