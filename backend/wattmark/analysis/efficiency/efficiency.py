"""Throughput over the window, and its figures with power: work per joule, energy-delay products, cost of work.

Each includes the uncertainty of counting and cutting, and work per joule the joint scatter of throughput and power.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from wattmark_calibration import (
    Contribution,
    UncertainValue,
    counter_uncertainty,
    ratio_uncertainty,
    resolution_uncertainty,
    welch_satterthwaite,
)

from wattmark.analysis.efficiency.window import Marks, Window
from wattmark.analysis.energy.piecewise import PiecewisePower
from wattmark.analysis.energy.power import PowerAnalysis
from wattmark.analysis.energy.type_a import TypeA, type_a
from wattmark.analysis.refusal import Refused
from wattmark.core.numbers import format_number

Array = NDArray[np.float64]
RECTANGULAR = 3.0**0.5
FULLY_COVERED = 0.99
NO_COUNT = (
    "The work is not a whole count, so counting gives throughput no ±; the ± of work per joule is that of power alone."
)
FEWEST_SPANS = 3
FEWEST_PAIRS = 10
PERIODS_PER_SPAN = 2
RATE_SCATTER = "Scatter of throughput within the run"
JOINT_SCATTER = "Scatter of throughput and power within the run"
SECONDS_PER_YEAR = 365.2425 * 86_400
JOULE_PER_KWH = 3.6e6


@dataclass(frozen=True, slots=True)
class Work:
    """Work of the load in the window, and its figures with power. None: not known, as ``notes`` explain.

    ``rate_term`` [unit/s] and ``efficiency_term`` [unit/J] are the scatter of throughput and work per joule within the
    run, and so of what a longer window of the same process could have shown.
    """

    throughput: UncertainValue | None = None
    rate_term: Contribution | None = None
    efficiency: UncertainValue | None = None
    efficiency_term: Contribution | None = None
    energy_per_op: UncertainValue | None = None
    delay_products: tuple[UncertainValue, UncertainValue] | None = None
    """EDP [J s] and ED2P [J s^2] of one unit of work."""
    notes: tuple[str, ...] = ()
    withheld: Refused | None = None
    """Reason why the counts give no throughput."""


def analyse_work(
    marks: Marks,
    window: Window,
    power: PowerAnalysis | None,
    unit: str,
    *,
    stated_throughput: float | None,
    stated_operations: float | None,
) -> Work:
    """Evaluate throughput, work per joule, energy per operation and energy-delay products of one window.

    ``stated_throughput`` [unit/s] and ``stated_operations``, those in the window, serve where nothing was counted.
    """
    notes: list[str] = []
    counted = scatter = ratio = ratio_term = withheld = None
    try:
        counted = throughput(marks, window, stated_throughput, unit)
    except Refused as refusal:
        notes.append(f"Throughput is withheld: {refusal.text}")
        withheld = refusal
    if counted is not None:
        notes += counted.notes
        functions, period_s = ((), 0.0) if power is None else (power.functions, power.period_s)
        scatter = rate_scatter(marks, window, functions, period_s)
        notes += [] if scatter is not None else _few_spans(marks)
    if power is not None and counted is not None:
        ratio = efficiency(counted.rate, power.mean, unit)
        ratio_term = efficiency_term(counted.rate, power.mean, power.scatter_term, scatter)
    elif power is not None and stated_operations is not None:
        try:
            ratio = efficiency_of_operations(stated_operations, power.mean, window.duration_s, unit)
        except Refused as refusal:
            notes.append(f"Efficiency is withheld: {refusal.text}")
    ratio = None if ratio is None else resolved("Work per joule", ratio, notes)
    rate = None if counted is None else resolved("Throughput", counted.rate, notes)
    products = None
    if power is not None and rate is not None:
        edp, ed2p = (resolved("", delay_product(rate, power.mean, exponent), []) for exponent in (1, 2))
        products = edp, ed2p
    return Work(
        throughput=rate,
        rate_term=rate_term(scatter),
        efficiency=ratio,
        efficiency_term=ratio_term,
        energy_per_op=None if ratio is None else energy_per_operation(ratio, unit),
        delay_products=products,
        notes=tuple(notes),
        withheld=withheld,
    )


def resolved(title: str, value: UncertainValue, notes: list[str]) -> UncertainValue:
    """Mark a value as incomplete where its expanded uncertainty is as large as itself; the reason goes to ``notes``."""
    if not value.complete or value.expanded_u < abs(value.value):
        return value
    notes.append(
        f"{title}: the expanded uncertainty of {format_number(value.expanded_u, 3)} {value.unit} is as large as the "
        "value itself, so "
        "no ± is given: measure longer."
    )
    return replace(value, complete=False)


def _few_spans(marks: Marks) -> list[str]:
    """Report a workload that counted in too few spans to show the scatter of its throughput."""
    spans = len(marks.amount)
    if spans == 0:
        return []
    counted = "one span" if spans == 1 else f"{spans} spans"
    few = "" if spans < FEWEST_SPANS else ", too few whole ones in the window"
    return [f"Work was counted in {counted}{few}: the ± of throughput is that of counting, its scatter is not known."]


@dataclass(frozen=True, slots=True)
class Throughput:
    """Work per second [unit/s] and remarks about it."""

    rate: UncertainValue
    notes: tuple[str, ...] = ()


def throughput(marks: Marks, window: Window, stated: float | None, unit: str) -> Throughput | None:
    """Compute the work done in the window divided by its duration [unit/s].

    Intervals are cut by the same window as power; ``stated`` is the source's own figure, used only where it gives
    no intervals. None: the workload counted nothing. Raises `Refused` for amounts that are not a count of work.
    """
    if len(marks.amount):
        return _from_intervals(marks, window, unit)
    return None if stated is None else _from_statement(stated, unit)


def share_inside(marks: Marks, window: Window) -> Array:
    """Compute the share of each interval that lies in the window [1]."""
    length = (marks.interval_end_ns - marks.interval_begin_ns).astype(np.float64)
    if np.any(length <= 0):
        raise Refused("empty-interval", "A throughput interval has no duration; check the workload's markers.")
    overlap = np.minimum(marks.interval_end_ns, window.end_ns) - np.maximum(marks.interval_begin_ns, window.begin_ns)
    return np.asarray(np.clip(overlap / length, 0.0, 1.0), dtype=np.float64)


def _from_intervals(marks: Marks, window: Window, unit: str) -> Throughput:
    amount = marks.amount
    if not np.all(np.isfinite(amount)) or np.any(amount < 0):
        raise Refused("bad-amount", "An amount of work is negative or is not a number; check the workload's parser.")
    share = share_inside(marks, window)
    work, duration_s = float(amount @ share), window.duration_s
    if work == 0:
        raise Refused("no-work", "The workload reported no work inside the window.")
    contributions = []
    if np.all(amount == np.round(amount)):
        contributions.append(
            _count("Counting whole operations", counter_uncertainty(marks.count_step), duration_s, unit)
        )
    cut = float(np.sqrt(np.sum((amount * np.minimum(share, 1 - share)) ** 2))) / RECTANGULAR
    if cut > 0:
        contributions.append(_count("Intervals cut by the window", cut, duration_s, unit))
    value = UncertainValue(work / duration_s, f"{unit}/s", tuple(contributions))
    return Throughput(value, (*_coverage_note(marks, window), *([] if contributions else [NO_COUNT])))


def _count(name: str, u: float, duration_s: float, unit: str) -> Contribution:
    return Contribution(name, u, "B", sensitivity=1 / duration_s, unit=unit, kind="throughput")


def _coverage_note(marks: Marks, window: Window) -> tuple[str, ...]:
    """Report intervals that leave part of the window uncounted."""
    order = np.argsort(marks.interval_begin_ns, kind="stable")
    begin = np.clip(marks.interval_begin_ns[order], window.begin_ns, window.end_ns)
    reached = np.maximum.accumulate(np.clip(marks.interval_end_ns[order], window.begin_ns, window.end_ns))
    previous = np.concatenate(([window.begin_ns], reached[:-1]))
    covered_s = float(np.sum(np.maximum(reached - np.maximum(begin, previous), 0))) / 1e9
    if covered_s >= FULLY_COVERED * window.duration_s:
        return ()
    idle_s = window.duration_s - covered_s
    return (
        f"Throughput intervals do not cover {format_number(idle_s, 3)} s of the window; the energy of that time is "
        "still counted.",
    )


def _from_statement(stated: float, unit: str) -> Throughput:
    if not np.isfinite(stated) or stated <= 0:
        raise Refused("bad-amount", "The throughput that the source states is not above 0.")
    digit = Contribution(
        "Last digit of the stated throughput",
        resolution_uncertainty(last_digit(stated)),
        "B",
        value=stated,
        unit=f"{unit}/s",
        distribution="rectangular",
        kind="throughput",
    )
    note = (
        "Throughput is as stated by the source, which gives no intervals to check it; its ± covers only the last digit."
    )
    return Throughput(UncertainValue(stated, f"{unit}/s", (digit,)), (note,))


def last_digit(value: float) -> float:
    """Return one unit of the last printed digit: 0.1 for 93371.4, 1 for 100077 [unit of value]."""
    decimals = repr(float(value)).partition(".")[2]
    return 1.0 if decimals == "0" or not decimals.isdecimal() else 10.0 ** -len(decimals)


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
    """Compute throughput over power [unit/J], both of the same run and window.

    Nothing that limits the one limits the other, so that the quotient is never surer than either. Complete only when
    the power is.
    """
    value = rate.value / power.value
    terms = [scaled(c, value / rate.value) for c in rate.contributions]
    terms += [scaled(c, -value / power.value) for c in power.contributions]
    return UncertainValue(value, f"{unit}/J", tuple(terms), complete=power.complete)


def rate_term(scatter: RateScatter | None) -> Contribution | None:
    """Build the contribution of throughput's scatter within the run [unit/s]; None for too few spans."""
    if scatter is None or scatter.rate.u == 0:
        return None
    note = f"{scatter.rate.n} spans"
    return Contribution(RATE_SCATTER, scatter.rate.u, "A", scatter.rate.dof, note=note, kind="scatter")


def efficiency_term(
    rate: UncertainValue, power: UncertainValue, power_term: Contribution | None, scatter: RateScatter | None
) -> Contribution | None:
    """Combine the scatter of throughput and of power within the run, with their correlation [unit/J].

    (u/R)^2 = (u_X/X)^2 + (u_P/P)^2 - 2 r u_X u_P/(X P) (method 3); r from paired spans, 0 where there are too few of
    them. None where neither scatter is known.
    """
    if scatter is None or scatter.rate.u == 0:
        return None if power_term is None else scaled(power_term, rate.value / power.value**2)
    u_x, u_p = scatter.rate.u, 0.0 if power_term is None else power_term.u_result
    u = ratio_uncertainty(rate.value, u_x, power.value, u_p, scatter.r or 0.0)
    dofs = [scatter.rate.dof, math.inf if power_term is None else power_term.dof]
    dof = welch_satterthwaite([u_x / rate.value, u_p / power.value], dofs)
    r = "r not known" if scatter.r is None else f"r = {scatter.r:+.2f}"
    return Contribution(JOINT_SCATTER, u, "A", dof, note=f"{r}, {scatter.rate.n} spans", kind="scatter")


def efficiency_of_operations(operations: float, power: UncertainValue, duration_s: float, unit: str) -> UncertainValue:
    """Compute operations over the energy of the window [unit/J] (latency-type results)."""
    if not operations > 0:
        raise Refused("no-work", "The source states no number of operations for the window.")
    value = operations / (power.value * duration_s)
    terms = tuple(scaled(c, -value / power.value) for c in power.contributions)
    return UncertainValue(value, f"{unit}/J", terms, complete=power.complete)


def energy_per_operation(efficiency: UncertainValue, unit: str) -> UncertainValue:
    """Compute energy per operation from work per joule [J per operation]; relative uncertainties stay."""
    value = 1 / efficiency.value
    terms = tuple(scaled(c, -value / efficiency.value) for c in efficiency.contributions)
    return UncertainValue(value, f"J/{unit}", terms, complete=efficiency.complete)


@dataclass(frozen=True, slots=True)
class CostOfWork:
    """Cost of one operation, the share of the purchase in it, and work per joule for each unit of money spent."""

    per_operation: UncertainValue
    purchase_share_pct: float
    efficiency_per_price: UncertainValue | None
    """None: the price is 0."""


def delay_product(rate: UncertainValue, power: UncertainValue, exponent: int, work: float = 1.0) -> UncertainValue:
    """Compute E T^n = P T^(n+1) of ``work`` operations at throughput X, T = work/X [J s^n] (method 3).

    n = 1 is EDP, 2 is ED2P. T is the time that the whole server takes for this work, not the response time of one
    operation. (u/v)^2 = (u_P/P)^2 + ((n + 1) u_X/X)^2, throughput and power taken as not correlated.
    """
    value = power.value * (work / rate.value) ** (exponent + 1)
    by_rate, by_power = -(exponent + 1) * value / rate.value, value / power.value
    return _joined(value, f"J s{exponent}", (rate, by_rate), (power, by_power))


def cost_of_work(
    rate: UncertainValue,
    power: UncertainValue,
    *,
    price: float,
    life_years: float,
    tariff_per_kwh: float,
    pue: float,
) -> CostOfWork:
    """Compute (price/life + P PUE tariff)/X [currency per operation] (method 3), at this load for its whole life.

    The uncertainty is that of throughput and power; price, life, tariff and PUE are taken as stated.
    """
    purchase_per_s = price / (life_years * SECONDS_PER_YEAR)
    per_w_s = pue * tariff_per_kwh / JOULE_PER_KWH
    total_per_s = purchase_per_s + per_w_s * power.value
    value = total_per_s / rate.value
    return CostOfWork(
        per_operation=_joined(value, "currency", (rate, -value / rate.value), (power, per_w_s / rate.value)),
        purchase_share_pct=100 * purchase_per_s / total_per_s if total_per_s > 0 else 0.0,
        efficiency_per_price=_per_price(rate, power, price),
    )


def _per_price(rate: UncertainValue, power: UncertainValue, price: float) -> UncertainValue | None:
    if price <= 0:
        return None
    value = rate.value / power.value / price
    return _joined(value, "1/J/currency", (rate, value / rate.value), (power, -value / power.value))


def _joined(value: float, unit: str, *parts: tuple[UncertainValue, float]) -> UncertainValue:
    """Propagate the contributions of throughput and power with their sensitivities; complete only where both are."""
    terms = tuple(scaled(c, by) for of, by in parts for c in of.contributions)
    return UncertainValue(value, unit, terms, complete=all(of.complete for of, _ in parts))


def scaled(c: Contribution, factor: float) -> Contribution:
    """Scale a contribution by the sensitivity of a result to it."""
    return replace(c, sensitivity=c.sensitivity * factor)
