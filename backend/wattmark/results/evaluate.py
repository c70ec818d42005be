"""From a run's record and its samples to its result: load, analyse, and give each figure its ± and its budget."""

from __future__ import annotations

import math

from wattmark_calibration import Contribution, UncertainValue

from wattmark.analysis.efficiency.dominant import dominant_contribution
from wattmark.analysis.efficiency.efficiency import Work, cost_of_work
from wattmark.analysis.efficiency.rule_name import RuleName
from wattmark.analysis.efficiency.run import RunAnalysis, analyse_run
from wattmark.analysis.energy.power import PowerAnalysis
from wattmark.core.instants import iso
from wattmark.core.numbers import format_number
from wattmark.core.quantity import Quantity, budget_lines, finite, plus_minus
from wattmark.results.cross_check import cross_check_of
from wattmark.results.evidence import with_evidence
from wattmark.results.inventory.inventory import memory_inventory
from wattmark.results.loaded import EMPTY, LoadedRun, load_run
from wattmark.results.metered_supplies import metered_supplies
from wattmark.results.meters import meter_identity
from wattmark.results.notes import notes
from wattmark.results.provenance import (
    configuration_title,
    dimm_count,
    memory_gib,
    memory_population,
    meter_calibrations,
    supply_efficiency,
    traceable,
    weakest,
)
from wattmark.results.result import (
    CLAIMS,
    BudgetedQuantity,
    Claim,
    CostFigures,
    DelayProduct,
    FullLoadPower,
    IdleSubtracted,
    LimitReached,
    NominalFigure,
    Result,
    Scatter,
    SuggestedWindow,
    Withheld,
)
from wattmark.results.roles import role_energies
from wattmark.results.rule_sets import rule_set_verdicts
from wattmark.results.verdicts import run_verdicts, started_together
from wattmark.results.withheld import WATTS, withheld
from wattmark.runs.configuration import DeclaredConfiguration
from wattmark.runs.origin import machine
from wattmark.runs.record import RunRecord
from wattmark.store.sample_store import SampleReader
from wattmark.traceability.certificates.register import CertificateRegister
from wattmark.traceability.cross_calibration.record import CrossCalibrationRecord


def evaluate(
    run: RunRecord,
    samples: SampleReader,
    rule: RuleName = "complete",
    register: CertificateRegister = EMPTY,
    as_found: str | None = None,
    cross_calibration: CrossCalibrationRecord | None = None,
) -> Result:
    """Evaluate a run: throughput, power and efficiency with their uncertainty over its window.

    Wall meters of the server add up; secondary meters and BMCs are only noted. A wall meter that has a certificate in
    force in ``register`` is corrected by it, else its specification serves; never both. ``as_found`` names a
    certificate whose as-found points judge its meter; ``cross_calibration`` is in force for the BMC of a run without a
    wall meter. A figure that cannot be given is None, with the reason in ``notes``. Recomputes from raw samples each
    time; changes nothing.
    """
    loaded = load_run(run, samples, rule, register, as_found, cross_calibration)
    return assemble(loaded, analyse_run(loaded.input))


def assemble(loaded: LoadedRun, analysis: RunAnalysis) -> Result:
    """Build a result from figures, verdicts, notes and their basis. Reads no store."""
    run, power, work, window = loaded.run, analysis.power, analysis.work, analysis.window
    meters = loaded.meters
    mean = None if power is None else power.mean
    declared = run.configuration_snapshot.declared
    began_with = started_together(run)
    beside = cross_check_of(run, loaded.cross_check, loaded.input, analysis)
    simulated = any(m.simulated for m in meters)
    inventory = memory_inventory(run, simulated=simulated)
    energies, role_notes = role_energies(loaded, analysis) if any(m.host_role for m in meters) else ((), ())
    verdicts = run_verdicts(loaded, analysis, beside, inventory)
    calibrations = meter_calibrations(meters, power)
    if loaded.cross_calibration is not None:
        calibrations = tuple(calibration.model_copy(update={"basis": "none"}) for calibration in calibrations)
    result = Result(
        run_id=run.run_id,
        campaign_id=run.campaign_id,
        configuration=run.configuration,
        configuration_title=configuration_title(run),
        dimm_count=dimm_count(run),
        memory_gib=memory_gib(run),
        memory=memory_population(run),
        inventory=inventory,
        supply_efficiency=supply_efficiency(declared, None if mean is None else mean.value),
        calibrations=calibrations,
        traceable=traceable(meters, calibrations),
        basis=weakest(calibrations),
        meter=", ".join(f"{m.name} ({m.title})" for m in meters) or "none",
        meter_identities=tuple(meter_identity(run, m) for m in meters),
        simulated=simulated,
        latencies=loaded.latencies,
        server=machine(run),
        workload=run.workload,
        level=run.level,
        repeat=run.repeat,
        status=run.status,
        reason=run.reason,
        created=iso(run.created_ns, "microseconds"),
        program_version=run.disclosure.program_version or "",
        source=run.source,
        installation=run.disclosure.installation,
        boot=run.disclosure.host.boot_id,
        unit=run.unit,
        throughput=figure(work.throughput, work.rate_term),
        stated_throughput=run.stated_throughput,
        power=figure(mean, None if power is None else power.scatter_term),
        energy_j=None if power is None else power.energy_j,
        full_load_power=full_load_power(power),
        uncovered_pct=0.0 if power is None else 100 * max(m.trace.uncovered_share for m in power.meters),
        efficiency=figure(work.efficiency, work.efficiency_term),
        energy_per_op=None if work.energy_per_op is None else Quantity.of(work.energy_per_op),
        role_energies=energies,
        idle_subtracted=idle_subtracted(analysis),
        delay_product=delay_products(run.unit, work),
        cost=cost(declared, run.unit, work.throughput, mean),
        nominal=nominal(declared, run.unit, work.throughput),
        response_times_s=response_times_s(run),
        window_begin=None if window is None else iso(window.begin_ns, "microseconds"),
        window_end=None if window is None else iso(window.end_ns, "microseconds"),
        window_s=None if window is None else window.duration_s,
        window_rule=loaded.input.rule,
        suggested_window=_suggested(analysis),
        samples=analysis.readings if power is None else power.samples,
        samples_excluded=0 if power is None else power.excluded,
        n_eff=None if power is None or power.scatter is None else power.scatter.n_eff,
        steady=None if power is None else power.steady,
        full_load=analysis.full_load,
        cpu_utilisation_pct=analysis.utilisation_pct,
        limited_by=None if analysis.limited_by is None else analysis.limited_by.resource,
        limits_reached=limits_reached(analysis),
        **began_with,
        cross_check=beside,
        verdicts=verdicts,
        standards=rule_set_verdicts(loaded, analysis),
        withheld=withheld_figures(analysis),
        notes=(*notes(loaded, analysis, verdicts[len(analysis.verdicts) :], inventory), *role_notes),
    )
    metered = metered_supplies(run)
    if metered.incomplete:
        text = f"No power of the server is given. {metered.verdict.text}"
        result = withheld(result, WATTS, text, metered.incomplete)
    return with_evidence(result, run)


def withheld_figures(analysis: RunAnalysis) -> tuple[Withheld, ...]:
    """Describe the withheld figures, with reasons; figures that were not requested are not among them."""
    claims: dict[str, tuple[Claim, ...]] = {
        "window": CLAIMS, "power": ("power", "efficiency"), "throughput": ("throughput", "efficiency"),
    }  # fmt: skip
    return tuple(
        Withheld(claims=claims[name], cause=refusal.cause, text=refusal.text)
        for name, refusal in analysis.withheld.items()
    )


def figure(value: UncertainValue | None, scatter: Contribution | None) -> BudgetedQuantity | None:
    """Return a main figure with its budget and the scatter of its process; None where it is not known."""
    return None if value is None else _budgeted(value, scatter)


def _budgeted(value: UncertainValue, scatter: Contribution | None = None) -> BudgetedQuantity:
    return BudgetedQuantity(
        dominant=dominant_contribution(value) if value.complete else None,
        value=value.value,
        unit=value.unit,
        **plus_minus(value),
        budget=budget_lines(value),
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


def delay_products(unit: str, work: Work) -> DelayProduct | None:
    """Return EDP [J s] and ED2P [J s2] of one unit of work; None without throughput or power."""
    if work.throughput is None or work.delay_products is None:
        return None
    edp, ed2p = work.delay_products
    return DelayProduct(
        work=1.0,
        unit=unit,
        time_s=1 / work.throughput.value,
        edp=Quantity.of(edp, "J s"),
        ed2p=Quantity.of(ed2p, "J s2"),
    )


def limits_reached(analysis: RunAnalysis) -> tuple[LimitReached, ...]:
    """Return for each processor and GPU the share of the window at each limit [%]."""
    return tuple(
        LimitReached(device=s.device, kind=s.kind, cause=s.cause, share_pct=s.share_pct, basis=s.basis)
        for s in analysis.limit_shares
    )


def cost(
    declared: DeclaredConfiguration, unit: str, rate: UncertainValue | None, power: UncertainValue | None
) -> CostFigures | None:
    """Compute the cost of an operation [currency]; None where the bench file states no price or no running costs."""
    price, costs = declared.price, declared.costs
    if price is None or costs is None or rate is None or power is None:
        return None
    if price.currency != costs.currency:
        return None
    terms = {"life_years": costs.life_years, "tariff_per_kwh": costs.tariff_per_kwh, "pue": costs.pue}
    work_cost = cost_of_work(rate, power, price=price.amount, **terms)
    per_price = work_cost.efficiency_per_price
    return CostFigures(
        currency=price.currency,
        price=price.amount,
        **terms,
        per_operation=Quantity.of(work_cost.per_operation, price.currency),
        purchase_share_pct=work_cost.purchase_share_pct,
        efficiency_per_price=None if per_price is None else Quantity.of(per_price, f"{unit}/J/{price.currency}"),
    )


def nominal(declared: DeclaredConfiguration, unit: str, rate: UncertainValue | None) -> NominalFigure | None:
    """Compute throughput over the processors' design power [work/J]; None where the bench file states none."""
    tdp_w, sockets = declared.cpu.tdp_w, declared.cpu.sockets or 1
    if not tdp_w or rate is None:
        return None
    total_w = tdp_w * sockets
    value = rate.value / total_w
    return NominalFigure(
        tdp_w=total_w,
        efficiency=Quantity(value=value, unit=f"{unit}/J"),
        text=(
            f"Nominal: {format_number(value, 4)} {unit}/J over a design power of {sockets} x {tdp_w:g} W. It was not "
            "measured, "
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


def _suggested(analysis: RunAnalysis) -> SuggestedWindow | None:
    """Return the steady part of an unsteady window."""
    part = None if analysis.power is None else analysis.power.steady_part
    if part is None or analysis.window is None:
        return None
    begin_ns, end_ns = (analysis.window.begin_ns + round(t_s * 1e9) for t_s in (part.begin_s, part.end_s))
    return SuggestedWindow(
        begin=iso(begin_ns, "microseconds"),
        end=iso(end_ns, "microseconds"),
        window_s=part.end_s - part.begin_s,
        power_w=part.mean_w,
        text=part.text,
    )
