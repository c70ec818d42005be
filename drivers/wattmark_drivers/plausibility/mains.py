"""Are voltage and frequency those of a mains supply?"""

from __future__ import annotations

from wattmark_drivers.plausibility.recording import PHASES, MeterRecording
from wattmark_drivers.plausibility.verdict import PlausibilityVerdict, name_factor, nearest_factor, not_checked

VOLTAGE_V = (80.0, 300.0)
"""Phase to neutral: nominal 100 V to 277 V with the tolerance of the grids."""
FREQUENCY_HZ = (45.0, 65.0)
TYPICAL_V = (100.0, 120.0, 230.0, 277.0)
TYPICAL_HZ = (50.0, 60.0)


def voltage(recording: MeterRecording) -> PlausibilityVerdict:
    """Test the phase voltages that are not zero [V]."""
    rule = "voltage"
    if recording.declaration.direct_current:
        return not_checked(rule, "The meter measures direct current.")
    voltages = [value for ending in PHASES if (value := recording.typical(f"voltage{ending}"))]
    if not voltages:
        return not_checked(rule, "The device provides no voltage.")
    value = max(voltages, key=lambda volts: _outside(volts, VOLTAGE_V))
    return _judged(rule, value, VOLTAGE_V, "V", TYPICAL_V)


def frequency(recording: MeterRecording) -> PlausibilityVerdict:
    """Test the mains frequency [Hz]."""
    rule = "frequency"
    value = recording.typical("frequency")
    if recording.declaration.direct_current or value is None:
        return not_checked(rule, "The device provides no frequency.")
    return _judged(rule, value, FREQUENCY_HZ, "Hz", TYPICAL_HZ)


def _judged(
    rule: str, value: float, band: tuple[float, float], unit: str, typical: tuple[float, ...]
) -> PlausibilityVerdict:
    good = band[0] <= value <= band[1]
    return PlausibilityVerdict(
        rule,
        "pass" if good else "fail",
        f"The {rule} is {value:.4g} {unit}; a mains supply has {band[0]:g} to {band[1]:g} {unit}.",
        value,
        None if good else band[0] if value < band[0] else band[1],
        unit,
        "" if good else _advice(rule, value, band, typical),
    )


def _advice(rule: str, value: float, band: tuple[float, float], typical: tuple[float, ...]) -> str:
    """Return the factor that would bring the value onto the mains."""
    nominal = min(typical, key=lambda volts: nearest_factor(value / volts)[1])
    words = name_factor(value / nominal)
    if words is None:
        return (
            f"no common factor brings this {rule} to {band[0]:g} to {band[1]:g}: check the register map, that is, the "
            "model"
        )
    return f"the {rule} is {words}; the scale belongs to another model or firmware"


def _outside(value: float, band: tuple[float, float]) -> float:
    return max(band[0] - value, value - band[1])
