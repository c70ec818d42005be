"""The contributions that one meter brings to mean power."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from wattmark_calibration import Conditions, Contribution, Specification, resolution_uncertainty

from wattmark.analysis.energy import WindowEnergy
from wattmark.analysis.trace import CleanTrace
from wattmark.analysis.type_a import TypeA

EDGE_PERIODS = 3
RECTANGULAR = math.sqrt(3.0)
ASSUMED_POWER_FACTOR = 0.9


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
        _gaps(trace, energy, duration_s),
        _register(trace, energy, duration_s),
        _last_digit(trace, scatter),
        Contribution(
            f"Wiring of {meter.name}",
            meter.u_wiring_loss_w,
            "B",
            correlation_group=f"{meter.group}, wiring" if meter.group else None,
            value=-meter.wiring_loss_w,
            unit="W",
            kind="wiring",
        ),
    ]
    if meter.specification is not None and meter.specified:
        terms += _specification(trace, meter.specification, power_w)
    return [term for term in terms if term.u_result > 0]


def _specification(trace: CleanTrace, specification: Specification, power_w: float) -> list[Contribution]:
    """Compute limit/sqrt(3) of the maker's limits of error, and what the temperature's own uncertainty adds."""
    meter = trace.instrument
    conditions = worst_power_factor(specification, meter.conditions, power_w, meter.range_w)
    limits = specification.limit_parts(power_w, meter.range_w, conditions)
    parts = tuple((name, float(limit) / RECTANGULAR) for name, limit in limits.items())
    notes = (specification.source, *specification.assumed(meter.conditions))
    term = Contribution(
        f"Specification of {meter.name}",
        math.fsum(part for _, part in parts),
        "B",
        correlation_group=meter.group,
        note="; ".join(note for note in notes if note),
        value=power_w,
        unit="W",
        distribution="rectangular",
        parts=parts,
    )
    return [term, *_temperature(trace, specification, power_w)]


def worst_power_factor(
    specification: Specification, conditions: Conditions, power_w: float, range_w: float | None
) -> Conditions:
    """Fill in a power factor that was not recorded: 1 or 0.9, whichever has the larger limit of error.

    80 PLUS asks of power supplies at least 0.9 from half load on.
    """
    if conditions.power_factor is not None or not specification.pf0_pct:
        return conditions
    both = [replace(conditions, power_factor=factor) for factor in (1.0, ASSUMED_POWER_FACTOR)]
    return max(both, key=lambda c: float(specification.limit(power_w, range_w, conditions=c)))


def _temperature(trace: CleanTrace, specification: Specification, power_w: float) -> list[Contribution]:
    """Compute what an uncertain temperature at or beyond the edge of the maker's band adds: coefficient x u(T) x P."""
    meter, of = trace.instrument, specification.influences
    t_c, u_k = meter.conditions.temperature_c, meter.u_temperature_k
    if not of.temperature_pct_per_k or t_c is None or u_k == 0:
        return []
    celsius, low_c, high_c = float(np.mean(np.asarray(t_c))), of.temperature_low_c or 0.0, of.temperature_high_c or 0.0
    if low_c + 2 * u_k <= celsius <= high_c - 2 * u_k:
        return []
    return [
        Contribution(
            f"Temperature of {meter.name}",
            u_k,
            "B",
            sensitivity=of.temperature_pct_per_k / 100 * power_w,
            correlation_group=f"{meter.group}, temperature" if meter.group else None,
            value=celsius,
            unit="K",
            kind="temperature",
        )
    ]


def _gaps(trace: CleanTrace, energy: WindowEnergy, duration_s: float) -> Contribution:
    """Compute half the distance between the bounds that fill the gaps, as a rectangle."""
    u = (energy.high_j - energy.low_j) / (2 * RECTANGULAR)
    name = f"Gaps of {trace.instrument.name}"
    return Contribution(name, u, "B", sensitivity=1 / duration_s, unit="J", distribution="rectangular", kind="gaps")


def _register(trace: CleanTrace, energy: WindowEnergy, duration_s: float) -> Contribution:
    """Compute q/sqrt(6) of a register over the window."""
    name = f"Register of {trace.instrument.name}"
    return Contribution(name, energy.u_energy_j, "B", sensitivity=1 / duration_s, unit="J", kind="window and clock")


def _last_digit(trace: CleanTrace, scatter: TypeA | None) -> Contribution:
    """Compute q/sqrt(12), divided by sqrt(n_eff) only where noise of at least half a digit dithers it."""
    meter = trace.instrument
    name = f"Last digit of {meter.name}"
    if meter.resolution is None or meter.kind == "counter":
        return Contribution(name, 0.0, "B", unit="W", kind="resolution")
    u = resolution_uncertainty(meter.resolution)
    if scatter is not None and scatter.n_eff is not None and scatter.sd >= meter.resolution / 2:
        u /= math.sqrt(max(min(scatter.n_eff, scatter.n), 1.0))
        return Contribution(name, u, "B", unit="W", kind="resolution")
    return Contribution(name, u, "B", unit="W", distribution="rectangular", kind="resolution")


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
        value=meter.latency_s,
        unit="s",
        kind="window and clock",
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
        unit="s",
        kind="window and clock",
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
