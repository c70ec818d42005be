"""Limits of single channels of a meter or BMC: what is told when a reading crosses them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator

from wattmark.core.inputs import REAL
from wattmark.core.part import Part, Word

Value = Annotated[float, Field(ge=-1e9, le=1e9), REAL]


class AlarmRule(Part):
    """A low and a high limit of one channel, in the channel's unit. An alarm is shown; it ends no load."""

    channel: Word
    """As the device names it, such as "power" or "cpu1_temp"."""
    low: Value | None = None
    high: Value | None = None
    hysteresis: Annotated[float, Field(ge=0, le=1e9), REAL] = 0.0
    """How far a reading must come back before the alarm ends."""
    hold_s: Annotated[float, Field(ge=0, le=3600), REAL] = 0.0
    """How long every reading must be outside the limit before an alarm starts [s]."""
    run_must_keep: bool = False
    """Whether crossing the limit in the window excludes the run from ranking, such as a limit of supply voltage."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.low is None and self.high is None:
            raise ValueError("a low limit, a high limit or both")
        if self.low is not None and self.high is not None and self.high - self.low <= self.hysteresis:
            raise ValueError("a high limit above the low limit by more than the hysteresis, so that an alarm can end")
        return self

    def limits(self) -> Iterator[tuple[Literal["low", "high"], float, float, float, bool]]:
        """List the limits that are given: side, value, hysteresis, hold [s], and whether a run must keep it."""
        if self.low is not None:
            yield "low", self.low, self.hysteresis, self.hold_s, self.run_must_keep
        if self.high is not None:
            yield "high", self.high, self.hysteresis, self.hold_s, self.run_must_keep
