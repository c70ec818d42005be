"""What lies between a calibration and the use of the meter: ageing, and another temperature (method 2, route B)."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
from wattmark_calibration import CalibratedRange, Contribution

from wattmark.analysis.calibrated import Calibrated, LostCertificate
from wattmark.analysis.trace import Instrument

RECTANGULAR = math.sqrt(3.0)
DAYS_PER_MONTH = 365.2425 / 12


def with_influences(calibrated: Calibrated, instrument: Instrument) -> Calibrated:
    """Add the maker's figures for ageing and temperature to a correction; a refused one stays as it is.

    Ageing comes from two calibrations where there are two; the maker's limit of error serves where there is one.
    """
    if calibrated.corrected is None:
        return calibrated
    drift = calibrated.drift or makers_drift(calibrated, instrument)
    warmth = temperature(calibrated, instrument)
    return replace(calibrated, drift=drift, influences=() if warmth is None else (warmth,))


def makers_drift(calibrated: Calibrated, instrument: Instrument) -> Contribution | None:
    """Take the maker's limit of error times the elapsed share of its validity, over sqrt(3) [W].

    None where the maker states no limit, no validity, or the range is not known, and for as-found points, which judge
    the time before them.
    """
    specification, used = instrument.specification, calibrated.calibration
    certificate = used.certificate
    if specification is None or not instrument.specified or used.state == "as found":
        return None
    months = specification.influences.valid_months
    if months is None or isinstance(certificate, LostCertificate):
        return None
    elapsed = (used.as_of.date() - certificate.calibrated_on).days / DAYS_PER_MONTH
    limit_w = float(specification.limit(calibrated.indicated_w, instrument.range_w))
    return Contribution(
        "Drift since calibration",
        limit_w * elapsed / months / RECTANGULAR,
        "B",
        correlation_group=f"{certificate.meter.serial}, {used.range_name}, {certificate.name}, drift",
        note=f"maker's limit of {limit_w:.3g} W for {months:g} months, {elapsed:.2g} months since calibration",
        unit="W",
        distribution="rectangular",
        kind="drift",
    )


def temperature(calibrated: Calibrated, instrument: Instrument) -> Contribution | None:
    """Compute coefficient x |T in use - T at calibration| x P / sqrt(3) [W]; None where any of them is not known."""
    used, specification = calibrated.calibration, instrument.specification
    per_k = None if specification is None else specification.influences.temperature_pct_per_k
    certificate = used.certificate
    if isinstance(certificate, LostCertificate):
        return None
    ranges = certificate.as_found if used.state == "as found" else certificate.in_use
    at_c = _calibrated_at(ranges, used.range_name)
    in_use_c = instrument.conditions.temperature_c
    if per_k is None or at_c is None or in_use_c is None:
        return None
    celsius = float(np.mean(np.asarray(in_use_c)))
    reach_k = abs(celsius - at_c) + RECTANGULAR * instrument.u_temperature_k
    return Contribution(
        "Temperature since calibration",
        reach_k / RECTANGULAR,
        "B",
        sensitivity=per_k / 100 * calibrated.power_w,
        correlation_group=f"{certificate.meter.serial}, {used.range_name}, {certificate.name}, temperature",
        note=f"calibrated at {at_c:.3g} °C",
        value=celsius,
        unit="K",
        distribution="rectangular",
        kind="temperature",
    )


def _calibrated_at(ranges: tuple[CalibratedRange, ...], name: str) -> float | None:
    """Average the temperature of a range's points [°C]; None where any point states none."""
    found = next((one for one in ranges if one.name == name), None)
    stated = [] if found is None else [point.temperature_c for point in found.points]
    known = [celsius for celsius in stated if celsius is not None]
    return math.fsum(known) / len(known) if known and len(known) == len(stated) else None
