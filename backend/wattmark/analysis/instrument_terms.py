"""The contributions that one meter brings to mean power."""

from __future__ import annotations

import math

import numpy as np
from wattmark_calibration import Contribution, resolution_uncertainty

from wattmark.analysis.energy import WindowEnergy
from wattmark.analysis.trace import CleanTrace
from wattmark.analysis.type_a import TypeA

EDGE_PERIODS = 3


def instrument_terms(
    trace: CleanTrace, energy: WindowEnergy, power_w: float, duration_s: float, scatter: TypeA | None, *, shifted: bool
) -> list[Contribution]:
    """List a meter's contributions to its mean power over the window [W].

    Specification limit/sqrt(3), last digit, register, latency and clock at the edges, and gaps. A meter without a
    specification brings no specification term: none is invented.
    """
    meter = trace.instrument
    terms = [
        _edges(trace, power_w, duration_s, shifted=shifted),
        Contribution(f"Gaps of {meter.name}", (energy.high_j - energy.low_j) / (2 * math.sqrt(3.0) * duration_s), "B"),
        Contribution(f"Register of {meter.name}", energy.u_energy_j / duration_s, "B"),
        _last_digit(trace, scatter),
    ]
    if meter.specification is not None and meter.specified:
        u = float(meter.specification.standard_uncertainty(power_w, meter.range_w))
        source = meter.specification.source
        terms.append(Contribution(f"Specification of {meter.name}", u, "B", correlation_group=meter.group, note=source))
    return [term for term in terms if term.u_result > 0]


def _last_digit(trace: CleanTrace, scatter: TypeA | None) -> Contribution:
    """Compute q/sqrt(12), divided by sqrt(n_eff) only where noise of at least half a digit dithers it."""
    meter = trace.instrument
    name = f"Last digit of {meter.name}"
    if meter.resolution is None or meter.kind == "counter":
        return Contribution(name, 0.0, "B")
    u = resolution_uncertainty(meter.resolution)
    dithered = scatter is not None and scatter.n_eff is not None and scatter.sd >= meter.resolution / 2
    if dithered and scatter is not None and scatter.n_eff is not None:
        u /= math.sqrt(max(min(scatter.n_eff, scatter.n), 1.0))
    return Contribution(name, u, "B")


def _edges(trace: CleanTrace, power_w: float, duration_s: float, *, shifted: bool) -> Contribution:
    """Compute step at the edge x u(time)/D; an unshifted window carries the whole latency (method 1)."""
    meter = trace.instrument
    latency_s = meter.latency_uncertainty_s if shifted else math.hypot(meter.latency_uncertainty_s, meter.latency_s)
    u_time_s = math.hypot(latency_s, math.sqrt(2.0) * trace.u_t_s)
    step_w = edge_step(trace, power_w, duration_s)
    return Contribution(
        f"Latency and clock of {meter.name}",
        u_time_s,
        "B",
        sensitivity=step_w / duration_s,
        correlation_group=f"{meter.group}, latency" if meter.group else None,
        note=f"step of {step_w:.3g} W at the edge of the window",
    )


def edge_step(trace: CleanTrace, power_w: float, duration_s: float) -> float:
    """Compute the larger difference between mean power and the power just outside the window [W].

    Where nothing was recorded outside, the whole power is taken.
    """
    reach_s = EDGE_PERIODS * trace.period_s
    after_s = duration_s + trace.period_s
    before = (trace.t_s > -reach_s) & (trace.t_s <= 0)
    after = (trace.t_s > after_s) & (trace.t_s <= after_s + reach_s)
    if trace.instrument.kind == "counter":
        return power_w
    return max(abs(power_w - float(np.mean(trace.value[k]))) if k.any() else power_w for k in (before, after))
