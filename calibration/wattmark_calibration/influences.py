"""Influence terms of a maker's limits of error, and the conditions of use."""

from __future__ import annotations

from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Literal

from numpy.typing import ArrayLike

CELSIUS = ("temperature_low_c", "temperature_high_c")
LEAST_C = -273.15
HIGHEST = 1e6
"""No maker prints a percentage, a temperature, a frequency [Hz] or a number of months beyond it."""


def _require_figures(owner: object, names: tuple[str, ...]) -> None:
    for name in names:
        value = getattr(owner, name)
        if value is not None and not 0.0 <= value <= HIGHEST:
            raise ValueError(f"The figure {name} is {value:g}; write a number from 0 to {HIGHEST:g}.")


@dataclass(frozen=True, slots=True)
class InputLimit:
    """Limit of error of one input, voltage [V] or current [A], where the manufacturer derives that of power from both.

    Limit = reading_pct % of the input + range_pct % of ``range_value`` + fixed [unit of the input]. ``range_value`` is
    the range in use; None: not known.
    """

    __pydantic_config__ = {"extra": "forbid", "allow_inf_nan": False}

    reading_pct: float = 0.0
    range_pct: float = 0.0
    fixed: float = 0.0
    range_value: float | None = None

    def __post_init__(self) -> None:
        """Refuse figures that cannot be limits of error."""
        _require_figures(self, ("reading_pct", "range_pct", "fixed", "range_value"))


@dataclass(frozen=True, slots=True)
class LoadStep:
    """Limit of error from a share of the range on, in the place of the smaller one below it."""

    __pydantic_config__ = {"extra": "forbid", "allow_inf_nan": False}

    from_pct: float
    """Where the step begins [% of range], itself included."""
    reading_pct: float
    range_pct: float = 0.0

    def __post_init__(self) -> None:
        """Refuse figures that cannot be limits of error."""
        _require_figures(self, ("from_pct", "reading_pct", "range_pct"))


@dataclass(frozen=True, slots=True)
class Influences:
    """Influence terms as the manufacturer prints them, % of reading unless stated otherwise; None if not printed.

    ``pf0_pct`` is the influence at power factor 0 in per cent of apparent power (Yokogawa IM WT310E-02EN p. 7-8);
    ``crest_factor_6_range_factor`` multiplies the range term at the crest factor setting 6; ``heating_*`` count per
    ampere (volt) squared; the temperature term counts per kelvin outside the band; beyond ``valid_months`` after a
    calibration the limits grow by ``growth_pct_per_month``, or end where the maker states no growth. ``voltage`` and
    ``current`` are limits of the inputs, whose relative sum is that of power (Voltech PM1000+ user manual p. 79);
    ``steps`` replace the terms of reading and range from a share of the range on (Hioki PW3336 catalogue p. 8).
    """

    __pydantic_config__ = {"extra": "forbid", "allow_inf_nan": False}

    pf0_pct: float | None = None
    crest_factor_6_range_factor: float | None = None
    line_filter_pct: float | None = None
    heating_pct_per_a2: float | None = None
    heating_pct_per_v2: float | None = None
    temperature_pct_per_k: float | None = None
    temperature_low_c: float | None = None
    temperature_high_c: float | None = None
    frequency_low_hz: float | None = None
    frequency_high_hz: float | None = None
    current_low_a: float | None = None
    current_high_a: float | None = None
    valid_months: float | None = None
    growth_pct_per_month: float | None = None
    voltage: InputLimit | None = None
    current: InputLimit | None = None
    steps: tuple[LoadStep, ...] = ()

    def __post_init__(self) -> None:
        """Refuse influence figures outside their plausible ranges."""
        if (self.voltage is None) != (self.current is None):
            raise ValueError("Limits of the inputs need both, that of the voltage and that of the current.")
        if any(a.from_pct >= b.from_pct for a, b in pairwise(self.steps)):
            raise ValueError("The steps of the limits begin at rising shares of the range.")
        for item in fields(self):
            value = getattr(self, item.name)
            if not isinstance(value, float | int):
                continue
            low, high = LEAST_C if item.name in CELSIUS else 0.0, HIGHEST
            if not low <= value <= high:
                raise ValueError(f"The influence {item.name} is {value:g}; write a number from {low:g} to {high:g}.")
        if self.temperature_pct_per_k is not None and None in (self.temperature_low_c, self.temperature_high_c):
            raise ValueError("A temperature coefficient needs the temperature band outside which it applies.")


@dataclass(frozen=True, slots=True)
class Conditions:
    """How a meter is used. None: not known.

    A setting (crest factor, line filter) that is not known counts as the one with the larger limit. A surrounding that
    is not known (temperature, frequency, time since calibration, load) is taken inside the maker's reference
    conditions; `Specification.assumed` names it. Power factor, current, voltage and temperature may be arrays.
    """

    power_factor: ArrayLike | None = None
    current_a: ArrayLike | None = None
    voltage_v: ArrayLike | None = None
    temperature_c: ArrayLike | None = None
    frequency_hz: float | None = None
    crest_factor: Literal[3, 6] | None = None
    line_filter: bool | None = None
    months: float | None = None
    """Time since the last calibration [months]."""


REFERENCE = Conditions(crest_factor=3, line_filter=False)
"""Nothing known about the surroundings, settings as the maker's accuracy is stated for."""
