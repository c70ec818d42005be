"""The certificate that serves a meter at an instant, as the analysis takes it: for a result, or for a reading now."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime

from wattmark_calibration import MeterInUse, Refusal

from wattmark.analysis.energy.calibrated import Calibration, LostCertificate
from wattmark.runs.record import MeterRecord
from wattmark.traceability.certificates.register import Accepted, CertificateRegister, Lost, range_in_use


def calibration_of(
    register: CertificateRegister,
    meter: MeterRecord,
    names: Sequence[str | None],
    means: Mapping[str, float],
    factor: float | None,
    as_of: datetime,
    *,
    run_id: str | None = None,
    as_found: str | None = None,
) -> Calibration | None:
    """Choose a meter's certificate at an instant; None: it has none, and its specification is used.

    ``names`` are the ranges that it used, ``means`` what it measured itself [unit of each quantity], and ``factor`` its
    power factor. ``as_found`` names a certificate whose as-found points shall judge it.
    """
    serial = meter.serial or ""
    range_name = names[0] if len(names) == 1 else None
    entry = _judging_certificate(register, serial, as_found) or register.choose(serial, range_name, as_of, run_id)
    lost = register.lost_instead(serial, entry)
    if lost is not None:
        return _unreadable_calibration(meter, lost, range_name, as_of)
    if entry is None:
        return None
    judged = entry.certificate.id == as_found
    covered = range_in_use(entry.certificate, range_name, as_found=judged)
    return Calibration(
        certificate=entry.certificate,
        range_name=covered or range_name or "",
        as_of=as_of,
        meter=_in_use(meter, entry, means),
        known=register.known,
        override=register.override(entry.certificate.id, serial, run_id),
        state="as found" if judged else "in use",
        power_factor=factor,
        previous=register.before(entry),
        refusal=_range_refusal(meter, entry, names, covered),
    )


def _in_use(meter: MeterRecord, entry: Accepted, means: Mapping[str, float]) -> MeterInUse:
    """Return the meter as it was used: frequency [Hz] and voltage [V] as it measured them, else as stated."""
    return MeterInUse(
        meter.serial or "",
        meter.firmware,
        entry.sha256,
        meter.influences.pf0_pct,
        frequency_hz=means.get("frequency", meter.conditions.frequency_hz),
        voltage_v=abs(means["voltage"]) if "voltage" in means else None,
    )


def _unreadable_calibration(meter: MeterRecord, lost: Lost, range_name: str | None, as_of: datetime) -> Calibration:
    """Return a calibration that is refused: a certificate that cannot be read may contradict the specification."""
    return Calibration(
        certificate=LostCertificate(lost.certificate_id, lost.version),
        range_name=range_name or "",
        as_of=as_of,
        meter=MeterInUse(meter.serial or "", meter.firmware, lost.sha256, meter.influences.pf0_pct),
        refusal=Refusal("unreadable", lost.text, final=True),
    )


def _judging_certificate(register: CertificateRegister, serial: str, as_found: str | None) -> Accepted | None:
    """Return the certificate whose as-found points shall judge the meter; None where it is of another meter."""
    entry = register.get(as_found) if as_found else None
    return entry if entry is not None and entry.certificate.meter.serial == serial else None


def _range_refusal(
    meter: MeterRecord, entry: Accepted, names: Sequence[str | None], covered: str | None
) -> Refusal | None:
    """Return why no correction can be made: the range changed, or is not known and the certificate has several."""
    if len(names) > 1:
        listed = ", ".join(str(name) for name in names)
        return Refusal("range", f"{meter.name} changed its range inside the window ({listed}).", final=True)
    named = bool(names) and names[0] is not None
    several = covered is None or (meter.range_pct and meter.range_w is None)
    if named or not several:
        return None
    text = f"The range of {meter.name} is not recorded, so certificate {entry.name} cannot be applied."
    return Refusal("range", text, final=True)
