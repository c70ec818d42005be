"""Additions to a maker's limits of error for the conditions of use, as figures."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Self

from pydantic import Field, model_validator

from wattmark_drivers.catalogue.source import Declared

Share = Annotated[float, Field(ge=0, le=100)]


class InputLimit(Declared):
    """Limit of error of one input, voltage [V] or current [A], if the manufacturer derives that of power from both."""

    reading_pct: Share = 0.0
    range_pct: Share = 0.0
    fixed: Annotated[float, Field(ge=0)] = 0.0
    range_value: Annotated[float, Field(gt=0)] | None = None
    """The range in use, filled in by the driver."""


class LoadStep(Declared):
    """Limit of error from a share of the range on, in the place of the one below it."""

    from_pct: Share
    """Where the step begins [% of range], itself included."""
    reading_pct: Share
    range_pct: Share = 0.0


class Influences(Declared):
    """Influence terms of one accuracy term, as the maker prints them; None where the maker prints no figure.

    Percentages are of reading unless said otherwise. Sources and status are those of the accuracy term.
    """

    pf0_pct: Share | None = None
    """Influence at power factor 0 [% of apparent power]; at any other it adds tan(phi) times as much of reading."""
    crest_factor_6_range_factor: Annotated[float, Field(ge=1, le=10)] | None = None
    """Factor of the range term at the crest factor setting 6 or 6A."""
    line_filter_pct: Share | None = None
    """Added while the line filter is on [% of reading]."""
    heating_pct_per_a2: Share | None = None
    """Self-heating by current [% of reading per ampere squared]."""
    heating_pct_per_v2: Share | None = None
    """Self-heating by voltage [% of reading per volt squared]."""
    temperature_pct_per_k: Share | None = None
    """Added per kelvin outside temperature_low_c .. temperature_high_c [% of reading per K]."""
    temperature_low_c: Annotated[float, Field(ge=-50, le=100)] | None = None
    temperature_high_c: Annotated[float, Field(ge=-50, le=100)] | None = None
    frequency_low_hz: Annotated[float, Field(ge=0)] | None = None
    """Lower end of the frequency band that the limits hold for [Hz]."""
    frequency_high_hz: Annotated[float, Field(gt=0)] | None = None
    current_low_a: Annotated[float, Field(ge=0)] | None = None
    """Smallest current at the terminals that the limits hold for [A]; below it the maker states none."""
    current_high_a: Annotated[float, Field(gt=0)] | None = None
    valid_months: Annotated[float, Field(gt=0)] | None = None
    """How long after a calibration the limits hold [months]."""
    growth_pct_per_month: Share | None = None
    """Added per month beyond valid_months [% of reading per month]; None: the limits end there."""
    voltage: InputLimit | None = None
    current: InputLimit | None = None
    """Where power has the sum of the relative limits of both inputs, instead of terms of its own."""
    steps: tuple[LoadStep, ...] = ()
    """Terms of reading and range that replace those of the declaration from a share of the range on, rising."""

    @model_validator(mode="after")
    def _bands_are_bands(self) -> Self:
        for low, high, what in (
            (self.temperature_low_c, self.temperature_high_c, "temperature"),
            (self.frequency_low_hz, self.frequency_high_hz, "frequency"),
            (self.current_low_a, self.current_high_a, "current"),
        ):
            if (low is None) != (high is None) or (low is not None and high is not None and low >= high):
                raise ValueError(f"a {what} band needs both ends, the lower first")
        if (self.voltage is None) != (self.current is None):
            raise ValueError("limits of the inputs need both, that of the voltage and that of the current")
        if any(a.from_pct >= b.from_pct for a, b in pairwise(self.steps)):
            raise ValueError("the steps of the limits begin at rising shares of the range")
        if self.temperature_pct_per_k is not None and self.temperature_low_c is None:
            raise ValueError("a temperature coefficient needs the temperature band outside which it applies")
        if self.growth_pct_per_month is not None and self.valid_months is None:
            raise ValueError("growth per month needs valid_months, after which it applies")
        return self
