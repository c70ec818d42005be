"""Work per joule from throughput and power of the same run and window."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from wattmark_calibration import Contribution, UncertainValue, ratio_uncertainty, welch_satterthwaite

from wattmark.analysis.piecewise import PiecewisePower
from wattmark.analysis.refusal import Refused
from wattmark.analysis.type_a import TypeA, type_a
from wattmark.analysis.window import Marks, Window

FEWEST_SPANS = 3
FEWEST_PAIRS = 10
PERIODS_PER_SPAN = 2
RATE_SCATTER = "Scatter of throughput within the run"
JOINT_SCATTER = "Scatter of throughput and power within the run"


@dataclass(frozen=True, slots=True)
class RateScatter:
    """Scatter of throughput over spans of the window, and its correlation r with power; None: too few spans for r."""

    rate: TypeA
    r: float | None


def rate_scatter(marks: Marks, window: Window, power: Sequence[PiecewisePower], period_s: float) -> RateScatter | None:
    """Evaluate the scatter of throughput over the workload's whole intervals, joined to two meter periods each.

    None where the intervals do not follow one another or give fewer than three spans; r needs ten.
    """
    whole = (marks.interval_begin_ns >= window.begin_ns) & (marks.interval_end_ns <= window.end_ns)
    begin, end = ((t[whole] - window.begin_ns) / 1e9 for t in (marks.interval_begin_ns, marks.interval_end_ns))
    if len(begin) < FEWEST_SPANS or np.any(begin[1:] < end[:-1]):
        return None
    size = max(1, math.ceil(PERIODS_PER_SPAN * period_s / float(np.median(end - begin))))
    count = len(begin) // size
    if count < FEWEST_SPANS:
        return None
    amount = marks.amount[whole][: count * size].reshape(count, size).sum(axis=1)
    begin, end = begin[: count * size : size], end[size - 1 : count * size : size]
    rate = amount / (end - begin)
    if not power or count < FEWEST_PAIRS:
        return RateScatter(type_a(rate), None)
    watts = np.sum([p.energy_j(begin, end) for p in power], axis=0) / (end - begin)
    constant = float(rate.std()) == 0 or float(watts.std()) == 0
    return RateScatter(type_a(rate), 0.0 if constant else float(np.corrcoef(rate, watts)[0, 1]))


def efficiency(rate: UncertainValue, power: UncertainValue, unit: str) -> UncertainValue:
    """Divide throughput by power [unit/J], both of the same run and window: work by energy.

    Nothing that limits the one limits the other, so that the quotient is never surer than either. Complete only when
    the power is.
    """
    value = rate.value / power.value
    terms = [_scaled(c, value / rate.value) for c in rate.contributions]
    terms += [_scaled(c, -value / power.value) for c in power.contributions]
    return UncertainValue(value, f"{unit}/J", tuple(terms), complete=power.complete)


def rate_term(scatter: RateScatter | None) -> Contribution | None:
    """Write the scatter of throughput within the run as a contribution [unit/s]; None where too few spans tell it."""
    if scatter is None or scatter.rate.u == 0:
        return None
    note = f"{scatter.rate.n} spans"
    return Contribution(RATE_SCATTER, scatter.rate.u, "A", scatter.rate.dof, note=note, kind="scatter")


def efficiency_term(
    rate: UncertainValue, power: UncertainValue, power_term: Contribution | None, scatter: RateScatter | None
) -> Contribution | None:
    """Combine the scatter of throughput and of power within the run, with their correlation [unit/J].

    (u/R)^2 = (u_X/X)^2 + (u_P/P)^2 - 2 r u_X u_P/(X P) (method 3); r from paired spans, 0 where there are too few of
    them. None where nothing tells either scatter.
    """
    if scatter is None or scatter.rate.u == 0:
        return None if power_term is None else _scaled(power_term, rate.value / power.value**2)
    u_x, u_p = scatter.rate.u, 0.0 if power_term is None else power_term.u_result
    u = ratio_uncertainty(rate.value, u_x, power.value, u_p, scatter.r or 0.0)
    dofs = [scatter.rate.dof, math.inf if power_term is None else power_term.dof]
    dof = welch_satterthwaite([u_x / rate.value, u_p / power.value], dofs)
    r = "r not known" if scatter.r is None else f"r = {scatter.r:+.2f}"
    return Contribution(JOINT_SCATTER, u, "A", dof, note=f"{r}, {scatter.rate.n} spans", kind="scatter")


def efficiency_of_operations(operations: float, power: UncertainValue, duration_s: float, unit: str) -> UncertainValue:
    """Divide a number of operations by the energy of the window [unit/J] (latency-type results)."""
    if not operations > 0:
        raise Refused("no-work", "The source states no operations in the window.")
    value = operations / (power.value * duration_s)
    terms = tuple(_scaled(c, -value / power.value) for c in power.contributions)
    return UncertainValue(value, f"{unit}/J", terms, complete=power.complete)


def energy_per_operation(efficiency: UncertainValue, unit: str) -> UncertainValue:
    """Invert work per joule [J per operation]; relative uncertainties stay."""
    value = 1 / efficiency.value
    terms = tuple(_scaled(c, -value / efficiency.value) for c in efficiency.contributions)
    return UncertainValue(value, f"J/{unit}", terms, complete=efficiency.complete)


def _scaled(c: Contribution, factor: float) -> Contribution:
    return replace(c, sensitivity=c.sensitivity * factor)
