"""Choose measuring ranges: from what a load is expected to draw, or from a short observation of it. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from wattmark_drivers.catalogue.scpi_map import InputRanges, Ranges

MARGIN = 1.1
"""Headroom over the largest value; MLPerf's power-dev asks for 1.1 times the largest current of the ranging run."""
SUPPLY_EFFICIENCY = 0.85
"""Of a supply at full load; 80 PLUS Bronze, the least of today's server supplies, is better at 115 V and 230 V."""
SUPPLY_POWER_FACTOR = 0.95
"""Of a supply with active correction at full load; a smaller one means more current, so this errs to a larger range."""
SUPPLY_CREST_FACTOR = 1.8
"""Of the current of a corrected supply near full load (a sine has 1.41)."""


@dataclass(frozen=True, slots=True)
class Extent:
    """The largest values of a load: voltage [V], current [A] and their peaks; None where no peak was seen."""

    voltage_v: float
    current_a: float
    voltage_peak_v: float | None = None
    current_peak_a: float | None = None


@dataclass(frozen=True, slots=True)
class RangePlan:
    """A voltage range [V], a current range [A] and how full they will be at most (share of the range)."""

    voltage_v: float
    current_a: float
    voltage_share: float
    current_share: float


def expect_power(power_w: float, mains_v: float) -> Extent:
    """Derive the extent of a load from the power that it draws from the mains [W]."""
    current_a = power_w / (mains_v * SUPPLY_POWER_FACTOR)
    return Extent(mains_v, current_a, mains_v * 2**0.5, current_a * SUPPLY_CREST_FACTOR)


def expect_supply(rating_w: float, mains_v: float) -> Extent:
    """Derive the extent of a load from the rating of its supplies [W of direct current, all that may be loaded]."""
    return expect_power(rating_w / SUPPLY_EFFICIENCY, mains_v)


def plan_ranges(ranges: Ranges, extent: Extent, crest_factor: float, margin: float = MARGIN) -> RangePlan:
    """Choose the smallest ranges that hold the extent with a margin, nominal value and peaks.

    A range holds peaks up to the crest factor times its nominal value. Raises ValueError with the largest range when
    none is large enough, or when the instrument has no such crest factor.
    """
    voltage = smallest(ranges.voltage, extent.voltage_v, extent.voltage_peak_v, crest_factor, margin, "V")
    current = smallest(ranges.current, extent.current_a, extent.current_peak_a, crest_factor, margin, "A")
    return RangePlan(voltage, current, extent.voltage_v / voltage, extent.current_a / current)


def smallest(kind: InputRanges, rms: float, peak: float | None, crest_factor: float, margin: float, unit: str) -> float:
    """Choose the smallest range of one input; see `plan_ranges`."""
    row = ranges_at(kind, crest_factor)
    for nominal in row:
        if nominal >= margin * rms and (peak is None or crest_factor * nominal >= margin * peak):
            return nominal
    shown = f"{rms:g} {unit}" if peak is None else f"{rms:g} {unit} with peaks of {peak:g} {unit}"
    raise ValueError(f"{shown} with a margin of {margin:g} exceeds the largest range, {row[-1]:g} {unit}")


def ranges_at(kind: InputRanges, crest_factor: float) -> Sequence[float]:
    """List the ranges at a crest factor. Raises ValueError when there is no such crest factor."""
    if crest_factor not in kind.crest:
        factors = ", ".join(f"{factor:g}" for factor in kind.crest)
        raise ValueError(f"there are no ranges for crest factor {crest_factor:g}, only for {factors}")
    return kind.crest[crest_factor]


def range_name(voltage_v: float, current_a: float) -> str:
    """Return the name of a range: `300V-5A`."""
    return f"{voltage_v:g}V-{current_a:g}A"
