"""The configuration that a result measures, and the calibration of each meter."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Sequence
from typing import Literal

from wattmark_calibration import Certificate, Refusal

from wattmark.analysis.energy.meter_power import MeterPower
from wattmark.analysis.energy.power import PowerAnalysis
from wattmark.analysis.energy.psu import marginal_efficiency
from wattmark.analysis.refusal import Refused
from wattmark.results.result import MemoryPopulation, MeterCalibration, Result
from wattmark.runs.configuration import DeclaredConfiguration
from wattmark.runs.limits_of_error import specification
from wattmark.runs.record import MeterRecord, RunRecord
from wattmark.traceability.certificates.refusal import RefusalRecord

Basis = Literal["certificate", "specification", "none"]
WEAKEST_FIRST: tuple[Basis, ...] = ("none", "specification", "certificate")


def meter_calibrations(meters: Sequence[MeterRecord], power: PowerAnalysis | None) -> tuple[MeterCalibration, ...]:
    """Return the basis of the power of each meter; without power, the available one."""
    power_by_meter = {} if power is None else {m.trace.instrument.name: m for m in power.meters}
    return tuple(_record(meter, power_by_meter.get(meter.name)) for meter in meters)


def _record(meter: MeterRecord, measured: MeterPower | None) -> MeterCalibration:
    specified = specification(meter) is not None if measured is None else measured.trace.instrument.specified
    plain = MeterCalibration(
        meter=meter.name,
        serial=meter.serial,
        range_name=meter.range_name,
        basis="specification" if specified else "none",
        indicated_w=None if measured is None else measured.indicated_w,
    )
    answer = None if measured is None else measured.calibrated
    if answer is None:
        return plain
    used = answer.calibration
    with_certificate = plain.model_copy(
        update={
            "range_name": used.range_name or None,
            "certificate_id": used.certificate.id,
            "certificate_version": used.certificate.version,
            "certificate_sha256": used.meter.certificate_sha256,
            "as_found": used.state == "as found",
            "power_factor": used.power_factor,
            "refusals": _refusals(answer.refusals),
        }
    )
    corrected = answer.corrected
    if corrected is None:
        return with_certificate.model_copy(update={"basis": "none"}) if answer.in_doubt else with_certificate
    override = corrected.override
    return with_certificate.model_copy(
        update={
            "basis": "certificate",
            "in_house": isinstance(used.certificate, Certificate) and bool(used.certificate.in_house),
            "chained": isinstance(used.certificate, Certificate) and used.certificate.traceable,
            "corrected_w": corrected.value.value,
            "u_calibration_w": math.sqrt(math.fsum(c.u_result**2 for c in answer.contributions)),
            "extrapolated": corrected.extrapolated,
            "overridden": _refusals(corrected.overridden),
            "override_by": override.by if override else None,
            "override_reason": override.reason if override else None,
        }
    )


def _refusals(refusals: Sequence[Refusal]) -> tuple[RefusalRecord, ...]:
    return tuple(RefusalRecord(code=refusal.code, text=refusal.text) for refusal in refusals)


def weakest(calibrations: Sequence[MeterCalibration]) -> Basis:
    """Return the weakest basis of a result's meters; "none" without any."""
    return min((calibration.basis for calibration in calibrations), key=WEAKEST_FIRST.index, default="none")


def traceable(meters: Sequence[MeterRecord], calibrations: Sequence[MeterCalibration]) -> bool:
    """Return whether every meter has a certificate with a chain and no override, or a known specification."""
    assumed = {meter.name for meter in meters if meter.not_traceable is not None}
    return bool(calibrations) and all(
        not calibration.overridden and calibration.chained
        if calibration.basis == "certificate"
        else calibration.basis == "specification" and calibration.meter not in assumed
        for calibration in calibrations
    )


def configuration_title(run: RunRecord) -> str:
    """Return the configuration's title; its id where the record has none."""
    return run.configuration_snapshot.title or run.configuration


def dimm_count(run: RunRecord) -> int | None:
    """Return the number of memory modules; None where the record lacks it."""
    return run.configuration_snapshot.dimm_count


def memory_gib(run: RunRecord) -> float | None:
    """Return the memory capacity [GiB]; None where the record lacks it."""
    return run.configuration_snapshot.memory_gib


def memory_population(run: RunRecord) -> MemoryPopulation | None:
    """Return modules and capacity [GiB] of each memory channel; None where the record lacks slots or channels."""
    configuration = run.configuration_snapshot
    slots, fitted, declared = configuration.modules, configuration.fitted, configuration.declared.memory
    if not slots or not all(slot.channel for slot in slots):
        return None
    channels = {str(slot.channel) for slot in slots}
    capacity: dict[str, float] = defaultdict(float)
    for slot in fitted:
        capacity[str(slot.channel)] += slot.capacity_gib or 0.0
    return MemoryPopulation(
        type=" + ".join(sorted({str(slot.type) for slot in fitted})),
        modules=dict(sorted(Counter(str(slot.channel) for slot in fitted).items())),
        capacity_gib=dict(sorted(capacity.items())),
        channels=max((declared and declared.channels) or 0, len(channels)),
    )


def balance_warnings(results: Sequence[Result]) -> list[str]:
    """List warnings about configurations whose memory channels are filled unequally or stay empty."""
    warnings = []
    partly: dict[int, list[str]] = {}
    """What uses not all channels, by how many there are."""
    for title, memory in {(r.configuration_title or r.configuration): r.memory for r in results if r.memory}.items():
        shown = ", ".join(f"{channel} {count}" for channel, count in memory.modules.items())
        if not memory.balanced:
            warnings.append(
                f"“{title}” does not fill its memory channels equally ({shown}), which may reduce throughput."
            )
        elif memory.modules and len(memory.modules) < memory.channels:
            partly.setdefault(memory.channels, []).append(f"{len(memory.modules)} in “{title}”")
    return [
        *warnings,
        *(f"Not all of the {count} memory channels are in use: {', '.join(uses)}." for count, uses in partly.items()),
    ]


def supply_efficiency(declared: DeclaredConfiguration, power_w: float | None) -> float | None:
    """Compute the marginal efficiency of the supplies [W behind them per W at the wall]; None without their curves."""
    supplies = declared.powered
    curves = [supply.efficiency_pct for supply in supplies]
    if power_w is None or not supplies or not all(curves) or any(curve != curves[0] for curve in curves):
        return None
    rated_w = supplies[0].rated_w
    if not rated_w or any(supply.rated_w != rated_w for supply in supplies):
        return None
    curve = {float(load): pct for load, pct in curves[0].items()}
    try:
        return marginal_efficiency(curve, rated_w * len(supplies), power_w)
    except Refused:
        return None
