"""Work per joule from throughput and power of the same run and window."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from wattmark_calibration import Contribution, UncertainValue, ratio_uncertainty, welch_satterthwaite

from wattmark.analysis.piecewise import PiecewisePower
from wattmark.analysis.power import SCATTER
from wattmark.analysis.refusal import Refused
from wattmark.analysis.type_a import TypeA, type_a
from wattmark.analysis.window import Marks, Window

Array = NDArray[np.float64]
FEWEST_PAIRS = 10
PERIODS_PER_PAIR = 2
EFFICIENCY_SCATTER = "Scatter of throughput and power within the run"


@dataclass(frozen=True, slots=True)
class PairedScatter:
    """Throughput and power of the same short spans: scatter of throughput and correlation r with power."""

    rate: TypeA
    r: float
    pairs: int


def paired_scatter(
    marks: Marks, window: Window, power: Sequence[PiecewisePower], period_s: float
) -> PairedScatter | None:
    """Pair throughput and power over spans of at least two meter periods.

    None where the workload's whole intervals do not follow one another or give fewer than ten spans.
    """
    whole = (marks.interval_begin_ns >= window.begin_ns) & (marks.interval_end_ns <= window.end_ns)
    begin, end = ((t[whole] - window.begin_ns) / 1e9 for t in (marks.interval_begin_ns, marks.interval_end_ns))
    if len(begin) < FEWEST_PAIRS or np.any(begin[1:] < end[:-1]):
        return None
    size = max(1, math.ceil(PERIODS_PER_PAIR * period_s / float(np.median(end - begin))))
    count = len(begin) // size
    if count < FEWEST_PAIRS:
        return None
    amount = marks.amount[whole][: count * size].reshape(count, size).sum(axis=1)
    begin, end = begin[: count * size : size], end[size - 1 : count * size : size]
    energy_j = np.sum([p.energy_j(begin, end) for p in power], axis=0)
    return _pair(amount / (end - begin), energy_j / (end - begin))


def _pair(rate: Array, watts: Array) -> PairedScatter | None:
    try:
        scatter = type_a(rate)
    except Refused:
        return None
    if scatter.sd == 0 or float(watts.std()) == 0:
        return PairedScatter(scatter, 0.0, len(rate))
    return PairedScatter(scatter, float(np.corrcoef(rate, watts)[0, 1]), len(rate))


def efficiency(rate: UncertainValue, power: UncertainValue, paired: PairedScatter | None, unit: str) -> UncertainValue:
    """Divide throughput by power [unit/J], both of the same run and window.

    (u/R)^2 = (u_X/X)^2 + (u_P/P)^2 - 2 r u_X u_P/(X P); r from paired spans where there are any (method 3). Complete
    only when the power is.
    """
    value = rate.value / power.value
    terms = [_scaled(c, value / rate.value) for c in rate.contributions]
    for c in power.contributions:
        scatter = c.name == SCATTER and paired is not None
        terms.append(_joint_scatter(rate, power, c, paired) if scatter else _scaled(c, value / power.value))
    return UncertainValue(value, f"{unit}/J", tuple(terms), complete=power.complete)


def efficiency_of_operations(operations: float, power: UncertainValue, duration_s: float, unit: str) -> UncertainValue:
    """Divide a number of operations by the energy of the window [unit/J] (latency-type results)."""
    if not operations > 0:
        raise Refused("no-work", "The source states no operations in the window.")
    value = operations / (power.value * duration_s)
    terms = tuple(_scaled(c, value / power.value) for c in power.contributions)
    return UncertainValue(value, f"{unit}/J", terms, complete=power.complete)


def energy_per_operation(efficiency: UncertainValue, unit: str) -> UncertainValue:
    """Invert work per joule [J per operation]; relative uncertainties stay."""
    value = 1 / efficiency.value
    terms = tuple(_scaled(c, value / efficiency.value) for c in efficiency.contributions)
    return UncertainValue(value, f"J/{unit}", terms, complete=efficiency.complete)


def _scaled(c: Contribution, factor: float) -> Contribution:
    return replace(c, sensitivity=c.sensitivity * factor)


def _joint_scatter(
    rate: UncertainValue, power: UncertainValue, c: Contribution, paired: PairedScatter | None
) -> Contribution:
    """Combine the scatter of throughput and power with their correlation into one type A term [unit/J]."""
    if paired is None:
        return c
    u_x = paired.rate.u
    u = ratio_uncertainty(rate.value, u_x, power.value, c.u_result, paired.r)
    dof = welch_satterthwaite([u_x / rate.value, c.u_result / power.value], [paired.rate.dof, c.dof])
    return Contribution(EFFICIENCY_SCATTER, u, "A", dof, note=f"r = {paired.r:+.2f} over {paired.pairs} spans")
