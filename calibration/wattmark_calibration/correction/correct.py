"""Correct an indicated power by a certificate, with its uncertainty."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from wattmark_calibration.budget import Contribution, UncertainValue
from wattmark_calibration.certificate.canonical import canonical_sha256
from wattmark_calibration.certificate.points import CalibratedRange, Reactive, reactive_power
from wattmark_calibration.certificate.record import Certificate
from wattmark_calibration.certificate.status import beyond_span
from wattmark_calibration.correction.conditions_of_use import comparable, condition_refusals, not_compared
from wattmark_calibration.correction.model import LOW_POWER_FACTOR, CorrectionModel, fit_model, regressors
from wattmark_calibration.correction.refusals import (
    MeterInUse,
    Override,
    as_found_refusals,
    certificate_refusals,
    decide,
    identity_refusals,
    model_refusals,
    power_factor_refusals,
    span_refusals,
)
from wattmark_calibration.errors import Refusal, Refused

RECTANGULAR = math.sqrt(3.0)
ASSUMED_PHASE_RAD = 0.018
"""Bound of the phase error near power factor 1 where neither maker nor certificate states one: an assumption.

It is the limit of a current transformer of class 1 at rated current (60 minutes, IEC 61869-2, table 201). It applies
down to `LOW_POWER_FACTOR`, where it is worth 0.9 % of the power; below, the correction is refused.
"""
ASSUMED_PHASE = (
    f"The phase error is assumed to be at most {1000 * ASSUMED_PHASE_RAD:.3g} mrad: the range was calibrated only at "
    "power factor 1, and the manufacturer states no influence of the power factor."
)
State = Literal["in use", "as found"]


@dataclass(frozen=True, slots=True)
class Corrected:
    """A corrected power with its budget, and the certificate and version that gave it.

    ``extrapolated`` marks an indication outside the calibrated span. ``overridden`` are the refusals that a person
    accepted; a result that has any must print them with the override's name and reason.
    """

    value: UncertainValue
    indication_w: float
    certificate_id: str
    certificate_version: int
    certificate_sha256: str
    range_name: str
    extrapolated: bool
    overridden: tuple[Refusal, ...] = ()
    override: Override | None = None
    notes: tuple[str, ...] = ()


def correct(
    certificate: Certificate,
    power_w: float,
    power_factor: float | None,
    range_name: str,
    as_of: datetime,
    meter: MeterInUse,
    *,
    reactive: Reactive | None = None,
    certificates: Iterable[Certificate] = (),
    override: Override | None = None,
    state: State = "in use",
) -> Corrected:
    """Compute the corrected power of an indication at the instant ``as_of``, with its standard uncertainty [W].

    ``power_factor`` is a magnitude in (0, 1], None where the meter does not measure it; ``reactive`` None: it is not
    known whether the current lags or leads. ``certificates`` are the owner's (superseding). ``state`` "as found"
    recomputes an older result with a later as-found calibration. Raises `Refused` with every reason (method 6.3) that
    the override does not accept, `ValueError` for a power or power factor that cannot be. Source: method 6.2.
    """
    _require_reading(power_w, power_factor)
    sha256 = canonical_sha256(certificate)
    calibrated = _range(certificate, range_name, state)
    model = _fit(comparable(calibrated, meter))
    bound, assumed = _bound(model, meter, power_factor)
    refusals = (
        as_found_refusals(certificate, as_of) + identity_refusals(certificate, sha256, meter)
        if state == "as found"
        else certificate_refusals(certificate, sha256, meter, as_of, certificates)
    )
    refusals += (
        condition_refusals(calibrated, meter) + model_refusals(model, certificate) + span_refusals(model.range, power_w)
    )
    unknown_phase = power_factor_refusals(model, power_factor, bound)
    overridden = decide(refusals + unknown_phase, override)
    group = f"{certificate.meter.serial}, {range_name}, {certificate.name}"
    group += ", as found" if state == "as found" else ""
    terms = _contributions(model, group, power_w, power_factor, reactive, bound)
    reactive_var = _known_reactive(model, power_w, power_factor, reactive)
    value = power_w + model.correction(power_w, reactive_var)
    return Corrected(
        value=UncertainValue(value, "W", tuple(terms), complete=not unknown_phase),
        indication_w=power_w,
        certificate_id=certificate.id,
        certificate_version=certificate.version,
        certificate_sha256=sha256,
        range_name=range_name,
        extrapolated=beyond_span(model.range, power_w) > 0,
        overridden=overridden,
        override=override if overridden else None,
        notes=(*_notes(certificate, model, meter, power_w, power_factor), *((ASSUMED_PHASE,) if assumed else ())),
    )


def _bound(model: CorrectionModel, meter: MeterInUse, power_factor: float | None) -> tuple[float | None, bool]:
    """Find a bound of |d| where it was not fitted [rad]: by points, maker's figure, or the assumption (then True)."""
    if model.phase_fitted or model.phase_bound is not None:
        return model.phase_bound, False
    if meter.pf0_pct is not None:
        return meter.pf0_pct / 100, False
    near_one = power_factor is not None and LOW_POWER_FACTOR <= power_factor < 1
    return (ASSUMED_PHASE_RAD, True) if near_one else (None, False)


def _contributions(
    model: CorrectionModel,
    group: str,
    power_w: float,
    power_factor: float | None,
    reactive: Reactive | None,
    bound: float | None,
) -> list[Contribution]:
    """List the calibration's terms of a corrected power, each with the group of the error that it shares."""
    x = regressors(power_w, _known_reactive(model, power_w, power_factor, reactive))
    terms = [
        Contribution(s.name, s.u, s.evaluation, s.dof, float(x @ s.direction), f"{group}, {s.name}")
        for s in model.sources
    ]
    if beyond_span(model.range, power_w) > 0:
        # No standard gives a figure for leaving the span. The uncertainty of the fit there is doubled.
        u = RECTANGULAR * model.standard_uncertainty(power_w, float(x[2]))
        note = "outside the calibrated span; standard uncertainty of the calibration doubled"
        terms.append(Contribution("Extrapolation", u, "B", correlation_group=f"{group}, extrapolation", note=note))
    phase = _phase_term(model, power_w, power_factor, reactive, bound, f"{group}, phase")
    return [term for term in (*terms, phase) if term is not None and term.u_result > 0]


def _phase_term(
    model: CorrectionModel,
    power_w: float,
    power_factor: float | None,
    reactive: Reactive | None,
    bound: float | None,
    group: str,
) -> Contribution | None:
    """Compute what remains of the phase error where it is bounded only, or reactive power is not known.

    A known |d| with an unknown sign of Q leaves +-|d Q| (standard deviation |d Q|); an unknown power factor leaves
    anything between -|d Q| and +|d Q| at the lowest calibrated factor, a bounded d likewise (rectangles).
    """
    lowest = model.lowest_power_factor
    size_var = abs(reactive_power(power_w, lowest if power_factor is None else power_factor, "lagging"))
    if not model.phase_fitted:
        note = "phase error bounded, not fitted"
        u = 0.0 if bound is None else bound * size_var / RECTANGULAR
    elif power_factor is None:
        note = (
            f"power factor not measured; assumed between 1 and the lowest calibrated {lowest:.3g}, lagging or leading"
        )
        u = math.hypot(model.parameters[2], model.u_phase) * size_var / RECTANGULAR
    elif reactive is None:
        note = "not known whether the current lags or leads"
        u = math.hypot(model.parameters[2], model.u_phase) * size_var
    else:
        return None
    return Contribution("Power factor", u, "B", correlation_group=group, note=note, unit="W", kind="power factor")


def _known_reactive(
    model: CorrectionModel, power_w: float, power_factor: float | None, reactive: Reactive | None
) -> float:
    """Compute the reactive power that the correction uses; 0 where it is not known or not fitted [var]."""
    if not model.phase_fitted or power_factor is None or reactive is None:
        return 0.0
    return reactive_power(power_w, power_factor, reactive)


def _range(certificate: Certificate, name: str, state: State) -> CalibratedRange:
    """Find the calibrated range."""
    ranges = certificate.as_found if state == "as found" else certificate.in_use
    for calibrated in ranges:
        if calibrated.name == name:
            return calibrated
    covered = ", ".join(r.name for r in ranges) or "none"
    text = f"Certificate {certificate.name} does not cover range {name} {state}; it covers {covered}."
    raise Refused([Refusal("range", text, final=True)])


def _fit(calibrated: CalibratedRange) -> CorrectionModel:
    """Fit the range, or refuse where its points cannot give a correction at all."""
    try:
        return fit_model(calibrated)
    except ValueError as error:
        raise Refused([Refusal("too-few-points", f"Range {calibrated.name}: {error}", final=True)]) from None


def _notes(
    certificate: Certificate, model: CorrectionModel, meter: MeterInUse, power_w: float, power_factor: float | None
) -> list[str]:
    """List the notes for the reader of a corrected result."""
    out = []
    if beyond_span(model.range, power_w) > 0:
        out.append("Extrapolated, not measured: the power lies outside the calibrated span.")
    if any(point.power_factor is None for point in model.range.points):
        out.append("The certificate does not state the power factor of every point; 1 was assumed.")
    calibrated = certificate.meter.firmware
    if calibrated and meter.firmware and calibrated != meter.firmware:
        out.append(f"The meter was calibrated with firmware {calibrated} and now runs {meter.firmware}.")
    if power_factor is None:
        out.append("The power factor was not measured.")
    uncompared = not_compared(model.range, meter)
    return out if uncompared is None else [*out, uncompared]


def _require_reading(power_w: float, power_factor: float | None) -> None:
    """Refuse a negative or infinite power, and a power factor outside (0, 1]."""
    if not math.isfinite(power_w) or power_w < 0:
        raise ValueError(f"Indicated power must be finite and not negative; got {power_w} W.")
    if power_factor is not None and not 0 < power_factor <= 1:
        raise ValueError(f"Power factor {power_factor} is not above 0 and at most 1; give its magnitude.")
