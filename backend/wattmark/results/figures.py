"""The figures of a result from the analysis of its run: the main ones with their budgets, and the others."""

from __future__ import annotations

import math
from typing import Any

from wattmark_calibration import Contribution, UncertainValue

from wattmark.analysis.efficiency.dominant import dominant_contribution
from wattmark.analysis.efficiency.efficiency import cost_of_work
from wattmark.analysis.efficiency.run import RunAnalysis
from wattmark.analysis.energy.power import PowerAnalysis
from wattmark.core.quantity import Quantity, budget_lines, finite, plus_minus
from wattmark.results.result import (
    BudgetedQuantity,
    CostFigures,
    DelayProduct,
    FullLoadPower,
    IdleSubtracted,
    NominalFigure,
    Scatter,
)
from wattmark.runs.record import RunRecord


def figure(value: UncertainValue | None, scatter: Contribution | None) -> BudgetedQuantity | None:
    """Return a main figure with its budget and the scatter of its process; None where it is not known."""
    return None if value is None else _budgeted(value, scatter)


def _budgeted(value: UncertainValue, scatter: Contribution | None = None) -> BudgetedQuantity:
    return BudgetedQuantity(
        value=value.value,
        unit=value.unit,
        **plus_minus(value),
        budget=budget_lines(value),
        dominant=dominant_contribution(value) if value.complete else None,
        scatter=None if scatter is None else Scatter(u=scatter.u_result, dof=finite(scatter.dof), note=scatter.note),
    )


def full_load_power(power: PowerAnalysis | None) -> FullLoadPower | None:
    """Return the full-load power [W], or the reason why the window does not show it; None without power."""
    if power is None:
        return None
    if power.process is None:
        return FullLoadPower(reason=power.process_reason)
    return FullLoadPower(power=Quantity.of(power.process))


def idle_subtracted(analysis: RunAnalysis) -> IdleSubtracted | None:
    """Return idle-subtracted power [W] and work per joule; None where the run has no usable idle phase."""
    above = analysis.idle_subtracted
    if above is None:
        return None
    idle, net, ratio = above.idle, above.power, above.efficiency
    return IdleSubtracted(
        idle=_budgeted(idle.mean),
        before_w=idle.before_w,
        after_w=idle.after_w,
        power=Quantity.of(net),
        efficiency=None if ratio is None else Quantity.of(ratio),
    )


def delay_products(run: RunRecord, analysis: RunAnalysis) -> DelayProduct | None:
    """Return EDP [J s] and ED2P [J s2] of one unit of work; None without throughput or power."""
    if analysis.throughput is None or analysis.delay_products is None:
        return None
    edp, ed2p = analysis.delay_products
    return DelayProduct(
        work=1.0,
        unit=run.unit,
        time_s=1 / analysis.throughput.value,
        edp=Quantity.of(edp, "J s"),
        ed2p=Quantity.of(ed2p, "J s2"),
    )


def cost(run: RunRecord, analysis: RunAnalysis) -> CostFigures | None:
    """Compute the cost of an operation [currency]; None where the bench file states no price or no running costs."""
    declared = run.configuration_snapshot.get("declared") or {}
    price, costs = declared.get("price"), declared.get("costs")
    if not price or not costs or analysis.throughput is None or analysis.power is None:
        return None
    if price["currency"] != costs["currency"]:
        return None
    terms = {name: float(costs[name]) for name in ("life_years", "tariff_per_kwh", "pue")}
    work_cost = cost_of_work(analysis.throughput, analysis.power.mean, price=float(price["amount"]), **terms)
    per_price = work_cost.efficiency_per_price
    return CostFigures(
        currency=price["currency"],
        price=float(price["amount"]),
        **terms,
        per_operation=Quantity.of(work_cost.per_operation, price["currency"]),
        purchase_share_pct=work_cost.purchase_share_pct,
        efficiency_per_price=None if per_price is None else Quantity.of(per_price, f"{run.unit}/J/{price['currency']}"),
    )


def nominal(run: RunRecord, analysis: RunAnalysis) -> NominalFigure | None:
    """Compute throughput over the processors' design power [work/J]; None where the bench file states none."""
    cpu: dict[str, Any] = (run.configuration_snapshot.get("declared") or {}).get("cpu") or {}
    tdp_w, sockets = cpu.get("tdp_w"), int(cpu.get("sockets") or 1)
    if not tdp_w or analysis.throughput is None:
        return None
    total_w = float(tdp_w) * sockets
    value = analysis.throughput.value / total_w
    return NominalFigure(
        tdp_w=total_w,
        efficiency=Quantity(value=value, unit=f"{run.unit}/J"),
        text=(
            f"Nominal: {value:.4g} {run.unit}/J over a design power of {sockets} x {tdp_w:g} W. It was not measured, "
            "excludes everything but the processors, and ranks nothing."
        ),
    )


def response_times_s(run: RunRecord) -> dict[str, float]:
    """Merge the reported response times of each statistic [s].

    The mean of means, the smallest minimum; of percentiles and maxima the largest, because a percentile of the whole
    window does not follow from those of its parts, and is no larger than the largest of them.
    """
    values_s: dict[str, list[float]] = {}
    for report in run.response_times:
        values_s.setdefault(report.statistic, []).append(report.value_s)
    return {statistic: _merged(statistic, values) for statistic, values in values_s.items()}


def _merged(statistic: str, values: list[float]) -> float:
    if statistic == "min":
        return min(values)
    return math.fsum(values) / len(values) if statistic == "mean" else max(values)
