"""Calibrate a cheap meter by a good one: from runs of a stepped load to an in-house certificate."""

from __future__ import annotations

import hashlib
import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, date, datetime

from wattmark_calibration import Certificate, CertificateError, Refusal, Refused
from wattmark_calibration.certificate.json_file import write_json
from wattmark_calibration.certificate.record import MeterIdentity, ReferenceStandard
from wattmark_calibration.in_house import Comparison, InHouse, in_house_certificate, in_house_refusals

from wattmark.analysis.cross_check.cross_check import Stretch, cross_check
from wattmark.analysis.efficiency.run import RunAnalysis, analyse_run
from wattmark.analysis.efficiency.window import Window
from wattmark.core.errors import InputError
from wattmark.core.inputs import Input, Text
from wattmark.core.numbers import format_number
from wattmark.core.schema import Schema
from wattmark.results.loaded import LoadedRun, load_run
from wattmark.results.series import measures_one_phase, power_factor, read, series_of_use, window_means
from wattmark.runs.record import MeterRecord, RunRecord
from wattmark.store.sample_store import SampleStore
from wattmark.traceability.certificates.curve import range_out
from wattmark.traceability.certificates.refusal import RefusalRecord
from wattmark.traceability.certificates.register import CertificateRegister
from wattmark.traceability.certificates.views import RangeOut

RANGE = "power"
"""Name of the calibrated range of a meter that has no ranges."""
MOST_RUNS = 100
_NOT_OF_AN_IDENTIFIER = re.compile(r"[^A-Za-z0-9._+-]+")
_LONGEST = 64
_DIGITS = 8


class InHouseOrder(Input):
    """Which meter is to be calibrated by which, and from which runs of a stepped load."""

    meter: Text
    """The secondary meter to calibrate, by its name in the runs."""
    reference: Text
    """The wall meter of the runs."""
    campaign_id: Text | None = None
    run_ids: tuple[Text, ...] = ()
    """These runs, where no campaign is named."""
    due_on: date
    """Last day of use; not later than that of the reference's own certificate."""
    laboratory: Text
    """Who calibrates: the name of the lab."""
    by: Text
    """Who signs."""
    note: Text = "Compared in house"


class InHouseOut(Schema):
    """What an in-house calibration gives: the certificate as it would be added, or why there is none."""

    certificate_id: str | None
    traceable: bool
    reference: str
    reference_certificate: str | None
    method: str
    calibrated_on: str
    due_on: str
    steps: int
    """Stretches that both meters recorded."""
    simulated: bool
    refusals: list[RefusalRecord]
    range: RangeOut | None
    """Points, fit and error curve; None where the certificate is refused."""
    document: str | None
    """The certificate as a file."""


@dataclass(frozen=True, slots=True)
class _Compared:
    """Evidence of the runs: comparisons, both meters, and the certificate of the reference, if one applies."""

    comparisons: tuple[Comparison, ...]
    meter: MeterRecord
    reference: MeterRecord
    certificate: Certificate | None
    measured_on: date


def calibrate_in_house(
    runs: Sequence[RunRecord], samples: SampleStore, register: CertificateRegister, order: InHouseOrder
) -> InHouseOut:
    """Compare two meters over the windows and idle phases of runs. Raises `InputError` where the order cannot be met.

    What speaks against the comparison itself is listed in ``refusals``.
    """
    compared = _compared(runs, samples, register, order)
    refusals = [*_pair_refusals(compared), *in_house_refusals(compared.comparisons)]
    stated = _stated(compared, order)
    certificate = None
    if not refusals:
        try:
            certificate = in_house_certificate(compared.comparisons, stated)
        except Refused as refused:
            refusals = list(refused.refusals)
        except CertificateError as error:
            raise InputError(str(error), "Change the order and repeat it.") from None
    return InHouseOut(
        certificate_id=None if certificate is None else certificate.id,
        traceable=bool(stated.reference.traceable_to),
        reference=stated.reference.name,
        reference_certificate=stated.reference.certificate,
        method=stated.method,
        calibrated_on=stated.calibrated_on.isoformat(),
        due_on=stated.due_on.isoformat(),
        steps=len(compared.comparisons),
        simulated=compared.meter.simulated,
        refusals=[RefusalRecord(code=refusal.code, text=refusal.text) for refusal in refusals],
        range=None if certificate is None else range_out(certificate, certificate.as_found[0], left=False),
        document=None if certificate is None else write_json(certificate),
    )


def _compared(
    runs: Sequence[RunRecord], samples: SampleStore, register: CertificateRegister, order: InHouseOrder
) -> _Compared:
    if not runs:
        raise InputError("There are no runs to compare.", "Name a campaign of a stepped load, or its runs.")
    if len(runs) > MOST_RUNS:
        raise InputError(f"{len(runs)} runs are named; at most {MOST_RUNS} are compared.", "Name fewer runs.")
    pairs = [(run, _meter(run, order.reference), _meter(run, order.meter)) for run in runs]
    _, reference, meter = pairs[-1]
    if any((r.serial, r.model, m.serial, m.model) != (reference.serial, reference.model, meter.serial, meter.model)
           for _, r, m in pairs):  # fmt: skip
        raise InputError("The runs name different meters of these names.", "Name runs of one pair of meters.")
    if not meter.serial:
        raise InputError(
            f"{meter.name} has no serial number, and a certificate is found by it.",
            "Write its serial number into the bench file (serial) and repeat the runs.",
        )
    comparisons: list[Comparison] = []
    certificates: list[Certificate | None] = []
    for run, of_run, _ in pairs:
        if [m.name for m in run.meters if m.role == "wall"] != [of_run.name]:
            raise InputError(
                f"{of_run.name} is not the only wall meter of run {run.run_id}.",
                "The reference is the wall meter; the meter to calibrate has the role secondary.",
            )
        loaded = load_run(run, samples, register=register)
        analysis = analyse_run(loaded.input)
        comparisons += _comparisons(loaded, analysis, of_run, order.meter, samples)
        certificates.append(_certificate(analysis))
    served = certificates[-1] if all(c == certificates[-1] for c in certificates) else None
    last_ns = max(run.created_ns for run in runs)
    return _Compared(tuple(comparisons), meter, reference, served, datetime.fromtimestamp(last_ns / 1e9, tz=UTC).date())


def _meter(run: RunRecord, name: str) -> MeterRecord:
    meter = next((m for m in run.meters if m.name == name), None)
    if meter is None:
        names = ", ".join(m.name for m in run.meters) or "none"
        raise InputError(f"Run {run.run_id} has no meter {name[:80]!r}.", f"Its meters: {names}.")
    if meter.partial or meter.role == "bmc":
        raise InputError(
            f"{meter.name} does not measure the whole server at its inlets.", "A BMC gets a cross-calibration instead."
        )
    return meter


def _comparisons(
    loaded: LoadedRun, analysis: RunAnalysis, reference: MeterRecord, meter: str, samples: SampleStore
) -> Iterator[Comparison]:
    """Yield the window and each idle phase of a run in which both meters have a mean power."""
    recorded, run_input = loaded.cross_check, loaded.input
    if recorded is None or analysis.power is None or analysis.window is None:
        return
    position = next((k for k, source in enumerate(recorded.window) if source.name == meter), None)
    if position is None:
        return
    windows = [analysis.window, *(phase.window for phase in run_input.idle)]
    traces = [run_input.power, *(phase.power for phase in run_input.idle)]
    means = [analysis.power.mean, *analysis.idle_power]
    # levels are told apart by their names, so each stretch has one of its own
    stretches = [
        Stretch(str(k), window, reference_traces, mean)
        for k, (window, reference_traces, mean) in enumerate(zip(windows, traces, means, strict=True))
    ]
    source = recorded.window[position]
    beside = replace(source, traces=(*source.traces, *(phase[position] for phase in recorded.idle)))
    (checked,) = cross_check(stretches, analysis.power.mean, (beside,))
    for level in checked.levels:
        if not level.difference.complete:
            continue
        window = windows[int(level.stretch)]
        mean = level.reference
        known = mean is not None and mean.complete and bool(mean.contributions)
        yield Comparison(
            at_s=(window.begin_ns + window.end_ns) / 2e9,
            reference_w=level.reference_w,
            u_reference_w=mean.u if known and mean is not None else None,
            indication_w=level.source_w,
            u_comparison_w=level.difference.u,
            dof=level.difference.dof,
            **_conditions(loaded.run, reference, window, samples),
        )


def _conditions(run: RunRecord, reference: MeterRecord, window: Window, samples: SampleStore) -> dict[str, float]:
    """Return the conditions as the reference measured or the operator stated them; unknown ones are omitted."""
    series = samples.list_series(run.run_id)
    of_use = read(series_of_use(reference, series, certified=True), samples, window.begin_ns, window.end_ns)
    means = window_means(reference, of_use, window)
    values = {
        "power_factor": power_factor(means, one_phase=measures_one_phase(reference, series)),
        "frequency_hz": means.get("frequency", reference.conditions.frequency_hz),
        "voltage_v": abs(means["voltage"]) if "voltage" in means else None,
        "temperature_c": reference.conditions.temperature_c,
    }
    return {name: value for name, value in values.items() if value is not None}


def _certificate(analysis: RunAnalysis) -> Certificate | None:
    """Return the certificate that corrected the reference in a run; None where its specification served."""
    if analysis.power is None:
        return None
    answers = [m.calibrated for m in analysis.power.meters if m.calibrated is not None]
    served = [a.calibration.certificate for a in answers if a.corrected is not None]
    return served[0] if served and isinstance(served[0], Certificate) else None


def _pair_refusals(compared: _Compared) -> list[Refusal]:
    if compared.meter.simulated is not compared.reference.simulated:
        text = "One of the two meters is simulated and the other is not; a comparison of them says nothing."
        return [Refusal("simulated", text, final=True)]
    if compared.reference.indicative:
        text = f"{compared.reference.name} is indicative and cannot be a reference."
        return [Refusal("reference", text, final=True)]
    return []


def _identifier(text: str) -> str:
    """Return a text as an identifier; if it loses characters it ends with its digest, so that no two share one."""
    plain = _NOT_OF_AN_IDENTIFIER.sub("-", text)
    if plain == text and len(text) <= _LONGEST:
        return plain
    return f"{plain[: _LONGEST - _DIGITS - 1]}-{hashlib.sha256(text.encode()).hexdigest()[:_DIGITS]}"


def _stated(compared: _Compared, order: InHouseOrder) -> InHouse:
    """Collect what the certificate states: reference, its certificate, conditions, days."""
    meter, reference, certificate = compared.meter, compared.reference, compared.certificate
    traceable = certificate is not None and certificate.traceable
    source = None if certificate is None else certificate.laboratory
    laboratory = "" if source is None else source.name + (f", {source.accreditation}" if source.accreditation else "")
    standard = ReferenceStandard(
        name=f"{reference.title} ({reference.name})",
        serial=reference.serial,
        certificate="maker's specification" if certificate is None else f"{certificate.number} ({certificate.name})",
        traceable_to=laboratory if traceable else None,
    )
    mark = "SIMULATED: " if meter.simulated else ""
    due_on = order.due_on if certificate is None else min(order.due_on, certificate.due_on)
    identity = f"IH-{meter.serial}-{compared.measured_on:%Y%m%d}"
    return InHouse(
        id=_identifier(f"SIM-{identity}" if meter.simulated else identity),
        meter=MeterIdentity(
            manufacturer=meter.title.split()[0], model=meter.model, serial=meter.serial or "", firmware=meter.firmware
        ),
        range_name=meter.range_name or RANGE,
        laboratory=f"In house: {order.laboratory}",
        reference=standard,
        method=f"{mark}In-house comparison with {reference.title} over load steps. {_conditions_text(compared)}",
        calibrated_on=compared.measured_on,
        due_on=due_on,
        approved_by=order.by,
        note=order.note,
    )


def _conditions_text(compared: _Compared) -> str:
    """Describe the conditions of the comparison in one sentence."""
    texts = [f"{len(compared.comparisons)} stretches"]
    for name, unit, digits in (("voltage_v", " V", 4), ("frequency_hz", " Hz", 4), ("power_factor", "", 3)):
        values = [v for c in compared.comparisons if (v := getattr(c, name)) is not None]
        if values:
            low, high = f"{min(values):.{digits}g}", f"{max(values):.{digits}g}"
            title = "power factor " if name == "power_factor" else ""
            texts.append(f"{title}{low}{unit}" if low == high else f"{title}{low} to {high}{unit}")
    temperature_c = compared.reference.conditions.temperature_c
    texts.append("temperature not stated" if temperature_c is None else f"{temperature_c:g} °C")
    powers = [c.reference_w for c in compared.comparisons if math.isfinite(c.reference_w)]
    if powers:
        texts.append(f"{format_number(min(powers), 4)} to {format_number(max(powers), 4)} W")
    return f"Conditions: {', '.join(texts)}."
