"""From a run's record and its samples to its result: load, analyse, assemble."""

from __future__ import annotations

from datetime import UTC, datetime

from wattmark.analysis.efficiency.rule_name import RuleName
from wattmark.analysis.efficiency.run import RunAnalysis, analyse_run
from wattmark.core.quantity import Quantity
from wattmark.results.evidence import with_evidence
from wattmark.results.figures import (
    cost,
    delay_products,
    figure,
    full_load_power,
    idle_subtracted,
    nominal,
    response_times_s,
)
from wattmark.results.loaded import EMPTY, LoadedRun, load_run
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
from wattmark.results.result import Result, SuggestedWindow
from wattmark.results.rule_sets import rule_set_verdicts
from wattmark.results.verdicts import limit_alarms, start_verdicts, started_together, undisturbed
from wattmark.runs.origin import machine
from wattmark.runs.record import RunRecord
from wattmark.store.sample_store import SampleStore
from wattmark.traceability.certificates.register import CertificateRegister
from wattmark.traceability.cross_calibration.record import CrossCalibrationRecord


def evaluate(
    run: RunRecord,
    samples: SampleStore,
    rule: RuleName = "complete",
    register: CertificateRegister = EMPTY,
    as_found: str | None = None,
    cross_calibration: CrossCalibrationRecord | None = None,
) -> Result:
    """Evaluate a run: throughput, power and efficiency with their uncertainty over its window.

    Wall meters of the server add up; secondary meters and BMCs are only noted. A wall meter that has a certificate in
    force in ``register`` is corrected by it, else its specification serves; never both. ``as_found`` names a
    certificate whose as-found points judge its meter; ``cross_calibration`` is in force for the BMC of a run without a
    wall meter. A figure that cannot be given is None and ``notes`` say why. Recomputes from raw samples each time;
    changes nothing.
    """
    loaded = load_run(run, samples, rule, register, as_found, cross_calibration)
    return assemble(loaded, analyse_run(loaded.input))


def assemble(loaded: LoadedRun, analysis: RunAnalysis) -> Result:
    """Build a result from figures, verdicts, notes and what they rest on. Reads no store."""
    run, power, window = loaded.run, analysis.power, analysis.window
    meters = loaded.meters
    mean = None if power is None else power.mean
    calibrations = meter_calibrations(meters, power)
    if loaded.cross_calibration is not None:
        calibrations = tuple(calibration.model_copy(update={"basis": "none"}) for calibration in calibrations)
    judged = (*undisturbed(run, analysis.utilisation_pct), *limit_alarms(run, window))
    began, began_with = start_verdicts(run), started_together(run)
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
        unit=run.unit,
        throughput=figure(analysis.throughput, analysis.rate_term),
        power=figure(mean, None if power is None else power.scatter_term),
        energy_j=None if power is None else power.energy_j,
        full_load_power=full_load_power(power),
        uncovered_pct=0.0 if power is None else 100 * max(m.trace.uncovered_share for m in power.meters),
        efficiency=figure(analysis.efficiency, analysis.efficiency_term),
        energy_per_op=None if analysis.energy_per_op is None else Quantity.of(analysis.energy_per_op),
        idle_subtracted=idle_subtracted(analysis),
        delay_product=delay_products(run, analysis),
        cost=cost(run, analysis),
        nominal=nominal(run, analysis),
        window_begin=None if window is None else iso(window.begin_ns),
        window_end=None if window is None else iso(window.end_ns),
        window_s=None if window is None else window.duration_s,
        window_rule=loaded.input.rule,
        suggested_window=_suggested(analysis),
        samples=0 if power is None else power.samples,
        samples_excluded=0 if power is None else power.excluded,
        n_eff=None if power is None or power.scatter is None else power.scatter.n_eff,
        steady=None if power is None else power.steady,
        full_load=analysis.full_load,
        cpu_utilisation_pct=analysis.utilisation_pct,
        limited_by=None if analysis.limited_by is None else analysis.limited_by.resource,
        response_times_s=response_times_s(run),
        **began_with,
        meter_identities=tuple(meter_identity(run, m) for m in meters),
        installation=run.disclosure.installation,
        boot=run.disclosure.host.boot_id,
        meter=", ".join(f"{m.name} ({m.title})" for m in meters) or "none",
        simulated=any(m.simulated for m in meters),
        traceable=traceable(meters, calibrations),
        basis=weakest(calibrations),
        calibrations=calibrations,
        latencies=loaded.latencies,
        source=run.source,
        verdicts=(*analysis.verdicts, *judged, *began),
        standards=rule_set_verdicts(loaded, analysis),
        notes=notes(loaded, analysis, judged),
    )
    return with_evidence(result, run)


def _suggested(analysis: RunAnalysis) -> SuggestedWindow | None:
    """Return the steady part of an unsteady window."""
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


def iso(t_ns: int) -> str:
    """Format an instant [ns since 1970 UTC] as ISO 8601 in UTC with microseconds."""
    return datetime.fromtimestamp(t_ns // 1000 / 1e6, tz=UTC).isoformat(timespec="microseconds")
