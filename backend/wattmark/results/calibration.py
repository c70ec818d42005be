"""Which certificate answers for each meter of a run, and what each meter's power rests on in the end."""

from __future__ import annotations

import math
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Literal

from wattmark_calibration import MeterInUse, Refusal

from wattmark.analysis.calibrated import Calibration, LostCertificate
from wattmark.analysis.meter_power import MeterPower
from wattmark.analysis.power import PowerAnalysis
from wattmark.analysis.window import Window
from wattmark.certificates.shelf import Accepted, Lost, Shelf, range_in_use
from wattmark.results.power_factor import power_factor, window_mean
from wattmark.results.series import power_series, result_meters, specification
from wattmark.runs.record import MeterRecord, RunRecord
from wattmark.runs.result import MeterCalibration, RefusalRecord
from wattmark.storage.sample_store import SampleStore, Series

Basis = Literal["certificate", "specification", "none"]
WEAKEST_FIRST: tuple[Basis, ...] = ("none", "specification", "certificate")


def calibrations(
    run: RunRecord,
    series: Sequence[Series],
    store: SampleStore,
    window: Window,
    shelf: Shelf,
    as_found: str | None = None,
) -> dict[str, Calibration]:
    """Choose the certificate of every wall meter with a serial number at the end of the window, by name of the meter.

    ``as_found`` names a certificate whose as-found points are to judge its meter instead. A meter without any
    certificate is left out: its specification serves.
    """
    found = {}
    for meter in result_meters(run):
        if meter.role == "wall" and not meter.indicative and meter.serial:
            one = _calibration(run, meter, series, store, window, shelf, as_found)
            if one is not None:
                found[meter.name] = one
    return found


def _calibration(
    run: RunRecord,
    meter: MeterRecord,
    series: Sequence[Series],
    store: SampleStore,
    window: Window,
    shelf: Shelf,
    as_found: str | None,
) -> Calibration | None:
    serial = meter.serial or ""
    as_of = datetime.fromtimestamp(window.end_ns / 1e9, tz=UTC)
    names = ranges_used(meter, series, store, window)
    range_name = names[0] if len(names) == 1 else None
    entry = _judging(shelf, serial, as_found) or shelf.choose(serial, range_name, as_of, run.run_id)
    lost = shelf.lost_instead(serial, entry)
    if lost is not None:
        return _of_lost(meter, lost, range_name, as_of)
    if entry is None:
        return None
    judged = entry.certificate.id == as_found
    covered = range_in_use(entry.certificate, range_name, as_found=judged)
    return Calibration(
        certificate=entry.certificate,
        range_name=covered or range_name or "",
        as_of=as_of,
        meter=_in_use(meter, entry, series, store, window),
        known=shelf.known,
        override=shelf.override(entry.certificate.id, serial, run.run_id),
        state="as found" if judged else "in use",
        power_factor=power_factor(meter, series, store, window),
        previous=shelf.before(entry),
        refusal=_range_refusal(meter, entry, names, covered),
    )


def _in_use(
    meter: MeterRecord, entry: Accepted, series: Sequence[Series], store: SampleStore, window: Window
) -> MeterInUse:
    """Tell the meter and how it was used: frequency and voltage as it measured them itself, else as stated."""
    frequency_hz = window_mean(meter, "frequency", series, store, window)
    voltage_v = window_mean(meter, "voltage", series, store, window)
    return MeterInUse(
        meter.serial or "",
        meter.firmware,
        entry.sha256,
        meter.influences.pf0_pct,
        frequency_hz=frequency_hz if frequency_hz is not None else meter.conditions.frequency_hz,
        voltage_v=None if voltage_v is None else abs(voltage_v),
    )


def _of_lost(meter: MeterRecord, lost: Lost, range_name: str | None, as_of: datetime) -> Calibration:
    """Leave a meter without any figure of uncertainty: its certificate cannot be asked, and may have doubted it."""
    return Calibration(
        certificate=LostCertificate(lost.certificate_id, lost.version),
        range_name=range_name or "",
        as_of=as_of,
        meter=MeterInUse(meter.serial or "", meter.firmware, lost.sha256, meter.influences.pf0_pct),
        refusal=Refusal("unreadable", lost.text, final=True),
    )


def ranges_used(meter: MeterRecord, series: Sequence[Series], store: SampleStore, window: Window) -> list[str | None]:
    """List the ranges that a meter used inside the window; None stands for the only range of a meter without names."""
    used = {
        one.key.range or meter.range_name or None
        for one in power_series(meter, series)
        if len(store.read(one.id, window.begin_ns, window.end_ns))
    }
    return sorted(used, key=str)


def _judging(shelf: Shelf, serial: str, as_found: str | None) -> Accepted | None:
    """Give the certificate whose as-found points are asked for, where it is this meter's."""
    entry = shelf.get(as_found) if as_found else None
    return entry if entry is not None and entry.certificate.meter.serial == serial else None


def _range_refusal(
    meter: MeterRecord, entry: Accepted, names: Sequence[str | None], covered: str | None
) -> Refusal | None:
    """Say why no correction can be tried: the range changed, or is not known where it matters."""
    if len(names) > 1:
        listed = ", ".join(str(name) for name in names)
        return Refusal("range", f"{meter.name} changed its range inside the window ({listed}).", final=True)
    named = bool(names) and names[0] is not None
    several = covered is None or (meter.range_pct and meter.range_w is None)
    if named or not several:
        return None
    text = f"The range of {meter.name} is not recorded, so certificate {entry.name} cannot be applied."
    return Refusal("range", text, final=True)


def meter_calibrations(run: RunRecord, power: PowerAnalysis | None) -> tuple[MeterCalibration, ...]:
    """Say for each meter of a result what its power rests on; without power, what it could have rested on."""
    seen = {} if power is None else {m.trace.instrument.name: m for m in power.meters}
    return tuple(_record(meter, seen.get(meter.name)) for meter in result_meters(run))


def _record(meter: MeterRecord, seen: MeterPower | None) -> MeterCalibration:
    specified = specification(meter) is not None if seen is None else seen.trace.instrument.specified
    plain = MeterCalibration(
        meter=meter.name,
        serial=meter.serial,
        range_name=meter.range_name,
        basis="specification" if specified else "none",
        indicated_w=None if seen is None else seen.indicated_w,
    )
    answer = None if seen is None else seen.calibrated
    if answer is None:
        return plain
    used = answer.calibration
    named = plain.model_copy(
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
        return named.model_copy(update={"basis": "none"}) if answer.in_doubt else named
    by = corrected.override
    return named.model_copy(
        update={
            "basis": "certificate",
            "corrected_w": corrected.value.value,
            "u_calibration_w": math.sqrt(math.fsum(c.u_result**2 for c in answer.contributions)),
            "extrapolated": corrected.extrapolated,
            "overridden": _refusals(corrected.overridden),
            "override_by": by.by if by else None,
            "override_reason": by.reason if by else None,
        }
    )


def _refusals(refusals: Sequence[Refusal]) -> tuple[RefusalRecord, ...]:
    return tuple(RefusalRecord(code=one.code, text=one.text) for one in refusals)


def weakest(found: Sequence[MeterCalibration]) -> Basis:
    """Give the weakest basis of a result's meters; "none" without any."""
    return min((one.basis for one in found), key=WEAKEST_FIRST.index, default="none")


def traceable(run: RunRecord, found: Sequence[MeterCalibration]) -> bool:
    """Tell whether every meter rests on a certificate that nobody had to override, or on a known specification."""
    assumed = {meter.name for meter in result_meters(run) if meter.untraceable is not None}
    return bool(found) and all(
        not one.overridden if one.basis == "certificate" else one.basis == "specification" and one.meter not in assumed
        for one in found
    )
