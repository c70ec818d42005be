"""Figures beside the first ones of a result: above idle, energy-delay products, money, nominal design power."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from wattmark_calibration import Conditions, UncertainValue

from wattmark.analysis.above_idle import efficiency_above_idle, idle_power, power_above_idle
from wattmark.analysis.power import analyse_power
from wattmark.analysis.products import cost_of_work, delay_product
from wattmark.analysis.refusal import Refused
from wattmark.analysis.run import RunAnalysis, RunInput, resolved
from wattmark.analysis.trace import Trace
from wattmark.analysis.verdict import Verdict
from wattmark.analysis.window import COMPLETE, Window
from wattmark.results.series import read_trace, result_meters
from wattmark.results.shown import expanded, standard
from wattmark.runs.record import Phase, PhaseName, RunRecord
from wattmark.runs.second_figures import AboveIdle, CostFigures, DelayProduct, NominalFigure
from wattmark.storage.sample_store import SampleStore

MARGIN_NS = 30 * 10**9


@dataclass(frozen=True, slots=True)
class FoundIdle:
    """The figure above idle; None with a note where there is none, and nothing at all for a run without idle phases."""

    figure: AboveIdle | None = None
    verdicts: tuple[Verdict, ...] = ()
    notes: tuple[str, ...] = ()
    mean: UncertainValue | None = None
    """Idle power [W] with its contributions; None with the figure."""


def above_idle(run: RunRecord, store: SampleStore, given: RunInput, analysis: RunAnalysis) -> FoundIdle:
    """Subtract the idle power of a run's own idle phases from its power under load."""
    phases = [p for p in run.phases if p.name is PhaseName.IDLE and p.end_ns is not None]
    if not phases or analysis.power is None or analysis.window is None:
        return FoundIdle()
    try:
        before, after = (
            _idle(run, store, given, [p for p in phases if (p.begin_ns < analysis.window.begin_ns) is early])
            for early in (True, False)
        )
        idle = idle_power(before, after, analysis.power.mean.value, given.limits)
        net = power_above_idle(analysis.power.mean, idle)
    except Refused as refusal:
        return FoundIdle(notes=(f"Nothing is told above idle: {refusal.text}",))
    ratio: UncertainValue | None = None
    notes: list[str] = []
    if analysis.throughput is not None:
        ratio = resolved("Work per joule above idle", efficiency_above_idle(analysis.throughput, net, run.unit), notes)
    figure = AboveIdle(
        idle_power_w=idle.mean.value,
        idle_power_u_w=standard(idle.mean),
        idle_power_U95_w=expanded(idle.mean),
        before_w=idle.before_w,
        after_w=idle.after_w,
        power_w=net.value,
        power_u_w=standard(net),
        power_U95_w=expanded(net),
        efficiency=None if ratio is None else ratio.value,
        efficiency_u=standard(ratio),
        efficiency_U95=expanded(ratio),
        unit=f"{run.unit}/J",
    )
    return FoundIdle(figure, (idle.verdict,), tuple(notes), idle.mean)


def _idle(run: RunRecord, store: SampleStore, given: RunInput, phases: Sequence[Phase]) -> list[UncertainValue]:
    """Average the power of each idle phase as that of a window is averaged, by the same meters and certificates."""
    series, meters = store.list_series(run.run_id), result_meters(run)
    conditions = {trace.instrument.name: trace.instrument.conditions for trace in given.power}
    found = []
    for phase in phases:
        window = Window(phase.begin_ns, phase.end_ns or phase.begin_ns, COMPLETE)
        span = window.begin_ns - MARGIN_NS, window.end_ns + MARGIN_NS
        traces = [_resting(read_trace(run, m, series, store, *span), conditions) for m in meters]
        found.append(analyse_power(traces, window, given.limits, given.calibrations).mean)
    return found


def _resting(trace: Trace, conditions: Mapping[str, Conditions]) -> Trace:
    """Describe a meter as it was used, at the operating point of the idle server."""
    meter = trace.instrument
    known, point = conditions.get(meter.name, meter.conditions), f"{meter.operating_point}, idle"
    return replace(trace, instrument=replace(meter, conditions=known, operating_point=point))


def delay_products(run: RunRecord, analysis: RunAnalysis) -> DelayProduct | None:
    """Compute EDP and ED2P of one unit of the workload's work; None without throughput or power."""
    if analysis.throughput is None or analysis.power is None:
        return None
    rate, mean = analysis.throughput, analysis.power.mean
    edp, ed2p = (resolved("", delay_product(rate, mean, exponent), []) for exponent in (1, 2))
    return DelayProduct(
        work=1.0,
        unit=run.unit,
        time_s=1 / analysis.throughput.value,
        edp_js=edp.value,
        edp_u_js=standard(edp),
        edp_U95_js=expanded(edp),
        ed2p_js2=ed2p.value,
        ed2p_u_js2=standard(ed2p),
        ed2p_U95_js2=expanded(ed2p),
    )


def cost(run: RunRecord, analysis: RunAnalysis) -> CostFigures | None:
    """Compute what an operation costs; None where the bench file stated no price or no costs of running."""
    declared = run.configuration_snapshot.get("declared") or {}
    price, costs = declared.get("price"), declared.get("costs")
    if not price or not costs or analysis.throughput is None or analysis.power is None:
        return None
    if price["currency"] != costs["currency"]:
        return None
    terms = {name: float(costs[name]) for name in ("life_years", "tariff_per_kwh", "pue")}
    found = cost_of_work(analysis.throughput, analysis.power.mean, price=float(price["amount"]), **terms)
    per_price = found.efficiency_per_price
    return CostFigures(
        currency=price["currency"],
        price=float(price["amount"]),
        **terms,
        per_operation=found.per_operation.value,
        per_operation_u=standard(found.per_operation),
        per_operation_U95=expanded(found.per_operation),
        purchase_share_pct=found.purchase_share_pct,
        efficiency_per_price=None if per_price is None else per_price.value,
        efficiency_per_price_u=standard(per_price),
        efficiency_per_price_U95=expanded(per_price),
        efficiency_per_price_unit=f"{run.unit}/J/{price['currency']}",
    )


def nominal(run: RunRecord, analysis: RunAnalysis) -> NominalFigure | None:
    """Divide throughput by the processors' design power; None where the bench file states none."""
    cpu: dict[str, Any] = (run.configuration_snapshot.get("declared") or {}).get("cpu") or {}
    tdp_w, sockets = cpu.get("tdp_w"), int(cpu.get("sockets") or 1)
    if not tdp_w or analysis.throughput is None:
        return None
    total_w = float(tdp_w) * sockets
    value = analysis.throughput.value / total_w
    return NominalFigure(
        tdp_w=total_w,
        efficiency=value,
        unit=f"{run.unit}/J",
        text=(
            f"Nominal: {value:.4g} {run.unit}/J over a design power of {sockets} x {tdp_w:g} W. It was not measured, "
            "leaves out everything but the processors, and ranks nothing."
        ),
    )
