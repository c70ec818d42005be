"""A meter's energy register beside the integral of its power: which to take, and whether they agree."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np
from wattmark_calibration import counter_uncertainty

from wattmark.analysis.energy import WindowEnergy
from wattmark.analysis.limits import Limits
from wattmark.analysis.refusal import Refused
from wattmark.analysis.register_energy import JOULE_PER_WH, last_digit, register_power
from wattmark.analysis.trace import Trace, clean
from wattmark.analysis.verdict import Verdict, not_applicable

RULE = "register"


@dataclass(frozen=True, slots=True)
class RegisterReading:
    """Energy that a register counted over the window [J] with its last digit's uncertainty q/sqrt(6).

    ``energy_j`` None: it cannot tell, and ``reason`` says why.
    """

    energy_j: float | None
    u_energy_j: float = 0.0
    reason: str = ""


def read_register(trace: Trace, begin_ns: int, duration_s: float, *, shift: bool) -> RegisterReading:
    """Subtract a register's readings at both edges of the window [J]; what speaks against it is told, not raised."""
    name = trace.instrument.name
    try:
        cleaned = clean(trace, begin_ns, shift=shift)
        power = register_power(cleaned, duration_s)
    except Refused as refusal:
        return RegisterReading(None, reason=refusal.text)
    step_wh = last_digit(cleaned)
    if step_wh is None:
        return RegisterReading(None, reason=f"The last digit of the register of {name} is not known.")
    energy_j = float(power.energy_j(np.array([0.0]), np.array([duration_s]))[0])
    return RegisterReading(energy_j, counter_uncertainty(step_wh * JOULE_PER_WH))


def agreement(name: str, integral_j: float, u_integral_j: float, register: RegisterReading) -> Verdict:
    """Judge |E_int - E_reg| <= 2 sqrt(u_int^2 + q^2/6) [J] (method 1)."""
    if register.energy_j is None:
        text = f"The energy register of {name} is not held against its power: {register.reason}"
        return not_applicable(RULE, None, "J", text)
    apart_j = integral_j - register.energy_j
    limit_j = 2 * math.hypot(u_integral_j, register.u_energy_j)
    text = (
        f"{name}: the integral of power, {integral_j:.6g} J, lies {apart_j:+.3g} J from its energy register; "
        f"two standard uncertainties of the difference are {limit_j:.3g} J."
    )
    return Verdict(RULE, apart_j, limit_j, "J", "pass" if abs(apart_j) <= limit_j else "fail", text)


def fine_enough(register: RegisterReading, limits: Limits) -> bool:
    """Tell whether a register resolves the window: q/sqrt(6) is at most its share of the energy."""
    if register.energy_j is None or register.energy_j <= 0:
        return False
    return register.u_energy_j <= limits.register_share_pct / 100 * register.energy_j


def counted(energy: WindowEnergy, register: RegisterReading) -> WindowEnergy:
    """Take the register's energy for the integral's; it also counted what nobody sampled, so gaps need no bounds."""
    if register.energy_j is None:
        return energy
    energy_j = register.energy_j
    return replace(energy, energy_j=energy_j, low_j=energy_j, high_j=energy_j, u_energy_j=register.u_energy_j)
