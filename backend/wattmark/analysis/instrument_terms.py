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
    steps_w = edge_steps(trace, power_w, duration_s)
    terms = [
        _latency(trace, max(steps_w), duration_s, shifted=shifted),
        _cut_cells(trace, sum(steps_w), duration_s),
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


def _latency(trace: CleanTrace, step_w: float, duration_s: float, *, shifted: bool) -> Contribution:
    """Compute step at the edge x u(time)/D; an unshifted window carries the whole latency (method 1)."""
    meter = trace.instrument
    latency_s = meter.latency_uncertainty_s if shifted else math.hypot(meter.latency_uncertainty_s, meter.latency_s)
    u_time_s = math.hypot(latency_s, math.sqrt(2.0) * trace.u_t_s)
    return Contribution(
        f"Latency and clock of {meter.name}",
        u_time_s,
        "B",
        sensitivity=step_w / duration_s,
        correlation_group=f"{meter.group}, latency" if meter.group else None,
        note=f"step of {step_w:.3g} W at the edge of the window",
    )


def _cut_cells(trace: CleanTrace, steps_w: float, duration_s: float) -> Contribution:
    """Compute what a step inside the cells at the edges does: step x T/sqrt(30)/D for each edge.

    A cell with the share f inside the window holds f (1 - f) T x step less than that share really had, whose root
    mean square over f is T/sqrt(30). Both edges err the same way, so the steps are added.
    """
    meter = trace.instrument
    return Contribution(
        f"Cells of {meter.name} cut by the window",
        trace.period_s / math.sqrt(30.0),
        "B",
        sensitivity=steps_w / duration_s,
        correlation_group=f"{meter.group}, cut cells" if meter.group else None,
    )


def edge_steps(trace: CleanTrace, power_w: float, duration_s: float) -> tuple[float, float]:
    """Compute the difference between mean power and the power just before and just after the window [W].

    An edge beyond which nothing was recorded takes the largest difference seen anywhere outside the window; where
    nothing was recorded outside at all, the whole power is taken.
    """
    if trace.instrument.kind == "counter":
        return power_w, power_w
    t_s, away_w = trace.t_s, trace.value - power_w
    reach_s, after_s = EDGE_PERIODS * trace.period_s, duration_s + trace.period_s
    outside = (t_s <= 0) | (t_s > after_s)
    anywhere = float(np.max(np.abs(away_w[outside]))) if outside.any() else power_w
    before, after = (t_s > -reach_s) & (t_s <= 0), (t_s > after_s) & (t_s <= after_s + reach_s)
    begin_w = abs(float(np.mean(away_w[before]))) if before.any() else anywhere
    return begin_w, abs(float(np.mean(away_w[after]))) if after.any() else anywhere
