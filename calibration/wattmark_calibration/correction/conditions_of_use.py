"""Frequency and voltage of use against those at which the points of a certificate were taken."""

from __future__ import annotations

from dataclasses import replace

from wattmark_calibration.certificate.points import CalibratedRange, Point
from wattmark_calibration.correction.refusals import MeterInUse
from wattmark_calibration.errors import Refusal

MAINS_HZ = (45.0, 66.0)
"""One frequency to a power meter: makers state one accuracy over it (Yokogawa IM WT310E-02EN p. 7-7)."""
FREQUENCY_MARGIN = 0.05
"""At other frequencies, a point applies within this distance of its own."""
VOLTAGE_MARGIN = 0.15
"""Variation of a supply (10 %, IEC 60038) and the step from 208 V to 240 V; 120 V is another use than 230 V."""


def comparable(calibrated: CalibratedRange, meter: MeterInUse) -> CalibratedRange:
    """Select the points at the frequency and the voltage of use; all points where none is (`condition_refusals`).

    Conditions that a point or the use does not state are not compared; an unknown frequency of use is taken for mains
    where any point is.
    """
    near = tuple(point for point in calibrated.points if _near(point, meter))
    return replace(calibrated, points=near) if near else calibrated


def condition_refusals(calibrated: CalibratedRange, meter: MeterInUse) -> list[Refusal]:
    """Refuse a use at a frequency or a voltage at which no point of the range was taken."""
    out = []
    name = calibrated.name
    if not any(_same_frequency(point, meter) for point in calibrated.points):
        values = _listed([point.frequency_hz for point in calibrated.points])
        used_hz = meter.frequency_hz
        used = "the frequency of use is not recorded" if used_hz is None else f"used at {used_hz:.4g} Hz"
        text = (
            f"Range {name} was calibrated at {values} Hz only, and {used}; record the frequency of use, or have the "
            "meter calibrated at it."
        )
        out.append(Refusal("frequency", text))
    if not any(_same_voltage(point, meter) for point in calibrated.points):
        values = _listed([point.voltage_v for point in calibrated.points])
        text = (
            f"Range {name} was calibrated only at {values} V and used at {meter.voltage_v:.4g} V; have it calibrated "
            "at the voltage of use."
        )
        out.append(Refusal("voltage", text))
    if not out and not any(_near(point, meter) for point in calibrated.points):
        text = f"Range {name} has no calibration point at the frequency and voltage of use; have it calibrated there."
        out.append(Refusal("voltage", text))
    return out


def not_compared(calibrated: CalibratedRange, meter: MeterInUse) -> str | None:
    """Explain which conditions of use could not be compared with the calibration's, and why; None where all were."""
    reasons = (
        ("frequency", [point.frequency_hz for point in calibrated.points], meter.frequency_hz),
        ("voltage", [point.voltage_v for point in calibrated.points], meter.voltage_v),
    )
    left = [
        f"{name} ({'not stated by the certificate' if None in stated else 'not recorded in use'})"
        for name, stated, used in reasons
        if None in stated or used is None
    ]
    return f"Not compared with the conditions of the calibration: {', '.join(left)}." if left else None


def _near(point: Point, meter: MeterInUse) -> bool:
    return _same_frequency(point, meter) and _same_voltage(point, meter)


def _same_frequency(point: Point, meter: MeterInUse) -> bool:
    """Return whether a point was taken at the frequency of use; mains where that is not known."""
    calibrated, used = point.frequency_hz, meter.frequency_hz
    if calibrated is None or (_mains(calibrated) and (used is None or _mains(used))):
        return True
    return used is not None and abs(calibrated - used) <= FREQUENCY_MARGIN * max(calibrated, used)


def _same_voltage(point: Point, meter: MeterInUse) -> bool:
    calibrated, used = point.voltage_v, meter.voltage_v
    return calibrated is None or used is None or abs(calibrated - used) <= VOLTAGE_MARGIN * calibrated


def _mains(frequency_hz: float) -> bool:
    low, high = MAINS_HZ
    return low <= frequency_hz <= high


def _listed(values: list[float | None]) -> str:
    return ", ".join(f"{value:.4g}" for value in sorted({value for value in values if value is not None}))
