"""From a run's record and its samples to its result."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime

import numpy as np

from wattmark.analysis.refusal import Refused
from wattmark.analysis.rule_name import RuleName
from wattmark.analysis.run import RunAnalysis, RunInput, analyse_run
from wattmark.analysis.trace import Trace
from wattmark.analysis.window import RULES, Marks, Window, choose_window
from wattmark.certificates.shelf import Shelf
from wattmark.reconciliations.record import ReconciliationRecord
from wattmark.results.beside import beside_the_load
from wattmark.results.calibration import calibrations, meter_calibrations, traceable, weakest
from wattmark.results.conditions import with_conditions
from wattmark.results.configuration import configuration_title, dimm_count, memory_gib
from wattmark.results.evidence import with_evidence
from wattmark.results.identity import meter_identity
from wattmark.results.latency import find_latencies, latency_notes, with_latencies
from wattmark.results.limit_alarms import limit_alarms
from wattmark.results.limited import limited
from wattmark.results.population import memory_population, supply_efficiency
from wattmark.results.reconciled import Told, with_reconciliation
from wattmark.results.response_times import response_times_s
from wattmark.results.rule_sets import rule_set_verdicts
from wattmark.results.second_figures import above_idle, cost, delay_products, nominal
from wattmark.results.series import read_trace, result_meters, utilisation
from wattmark.results.server_clock import clock_notes, server_clock
from wattmark.results.shown import (
    budget,
    coverage,
    dof,
    expanded,
    full_load_power,
    halving,
    scatter,
    standard,
    verdict,
)
from wattmark.results.slots import slot_notes
from wattmark.results.together import start_verdicts, started_together
from wattmark.results.undisturbed import undisturbed
from wattmark.runs.origin import machine
from wattmark.runs.record import MeterRecord, RunRecord, RunStatus
from wattmark.runs.result import Result, SuggestedWindow
from wattmark.runs.structure import ASKED_S, BOOT, INSTALLATION
from wattmark.storage.sample_store import SampleStore, Series

MARGIN_S = 30.0
MARGIN_PERIODS = 10


EMPTY = Shelf()


def evaluate(
    run: RunRecord,
    samples: SampleStore,
    rule: RuleName = "complete",
    shelf: Shelf = EMPTY,
    as_found: str | None = None,
    reconciliation: ReconciliationRecord | None = None,
) -> Result:
    """Give a run's throughput, power and efficiency with their uncertainty over its window.

    Wall meters of the server add up; witnesses and BMCs are only noted. A wall meter that has a certificate in force
    on ``shelf`` is corrected by it, else its specification serves; never both. ``as_found`` names a certificate whose
    as-found points judge its meter; ``reconciliation`` is in force for the BMC of a run without a wall meter. A figure
    that cannot be given is None and ``notes`` say why. Recomputes from raw
    samples each time; changes nothing.
    """
    latencies = find_latencies(run, samples)
    run = with_latencies(run, latencies)
    given = run_input(run, samples, rule, shelf, as_found)
    given, told = with_reconciliation(given, reconciliation, _window(given.marks, rule))
    analysis = analyse_run(given)
    idle = above_idle(run, samples, given, analysis)
    meters = result_meters(run)
    power, window = analysis.power, analysis.window
    resting = meter_calibrations(run, power)
    if told is not None:
        resting = tuple(one.model_copy(update={"basis": "none"}) for one in resting)
    mean = None if power is None else power.mean
    held_back = limited(run, samples.list_series(run.run_id), samples, window)
    result = Result(
        run_id=run.run_id,
        campaign_id=run.campaign_id,
        server=machine(run),
        configuration=run.configuration,
        configuration_title=configuration_title(run),
        dimm_count=dimm_count(run),
        memory_gib=memory_gib(run),
        memory=memory_population(run),
        supply_efficiency=supply_efficiency(run, None if mean is None else mean.value),
        workload=run.workload,
        level=run.level,
        repeat=run.repeat,
        status=run.status,
        reason=run.reason,
        created=iso(run.created_ns),
        throughput=None if analysis.throughput is None else analysis.throughput.value,
        throughput_u=standard(analysis.throughput),
        throughput_U95=expanded(analysis.throughput),
        throughput_unit=f"{run.unit}/s",
        power_w=None if mean is None else mean.value,
        power_u_w=standard(mean),
        power_U95_w=expanded(mean),
        power_dof=dof(mean),
        power_k95=coverage(mean),
        energy_j=None if power is None else power.energy_j,
        full_load_power=full_load_power(power),
        uncovered_pct=0.0 if power is None else 100 * max(m.trace.uncovered_share for m in power.meters),
        throughput_scatter=scatter(analysis.rate_term),
        power_scatter=None if power is None else scatter(power.scatter_term),
        efficiency_scatter=scatter(analysis.efficiency_term),
        efficiency=None if analysis.efficiency is None else analysis.efficiency.value,
        efficiency_u=standard(analysis.efficiency),
        efficiency_U95=expanded(analysis.efficiency),
        efficiency_dof=dof(analysis.efficiency),
        efficiency_k95=coverage(analysis.efficiency),
        efficiency_unit=f"{run.unit}/J",
        energy_per_op_j=None if analysis.energy_per_op is None else analysis.energy_per_op.value,
        energy_per_op_u_j=standard(analysis.energy_per_op),
        energy_per_op_U95_j=expanded(analysis.energy_per_op),
        above_idle=idle.figure,
        delay_product=delay_products(run, analysis),
        cost=cost(run, analysis),
        nominal=nominal(run, analysis),
        window_begin=None if window is None else iso(window.begin_ns),
        window_end=None if window is None else iso(window.end_ns),
        window_s=None if window is None else window.duration_s,
        window_rule=rule,
        suggested_window=_suggested(analysis),
        samples=0 if power is None else power.samples,
        samples_excluded=0 if power is None else power.excluded,
        n_eff=None if power is None or power.scatter is None else power.scatter.n_eff,
        steady=None if power is None else power.steady,
        full_load=analysis.full_load,
        cpu_utilisation_pct=analysis.utilisation_pct,
        limited_by=held_back.resource if held_back else None,
        response_times_s=response_times_s(run),
        **started_together(run),
        meter_identities=tuple(meter_identity(run, m) for m in meters),
        installation=run.disclosure.get(INSTALLATION),
        boot=(run.disclosure.get("host") or {}).get(BOOT),
        meter=", ".join(f"{m.name} ({m.title})" for m in meters) or "none",
        simulated=any(m.simulated for m in meters),
        traceable=traceable(run, resting),
        basis=weakest(resting),
        calibrations=resting,
        latencies=latencies,
        source=run.source,
        power_budget=budget(mean),
        efficiency_budget=budget(analysis.efficiency),
        throughput_budget=budget(analysis.throughput),
        idle_budget=budget(idle.mean),
        power_halving=halving(mean),
        efficiency_halving=halving(analysis.efficiency),
        verdicts=(
            *(verdict(v) for v in (*analysis.verdicts, *idle.verdicts)),
            *((verdict(held_back.verdict),) if held_back else ()),
            *undisturbed(run, analysis.utilisation_pct),
            *limit_alarms(run, window),
            *start_verdicts(run),
        ),
        standards=rule_set_verdicts(run, given.power, analysis),
        notes=(*notes(run, analysis, told), *idle.notes, *slot_notes(run), *latency_notes(latencies)),
    )
    return with_evidence(result, run)


def _suggested(analysis: RunAnalysis) -> SuggestedWindow | None:
    """Name the steady part of an unsteady window."""
    part = None if analysis.power is None else analysis.power.steady_part
    if part is None or analysis.window is None:
        return None
    begin_ns, end_ns = (analysis.window.begin_ns + round(t_s * 1e9) for t_s in (part.begin_s, part.end_s))
    return SuggestedWindow(
        begin=iso(begin_ns),
        end=iso(end_ns),
        window_s=part.end_s - part.begin_s,
        power_w=part.mean_w,
        text=part.text,
    )


def run_input(
    run: RunRecord, samples: SampleStore, rule: RuleName, shelf: Shelf = EMPTY, as_found: str | None = None
) -> RunInput:
    """Gather what the analysis needs: marks, traces around the window, utilisation, certificates."""
    marks = run_marks(run)
    begin_ns, end_ns = _span(run, marks)
    window = _window(marks, rule)
    series = samples.list_series(run.run_id)
    chosen = result_meters(run)
    others = [m for m in run.meters if m not in chosen and not m.partial]
    utilisation_t_ns, utilisation_pct = utilisation(series, samples, begin_ns, end_ns)
    return RunInput(
        marks=marks,
        unit=run.unit,
        power=tuple(
            _in_use(read_trace(run, m, series, samples, begin_ns, end_ns), m, series, samples, window) for m in chosen
        ),
        witnesses=tuple(read_trace(run, m, series, samples, begin_ns, end_ns) for m in others),
        stated_throughput=run.stated_throughput,
        stated_operations=run.stated_energy_operations,
        utilisation_t_ns=utilisation_t_ns,
        utilisation_pct=utilisation_pct,
        full_load_limit_pct=run.full_load_limit_pct,
        asked_s=run.disclosure.get(ASKED_S),
        rule=rule,
        calibrations=calibrations(run, series, samples, window, shelf, as_found) if window and shelf.revision else {},
    )


def _window(marks: Marks, rule: RuleName) -> Window | None:
    """Choose the window; None where there is none, and nothing then to correct or to judge conditions over."""
    try:
        return choose_window(RULES[rule], marks)
    except Refused:
        return None


def _in_use(
    trace: Trace, meter: MeterRecord, series: Sequence[Series], store: SampleStore, window: Window | None
) -> Trace:
    """Tell how the meter was used; without a window there is nothing to average its conditions over."""
    return trace if window is None else with_conditions(trace, meter, series, store, window)


def run_marks(run: RunRecord) -> Marks:
    """Take the workload's own marks and intervals."""
    return Marks(
        begin_ns=run.window_begin_ns,
        end_ns=run.window_end_ns,
        interval_begin_ns=np.array([i.begin_ns for i in run.throughput], dtype=np.int64),
        interval_end_ns=np.array([i.end_ns for i in run.throughput], dtype=np.int64),
        amount=np.array([i.amount for i in run.throughput], dtype=np.float64),
        u_s=0.0 if (clock := server_clock(run)) is None else clock.u_marks_s,
        count_step=run.count_step,
    )


def _span(run: RunRecord, marks: Marks) -> tuple[int | None, int | None]:
    """Take the marked work and some time around it [UTC ns]; None, None (everything) where nothing is marked."""
    begins = [t for t in (marks.begin_ns, *marks.interval_begin_ns[:1].tolist()) if t is not None]
    ends = [t for t in (marks.end_ns, *marks.interval_end_ns[-1:].tolist()) if t is not None]
    if not begins or not ends:
        return None, None
    margin_s = max([MARGIN_S, *(MARGIN_PERIODS * m.period_s + abs(m.latency_s) for m in run.meters)])
    margin_ns = round(margin_s * 1e9)
    return min(begins) - margin_ns, max(ends) + margin_ns


def notes(run: RunRecord, analysis: RunAnalysis, told: Told | None = None) -> tuple[str, ...]:
    """Collect every reason and warning about a result, most important first."""
    out = list(analysis.notes)
    if run.status not in (RunStatus.COMPLETE, RunStatus.RUNNING):
        out.insert(0, f"The run ended as {run.status.value}: {run.reason or 'no reason was recorded.'}")
    if any(m.simulated for m in result_meters(run)):
        out.append("Simulated: the watts come from a model of a server, not from a measurement.")
    if result_meters(run) and not any(m.role == "wall" for m in run.meters):
        if told is None or not told.used:
            out.append("Indicative: the watts come from the server's own BMC; there is no wall meter.")
        out += [told.text] if told is not None else []
    out += [v.text for v in undisturbed(run, analysis.utilisation_pct) if v.outcome == "fail"]
    out += [v.text for v in limit_alarms(run, analysis.window) if v.outcome == "fail"]
    out += beside_the_load(run)
    out += clock_notes(run)
    out += [str(note) for note in run.disclosure.get("notes", ())]
    return tuple(dict.fromkeys(out))


def iso(t_ns: int) -> str:
    """Write an instant as ISO 8601 in UTC with microseconds."""
    return datetime.fromtimestamp(t_ns // 1000 / 1e6, tz=UTC).isoformat(timespec="microseconds")
