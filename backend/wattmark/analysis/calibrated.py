"""Mean power of one meter corrected by its certificate, or the reason why it is not."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Literal

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

IN_DOUBT = frozenset({"expired", "revoked", "hash", "unreadable"})
"""Refusals that put the meter itself in doubt: nothing else then vouches for it, the specification neither."""


@dataclass(frozen=True, slots=True)
class LostCertificate:
    """What is left of a certificate that can no longer be read: its id and version."""

    id: str
    version: int

    @property
    def name(self) -> str:
        """Name the certificate with its version."""
        return f"{self.id} v{self.version}"


@dataclass(frozen=True, slots=True)
class Calibration:
    """The certificate that is to answer for one meter over one window.

    ``power_factor`` is the one over the window, None where it was not measured; ``reactive`` None: not known whether
    the current lags or leads. ``previous`` is the calibration before, which tells the drift. ``refusal`` is set where
    no correction can be tried at all, and says why; a lost certificate always has one.
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
    """What a certificate said of a meter's mean power: corrected, or refused with every reason."""

    meter: str
    indicated_w: float
    calibration: Calibration
    corrected: Corrected | None = None
    drift: Contribution | None = None
    influences: tuple[Contribution, ...] = ()
    """What else lies between calibration and use, such as another temperature."""
    refusals: tuple[Refusal, ...] = ()

    @property
    def power_w(self) -> float:
        """Give the corrected power, or the indication [W]."""
        return self.indicated_w if self.corrected is None else self.corrected.value.value

    @property
    def in_doubt(self) -> bool:
        """Tell whether a refusal leaves the meter without any figure of uncertainty."""
        return any(refusal.code in IN_DOUBT for refusal in self.refusals)

    @property
    def contributions(self) -> list[Contribution]:
        """List the calibration's terms of mean power [W]."""
        own = [] if self.corrected is None else list(self.corrected.value.contributions)
        return [*own, *(() if self.drift is None else (self.drift,)), *self.influences]

    @property
    def notes(self) -> list[str]:
        """Say what a reader of the result must know, overrides first."""
        if self.corrected is None:
            return []
        by = self.corrected.override
        signed = f"Overridden by {by.by}: {by.reason.rstrip('.')}." if by else ""
        out = [f"{one.text} {signed}" for one in self.corrected.overridden]
        out += [f"{self.meter}, certificate {self.calibration.certificate.name}: {n}" for n in self.corrected.notes]
        if self.drift is None and self.calibration.state == "in use":
            out.append(f"No earlier calibration tells the drift of {self.meter}, so the ± is without it.")
        return out


def calibrate(meter: str, power_w: float, calibration: Calibration) -> Calibrated:
    """Correct a meter's mean power over the window (method 6.2); a refusal is part of the answer, not an error."""
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
            known=calibration.known,
            override=calibration.override,
            state=calibration.state,
        )
    except Refused as refused:
        return Calibrated(meter, power_w, calibration, refusals=refused.refusals)
    return Calibrated(meter, power_w, calibration, corrected, _drift(calibration, power_w))


def _drift(calibration: Calibration, power_w: float) -> Contribution | None:
    """Take |as found at this calibration - as left at the one before|/sqrt(3) as the drift to expect since (method 2).

    None where no earlier calibration of the range, or no as-found points of this one, tell it.
    """
    certificate, previous = calibration.certificate, calibration.previous
    if calibration.state == "as found" or previous is None or isinstance(certificate, LostCertificate):
        return None
    left = _range(previous.in_use, calibration.range_name)
    found = _range(certificate.as_found, calibration.range_name)
    if left is None or found is None:
        return None
    try:
        term = drift_contribution(fit_model(left), fit_model(found), power_w)
    except ValueError:
        return None
    group = f"{certificate.meter.serial}, {calibration.range_name}, {certificate.name}, drift"
    return replace(term, correlation_group=group)


def _range(ranges: tuple[CalibratedRange, ...], name: str) -> CalibratedRange | None:
    return next((one for one in ranges if one.name == name), None)
