"""A meter's energy register beside the integral of its power: which to take, and whether they agree."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from wattmark_calibration import Contribution, Kind

from wattmark.analysis.energy import WindowEnergy
from wattmark.analysis.limits import Limits
from wattmark.analysis.readings_inside import NOTHING_CUT, between_readings
from wattmark.analysis.refusal import Refused
from wattmark.analysis.register_energy import counted_energy
from wattmark.analysis.trace import Trace, clean
from wattmark.analysis.verdict import Verdict, not_applicable
from wattmark.analysis.window import Window

RULE = "register"
UNSHARED: frozenset[Kind] = frozenset({"sampling", "window and clock", "gaps", "resolution"})
"""Kinds of contributions that the integral of power does not share with the same meter's energy register."""
PATH_SHARE = 0.1
"""Share of the maker's limit by which a meter's power and energy may differ from one another: an assumption.

Both come from the same converters, so its gain is common; what is not common is the arithmetic behind them.
"""


@dataclass(frozen=True, slots=True)
class RegisterReading:
    """Energy that a register counted over the window [J] with its last digit's uncertainty q/sqrt(6).

    ``energy_j`` None: it cannot tell, and ``reason`` says why.
    """

    energy_j: float | None
    u_energy_j: float = 0.0
    reason: str = ""
    edge_cells_s: tuple[float, float] = (0.0, 0.0)
    """Stretches between readings that the window's begin and end lie in."""


def read_register(trace: Trace, window: Window) -> RegisterReading:
    """Subtract a register's readings at both edges of the window [J]; what speaks against it is told, not raised."""
    duration_s = window.duration_s
    try:
        cleaned = clean(trace, window.begin_ns, shift=window.rule.shift_latency)
        if window.rule.readings_inside:
            cleaned, _, span_s = between_readings(cleaned, duration_s)
        else:
            span_s = duration_s
        counted = counted_energy(cleaned, span_s)
    except Refused as refusal:
        return RegisterReading(None, reason=refusal.text)
    if counted.u_energy_j is None:
        return RegisterReading(None, reason=f"The last digit of the register of {trace.instrument.name} is not known.")
    cells_s = NOTHING_CUT if window.rule.readings_inside else counted.edge_cells_s
    scale = duration_s / span_s
    return RegisterReading(counted.energy_j * scale, counted.u_energy_j * scale, edge_cells_s=cells_s)


def placed(register: RegisterReading, steps_w: tuple[float, float]) -> RegisterReading:
    """Add what a register cannot place at the edges: a step of power between two of its readings [J].

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
    own = [term.u_result for term in terms if term.kind in UNSHARED]
    return math.hypot(*own, *(PATH_SHARE * term.u_result for term in terms if term.kind == "instrument"))


def agreement(name: str, integral_j: float, u_integral_j: float, register: RegisterReading) -> Verdict:
    """Judge |E_int - E_reg| <= 2 sqrt(u_int^2 + q^2/6) [J] (method 1); u_int without what the two share."""
    if register.energy_j is None:
        text = f"The energy register of {name} is not held against its power: {register.reason}"
        return not_applicable(RULE, None, "J", text)
    apart_j = integral_j - register.energy_j
    limit_j = 2 * math.hypot(u_integral_j, register.u_energy_j)
    text = (
        f"{name}: the integral of power, {integral_j:.6g} J, lies {apart_j:+.3g} J from its energy register; "
        f"two standard uncertainties of what they do not share are {limit_j:.3g} J."
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
