"""Do power, voltage, current and power factor belong together?"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import median

from wattmark_drivers.plausibility.mains import VOLTAGE_V
from wattmark_drivers.plausibility.recording import PHASES, MeterRecording, examinable, is_plug, label
from wattmark_drivers.plausibility.verdict import PlausibilityVerdict, name_factor, not_checked

TOLERANCE = 0.05
"""Values of one poll may be taken a moment apart, and power factors are rounded."""
LEAST_VA = 2.0
SAME = 0.01
"""Two powers of one answer that differ by less are one."""
LEAST = 1e-9
"""Below this a value is zero or misread, in whatever unit."""
LARGEST_PF = 1.02
SMALLEST_PF = 0.01
"""Only a bare capacitor has less; no server has."""
LIVE_VA = 30.0
LOADED_VA = 300.0
LOADED_PF = 0.5
"""From this apparent power [VA] upwards a server has no smaller power factor."""
WHOLE_PF = (0.9, LARGEST_PF)
WRAPS_W = (6553.6, 655.36)
"""Wrap-around of a 16-bit power in steps of 0.1 or 0.01 W [W]; fewer wraps prove more."""
MISREAD = 1e4
"""A ratio beyond this, either way, comes from no setting of the meter: another register or format is read."""


@dataclass(frozen=True, slots=True)
class _Product:
    ending: str
    ratio: float
    limit: float


def power_product(recording: MeterRecording) -> PlausibilityVerdict:
    """Test W / (V x A x PF) for each phase; 1 where all fits (PF 1 for direct current)."""
    rule = "power-product"
    products = [product for ending in PHASES if (product := _product(recording, ending)) is not None]
    worst = max(products, key=lambda product: abs(product.ratio - 1) - product.limit, default=None)
    good = worst is None or abs(worst.ratio - 1) <= worst.limit
    if good and (overflow := _overflow(recording)) is not None:
        return overflow
    if good and (ending := _hardly_any_power(recording)) is not None:
        return _too_little(recording, ending)
    if worst is None:
        return not_checked(
            rule, "Power, voltage, current and power factor of one phase are not all provided, or are zero."
        )
    return PlausibilityVerdict(
        rule,
        "pass" if good else "fail",
        f"Power{label(worst.ending)} is {worst.ratio:.4g} times V x A x PF.",
        worst.ratio - 1,
        worst.limit,
        "1",
        "" if good else _blame(recording, worst),
    )


def power_factor(recording: MeterRecording) -> PlausibilityVerdict:
    """Test that no power factor exceeds 1, and W / (VA x PF) where the device shows all three."""
    rule = "power-factor"
    shown = [(e, value) for e in PHASES if (value := recording.typical(f"power_factor{e}"))]
    if not shown:
        return not_checked(rule, "The device provides no power factor.")
    ending, value = max(shown, key=lambda pair: abs(pair[1]))
    if abs(value) > LARGEST_PF:
        advice = (
            "percent are read as a fraction"
            if 2 < abs(value) <= 100 * LARGEST_PF
            else "probably another register is read"
        )
        text = f"The power factor{label(ending)} is {value:.4g}."
        return PlausibilityVerdict(rule, "fail", text, value, 1.0, "1", f"{advice}: check model and firmware")
    return _against_apparent(recording, rule)


def _against_apparent(recording: MeterRecording, rule: str) -> PlausibilityVerdict:
    products = [
        _Product(ending, *ratio)
        for ending in PHASES
        if (ratio := _ratio(recording, f"power{ending}", (f"apparent_power{ending}", f"power_factor{ending}")))
    ]
    if not products:
        return PlausibilityVerdict(rule, "pass", "No power factor exceeds 1.", None, 1.0, "1")
    worst = max(products, key=lambda product: abs(product.ratio - 1) - product.limit)
    good = abs(worst.ratio - 1) <= worst.limit
    usual = name_factor(worst.ratio) or "off by no common factor"
    other = _read_in_its_place(recording, worst.ending)
    advice = (
        f"{other}: check model and firmware"
        if other
        else f"power against apparent power is {usual}: check model and firmware"
    )
    return PlausibilityVerdict(
        rule,
        "pass" if good else "fail",
        f"Power{label(worst.ending)} is {worst.ratio:.4g} times VA x PF.",
        worst.ratio - 1,
        worst.limit,
        "1",
        "" if good else advice,
    )


def _product(recording: MeterRecording, ending: str) -> _Product | None:
    factors = [f"voltage{ending}", f"current{ending}"]
    if abs(recording.typical(f"power_factor{ending}") or 0.0) > LARGEST_PF:
        # The rule power-factor reports it; the power may be right.
        return None
    if not recording.declaration.direct_current:
        factors.append(f"power_factor{ending}")
    product = _ratio(recording, f"power{ending}", tuple(factors))
    return None if product is None else _Product(ending, *product)


def _ratio(recording: MeterRecording, power: str, factors: tuple[str, ...]) -> tuple[float, float] | None:
    """Compute the median of |power| / product of |factors| over the polls, and its limit with the display steps."""
    names = (power, *factors)
    if not recording.has(*names):
        return None
    ratios, limits = [], []
    for poll in recording.polls:
        if not all(name in poll and examinable(poll[name]) for name in names):
            continue
        values = [abs(poll[name].value) for name in names]
        product = math.prod(values[1:])
        if min(values) < LEAST or max(product, values[0]) < LEAST_VA:
            continue
        steps = sum(recording.step(name) / 2 / value for name, value in zip(names, values, strict=True))
        ratios.append(values[0] / product)
        limits.append(TOLERANCE + min(steps, 1.0))
    return (median(ratios), median(limits)) if ratios else None


def _hardly_any_power(recording: MeterRecording) -> str | None:
    """Find a phase whose typical power is next to nothing beside its volt-amperes; None where there is none."""
    for ending, watts, va in _loads(recording):
        if va > LIVE_VA and abs(watts) < SMALLEST_PF * va:
            return ending
    return None


def _loads(recording: MeterRecording) -> Iterator[tuple[str, float, float]]:
    """Iterate over the phases with their typical power [W] and volt-amperes, as far as they are reported."""
    one_phase = recording.declaration.protocol.phase_count == 1 and recording.declaration.suspicion.one_phase
    for ending in PHASES:
        values = [recording.typical(f"{quantity}{ending}") for quantity in ("power", "voltage", "current")]
        watts, volts, amperes = (math.nan if value is None else value for value in values)
        if ending or one_phase:
            yield ending, watts, abs(volts * amperes)


def _overflow(recording: MeterRecording) -> PlausibilityVerdict | None:
    """Explain that a power overflows 16 bits, where a whole number of wraps makes it fit its volt-amperes."""
    for ending, watts, va in _loads(recording):
        if not (va > LOADED_VA and abs(watts) < LOADED_PF * va):
            continue
        for wrap_w in WRAPS_W:
            rounds = round((va - watts) / wrap_w)
            whole_w = watts + rounds * wrap_w
            if WHOLE_PF[0] * va <= whole_w <= WHOLE_PF[1] * va:
                text = (
                    f"Power{label(ending)} is {watts:.4g} W at {va:.4g} VA; with {rounds} x {wrap_w:g} W more it would "
                    f"be {whole_w:.4g} W."
                )
                advice = "perhaps power overflows 16 bits: update the firmware of the device, or load it less"
                return PlausibilityVerdict("power-product", "fail", text, watts / va, LOADED_PF, "1", advice)
    return None


def _too_little(recording: MeterRecording, ending: str) -> PlausibilityVerdict:
    watts, volts, amperes = (
        abs(recording.typical(f"{quantity}{ending}") or 0.0) for quantity in ("power", "voltage", "current")
    )
    factor = watts / (volts * amperes)
    text = f"Power{label(ending)} is {watts:.4g} W at {volts * amperes:.4g} VA."
    advice = (
        "no server has such a power factor: perhaps W are read as mW, or the meter does not measure power; "
        "check model and firmware"
    )
    return PlausibilityVerdict("power-product", "fail", text, factor, SMALLEST_PF, "1", advice)


def _read_in_its_place(recording: MeterRecording, ending: str) -> str:
    """Explain which other power is in the place of the active power; empty where none is."""
    volts, amperes, shown_va, watts, factor, reactive = (
        abs(recording.typical(f"{quantity}{ending}") or 0.0)
        for quantity in ("voltage", "current", "apparent_power", "power", "power_factor", "reactive_power")
    )
    apparent = volts * amperes or shown_va
    if apparent > LEAST_VA and 0 < factor < 1 - TOLERANCE and abs(watts - apparent) <= SAME * apparent:
        return "apparent power is read as power"
    if reactive > LEAST_VA and abs(watts - reactive) <= SAME * reactive and watts < (1 - TOLERANCE) * factor * apparent:
        return "reactive power is read as power"
    return ""


def _blame(recording: MeterRecording, worst: _Product) -> str:
    """Explain which of the quantities is off, as far as the others show, and by what."""
    if other := _read_in_its_place(recording, worst.ending):
        return f"{other}; try another model or variant of this meter"
    volts = abs(recording.typical(f"voltage{worst.ending}") or 0.0)
    apparent = _ratio(recording, f"apparent_power{worst.ending}", (f"voltage{worst.ending}", f"current{worst.ending}"))
    if not recording.declaration.direct_current and not VOLTAGE_V[0] <= volts <= VOLTAGE_V[1]:
        who, ratio = "voltage", 1 / worst.ratio
    elif apparent is None:
        who, ratio = "power (or the current, the other way round)", worst.ratio
    elif abs(apparent[0] - 1) <= apparent[1]:
        who, ratio = "power", worst.ratio
    else:
        who, ratio = "current", 1 / worst.ratio
    words = name_factor(ratio) or f"off by a factor of {ratio:.3g}"
    if not 1 / MISREAD < ratio < MISREAD:
        words = "no such value: another register or number format is read"
    elif name_factor(ratio) is None and not is_plug(recording.declaration):
        words += ": check the transformer ratio of the meter"
    if is_plug(recording.declaration):
        return f"the {who} is {words}; check the model and update the firmware"
    return f"the {who} is {words}; try another model or variant of this meter"
