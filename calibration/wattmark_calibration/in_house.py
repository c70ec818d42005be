"""A certificate from an own comparison: a cheap meter beside a good one, over steps of a load."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from wattmark_calibration.budget import welch_satterthwaite
from wattmark_calibration.certificate.points import CalibratedRange, Point
from wattmark_calibration.certificate.record import (
    Approval,
    Certificate,
    Laboratory,
    MeterIdentity,
    ReferenceStandard,
)
from wattmark_calibration.coverage import coverage_factor
from wattmark_calibration.errors import Refusal, Refused

LEAST_STEPS = 5
"""Distinct powers: two for offset and gain, three more that can show a bend (as most laboratories measure)."""
LEAST_SPAN_PCT = 30.0
"""The powers differ by this share of the largest, or the offset is an extrapolation."""
SAME_STEP = 0.05
"""Powers within this share of their span are one step visited again."""
DRIFT_PROBABILITY = 0.99
DRIFT_PCT = 0.1
"""A smaller change of the error between two visits of a step is none: it is below what any use of it can show."""
K = 2.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """Both meters over one stretch of steady load [W], and when that was [s].

    ``u_reference_w`` is the standard uncertainty of the reference, its certificate or specification included; None:
    not known. ``u_comparison_w`` with ``dof`` is that of the comparison alone: scatter, alignment, last digits.
    """

    at_s: float
    reference_w: float
    u_reference_w: float | None
    indication_w: float
    u_comparison_w: float
    dof: float
    power_factor: float | None = None
    frequency_hz: float | None = None
    voltage_v: float | None = None
    temperature_c: float | None = None

    @property
    def error_w(self) -> float:
        """Compute indication - reference [W]."""
        return self.indication_w - self.reference_w


@dataclass(frozen=True, slots=True, kw_only=True)
class InHouse:
    """Statements of an in-house certificate besides its points."""

    id: str
    meter: MeterIdentity
    range_name: str
    laboratory: str
    reference: ReferenceStandard
    method: str
    calibrated_on: date
    due_on: date
    approved_by: str
    note: str


def in_house_certificate(comparisons: Sequence[Comparison], stated: InHouse) -> Certificate:
    """Build the certificate. Raises `Refused` with every reason, `CertificateError` where its facts contradict."""
    refusals = in_house_refusals(comparisons)
    if refusals:
        raise Refused(refusals)
    return Certificate(
        id=stated.id,
        number=stated.id,
        meter=stated.meter,
        laboratory=Laboratory(name=stated.laboratory),
        method=stated.method,
        calibrated_on=stated.calibrated_on,
        due_on=stated.due_on,
        as_found=(CalibratedRange(name=stated.range_name, points=tuple(map(point_of, comparisons))),),
        chain=(stated.reference,),
        approval=Approval(by=stated.approved_by, on=stated.calibrated_on, note=stated.note),
        in_house=True,
    )


def in_house_refusals(comparisons: Sequence[Comparison]) -> list[Refusal]:
    """List what speaks against a certificate: an unknown reference, too few steps, a narrow span, drift."""
    if any(c.u_reference_w is None for c in comparisons):
        text = (
            "The uncertainty of the reference meter is not known. It needs a certificate in force, or a specification "
            "with its range."
        )
        return [Refusal("reference", text, final=True)]
    steps = _steps(comparisons)
    out = []
    if len(steps) < LEAST_STEPS:
        text = f"The load had {len(steps)} distinct powers; at least {LEAST_STEPS} are needed, idle included."
        out.append(Refusal("too-few-steps", text, final=True))
    if not comparisons:
        return out
    powers = [c.reference_w for c in comparisons]
    span_pct = 100 * (max(powers) - min(powers)) / max(powers)
    if span_pct < LEAST_SPAN_PCT:
        text = f"The powers differ by {span_pct:.2g} % of the largest; at least {LEAST_SPAN_PCT:g} % are needed."
        out.append(Refusal("span", text, final=True))
    return [*out, *_drift(steps)]


def point_of(comparison: Comparison) -> Point:
    """Return a comparison as a calibration point, its U that of reference and comparison together [W]."""
    u_reference_w = comparison.u_reference_w or 0.0
    u_w = math.hypot(u_reference_w, comparison.u_comparison_w)
    dof = welch_satterthwaite([u_reference_w, comparison.u_comparison_w], [math.inf, comparison.dof])
    k = max(K, coverage_factor(dof))
    return Point(
        reference_w=comparison.reference_w,
        indication_w=comparison.indication_w,
        expanded_u_w=k * u_w,
        k=k,
        power_factor=comparison.power_factor,
        frequency_hz=comparison.frequency_hz,
        voltage_v=comparison.voltage_v,
        temperature_c=comparison.temperature_c,
    )


def _steps(comparisons: Sequence[Comparison]) -> list[list[Comparison]]:
    """Group comparisons by their power, each group in order of time."""
    ordered = sorted(comparisons, key=lambda c: c.reference_w)
    width = SAME_STEP * (ordered[-1].reference_w - ordered[0].reference_w) if ordered else 0.0
    groups: list[list[Comparison]] = []
    for comparison in ordered:
        if not groups or comparison.reference_w - groups[-1][0].reference_w > width:
            groups.append([])
        groups[-1].append(comparison)
    return [sorted(group, key=lambda c: c.at_s) for group in groups]


def _drift(steps: Sequence[Sequence[Comparison]]) -> list[Refusal]:
    """Compare the first with the last visit of each step; the error of the reference is in both, and cancels."""
    visited = [group for group in steps if len(group) > 1]
    if not visited:
        text = "No power was measured twice, so drift cannot be excluded; repeat the first step at the end."
        return [Refusal("no-repeat", text, final=True)]
    worst: tuple[float, str] | None = None
    for group in visited:
        first, last = group[0], group[-1]
        # at one step both powers differ a little, and so do their errors by the gain; a tenth of a per cent covers it
        u_w = math.hypot(first.u_comparison_w, last.u_comparison_w)
        dof = welch_satterthwaite([first.u_comparison_w, last.u_comparison_w], [first.dof, last.dof])
        limit_w = max(coverage_factor(dof, DRIFT_PROBABILITY) * u_w, DRIFT_PCT / 100 * first.reference_w)
        change_w = last.error_w - first.error_w
        if abs(change_w) > limit_w and (worst is None or abs(change_w) / limit_w > worst[0]):
            text = (
                f"The error at {first.reference_w:.4g} W changed by {change_w:+.3g} W within the comparison, more than "
                f"{limit_w:.2g} W: let both meters warm up, and repeat it."
            )
            worst = abs(change_w) / limit_w, text
    return [] if worst is None else [Refusal("drift", worst[1], final=True)]
