"""One reading of a check standard from live readings of a meter; unusable readings are refused."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from wattmark_drivers.reading import Quality, Reading

from wattmark.core.errors import InputError, WattmarkError
from wattmark.core.numbers import format_number
from wattmark.runs.channels import total_channel

FEWEST_SAMPLES = 5
HALVES_PCT = 1.0
"""Limit of the difference of both halves, as for runs (method 5.1)."""
FAR_OFF = 0.3
"""Mains within 10 % (EN 50160) moves the power of a resistive load by 21 %; more is another load or another unit."""
REFUSED = Quality.INVALID | Quality.IMPLAUSIBLE | Quality.SATURATED | Quality.OVER_RANGE | Quality.STALE
_AGAIN = "Repeat the reading when the meter is steady."


@dataclass(frozen=True, slots=True)
class AveragedPower:
    """Mean [W] and standard deviation [W] of ``n`` samples, all in one ``range``."""

    power_w: float
    sd_w: float
    n: int
    range: str | None
    simulated: bool


def take(meter: str, readings: Sequence[Reading]) -> AveragedPower:
    """Average the total power of a meter over live readings [W].

    Raises `WattmarkError` with the reason for too few samples, for any sample that must not be used, is stale or over
    range, for a change of range, and for a power that still drifts: a check standard that is warming up is not valid.
    """
    power = _total_power(readings)
    if len(power) < FEWEST_SAMPLES:
        raise _refused(meter, f"it gave {len(power)} power samples; {FEWEST_SAMPLES} are needed", "Record for longer.")
    bad = [reading for reading in power if reading.quality & REFUSED or not math.isfinite(reading.value)]
    if bad:
        words = " and ".join(flag.name.lower().replace("_", " ") for flag in bad[0].quality & REFUSED if flag.name)
        raise _refused(meter, f"{len(bad)} of {len(power)} samples are {words or 'no number'}", _AGAIN)
    ranges = {reading.range for reading in power}
    if len(ranges) > 1:
        raise _refused(meter, "its range changed during the reading", "Set a fixed range, then take the reading again.")
    watts = np.array([reading.value for reading in power])
    _require_standing_still(meter, watts)
    simulated = any(reading.quality & Quality.SIMULATED for reading in power)
    return AveragedPower(float(watts.mean()), float(watts.std(ddof=1)), len(power), ranges.pop(), simulated)


def require_plausible(nominal_w: float, power_w: float) -> None:
    """Refuse a power [W] that this load cannot draw. Raises `InputError`."""
    if not abs(power_w - nominal_w) <= FAR_OFF * nominal_w:
        raise InputError(
            f"{power_w:g} W differs by more than {FAR_OFF:.0%} from the rated {nominal_w:g} W of this load.",
            "Check that only this load is on, and that the value is in watts.",
        )


def _total_power(readings: Sequence[Reading]) -> list[Reading]:
    chosen = total_channel(reading.channel for reading in readings if reading.unit == "W")
    return [reading for reading in readings if reading.channel == chosen]


def _require_standing_still(meter: str, watts: np.ndarray[tuple[int], np.dtype[np.float64]]) -> None:
    half = len(watts) // 2
    mean = float(watts.mean())
    if mean <= 0:
        raise _refused(meter, f"it reads {format_number(mean, 4)} W", "Switch the load on.")
    apart = 100 * abs(float(watts[half:].mean()) - float(watts[:half].mean())) / mean
    if apart > HALVES_PCT:
        raise _refused(
            meter,
            f"power changed by {format_number(apart, 2)} % during the reading",
            "Let the load warm up, then repeat the reading.",
        )


def _refused(meter: str, reason: str, remedy: str) -> WattmarkError:
    return WattmarkError(f"Meter {meter} was not read: {reason}.", remedy)
