"""Mean power of one meter corrected by its certificate, with drift and influences since calibration, or why not."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

import numpy as np
from wattmark_calibration import (
    CalibratedRange,
    Certificate,
    Contribution,
    Corrected,
    MeterInUse,
    Override,
    Refusal,
    Refused,
    correct,
    drift_contribution,
    fit_model,
)

from wattmark.analysis.energy.trace import Instrument
from wattmark.core.numbers import format_number

IN_DOUBT = frozenset({"expired", "revoked", "hash", "unreadable"})
"""Refusals that question the meter itself: its specification then does not apply either."""
RECTANGULAR = math.sqrt(3.0)
DAYS_PER_MONTH = 365.2425 / 12


@dataclass(frozen=True, slots=True)
class LostCertificate:
    """A certificate that can no longer be read: its id and version."""

    id: str
    version: int

    @property
    def name(self) -> str:
        """Return the certificate's id with its version."""
        return f"{self.id} v{self.version}"


@dataclass(frozen=True, slots=True)
class Calibration:
    """The certificate to apply to one meter over one window.

    ``power_factor`` is the one over the window, None where it was not measured; ``reactive`` None: not known whether
    the current lags or leads. ``previous`` is the earlier calibration, for the drift. ``refusal`` is the reason where
    no correction can be attempted; a lost certificate always has one.
    """

    certificate: Certificate | LostCertificate
    range_name: str
    as_of: datetime
    meter: MeterInUse
    known: tuple[Certificate, ...] = ()
    override: Override | None = None
    state: Literal["in use", "as found"] = "in use"
    power_factor: float | None = None
    reactive: Literal["lagging", "leading"] | None = None
    previous: Certificate | None = None
    refusal: Refusal | None = None


@dataclass(frozen=True, slots=True)
class Calibrated:
    """A meter's mean power by its certificate: corrected, or refused with every reason."""

    meter: str
    indicated_w: float
    calibration: Calibration
    corrected: Corrected | None = None
    drift: Contribution | None = None
    influences: tuple[Contribution, ...] = ()
    """Other differences between calibration and use, such as another temperature."""
    refusals: tuple[Refusal, ...] = ()

    @property
    def power_w(self) -> float:
        """Return the corrected power, or the indication [W]."""
        return self.indicated_w if self.corrected is None else self.corrected.value.value

    @property
    def in_doubt(self) -> bool:
        """Return whether a refusal leaves the meter without any figure of uncertainty."""
        return any(refusal.code in IN_DOUBT for refusal in self.refusals)

    @property
    def contributions(self) -> list[Contribution]:
        """List the calibration's terms of mean power [W]."""
        own = [] if self.corrected is None else list(self.corrected.value.contributions)
        return [*own, *(() if self.drift is None else (self.drift,)), *self.influences]

    @property
    def notes(self) -> list[str]:
        """List the notes on this calibration for the reader of a result, overrides first."""
        if self.corrected is None:
            return []
        by = self.corrected.override
        signed = f"Overridden by {by.by}: {by.reason.rstrip('.')}." if by else ""
        out = [f"{refusal.text} {signed}" for refusal in self.corrected.overridden]
        out += [f"{self.meter}, certificate {self.calibration.certificate.name}: {n}" for n in self.corrected.notes]
        if self.drift is None and self.calibration.state == "in use":
            out.append(f"The ± does not include the drift of {self.meter}: no earlier calibration shows it.")
        return out


def calibrate(meter: str, power_w: float, calibration: Calibration) -> Calibrated:
    """Apply a certificate to a meter's mean power [W] (method 6.2); a refusal is part of the answer, not an error."""
    if isinstance(calibration.certificate, LostCertificate) or calibration.refusal is not None:
        return Calibrated(meter, power_w, calibration, refusals=tuple(filter(None, [calibration.refusal])))
    try:
        corrected = correct(
            calibration.certificate,
            power_w,
            calibration.power_factor,
            calibration.range_name,
            calibration.as_of,
            calibration.meter,
            reactive=calibration.reactive,
            certificates=calibration.known,
            override=calibration.override,
            state=calibration.state,
        )
    except Refused as refused:
        return Calibrated(meter, power_w, calibration, refusals=refused.refusals)
    return Calibrated(meter, power_w, calibration, corrected, _drift(calibration, power_w))


def _drift(calibration: Calibration, power_w: float) -> Contribution | None:
    """Estimate the drift since calibration as |as found now - as left before|/sqrt(3) [W] (method 2).

    None without an earlier calibration of the range, or without as-found points of this one.
    """
    certificate, previous = calibration.certificate, calibration.previous
    if calibration.state == "as found" or previous is None or isinstance(certificate, LostCertificate):
        return None
    left = _range(previous.in_use, calibration.range_name)
    as_found = _range(certificate.as_found, calibration.range_name)
    if left is None or as_found is None:
        return None
    try:
        term = drift_contribution(fit_model(left), fit_model(as_found), power_w)
    except ValueError:
        return None
    group = f"{certificate.meter.serial}, {calibration.range_name}, {certificate.name}, drift"
    return replace(term, correlation_group=group)


def _range(ranges: tuple[CalibratedRange, ...], name: str) -> CalibratedRange | None:
    return next((r for r in ranges if r.name == name), None)


def with_influences(calibrated: Calibrated, instrument: Instrument) -> Calibrated:
    """Add the maker's figures for ageing and temperature to a correction; a refused one is unchanged.

    Ageing comes from two calibrations where there are two; with a single one, the maker's limit of error is used.
    """
    if calibrated.corrected is None:
        return calibrated
    drift = calibrated.drift or makers_drift(calibrated, instrument)
    warmth = temperature(calibrated, instrument)
    return replace(calibrated, drift=drift, influences=() if warmth is None else (warmth,))


def makers_drift(calibrated: Calibrated, instrument: Instrument) -> Contribution | None:
    """Return the maker's limit of error times the elapsed share of its validity, over sqrt(3) [W].

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
        note=f"manufacturer's limit of {format_number(limit_w, 3)} W for {months:g} months, "
        f"{format_number(elapsed, 2)} months since calibration",
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
        note=f"calibrated at {format_number(at_c, 3)} °C",
        value=celsius,
        unit="K",
        distribution="rectangular",
        kind="temperature",
    )


def _calibrated_at(ranges: tuple[CalibratedRange, ...], name: str) -> float | None:
    """Average the temperature of a range's points [°C]; None where any point states none."""
    calibrated_range = next((r for r in ranges if r.name == name), None)
    stated = [] if calibrated_range is None else [point.temperature_c for point in calibrated_range.points]
    temperatures = [celsius for celsius in stated if celsius is not None]
    return math.fsum(temperatures) / len(temperatures) if temperatures and len(temperatures) == len(stated) else None
