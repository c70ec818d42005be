"""Rules of a plan that go beyond a number: what to exclude, when to stop, what must hold, when to break off."""

from __future__ import annotations

from datetime import date
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, Field, model_validator

from wattmark.core.inputs import FILLED_LINE, REAL, WHOLE
from wattmark.core.part import Part, Word


def _level(value: Any) -> Any:
    if value in ("all", "sweep") or (type(value) is int and 1 <= value <= 1_000_000):
        return value
    raise ValueError("a whole number from 1, all (one per CPU), or sweep (the levels that the workload declares)")


Level = Annotated[int | Literal["all", "sweep"], BeforeValidator(_level)]
Duration = Annotated[float, Field(ge=0, le=86_400), REAL]
Percent = Annotated[float, Field(gt=0, le=100), REAL]
Temperature = Annotated[float, Field(ge=-50, le=150), REAL]


class Exclusion(Part):
    """Excluded runs: those that match all given fields."""

    configuration: Word | None = None
    """As "server/configuration"."""
    workload: Word | None = None
    level: Level | None = None
    """Sweep: all levels that the workload declares for its curve."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if (self.configuration, self.workload, self.level) == (None, None, None):
            raise ValueError("a configuration, a workload or a level to exclude")
        return self


class Graduated(Part):
    """Load levels as SPECpower has them: calibration intervals find the maximum, then shares of it, then active idle.

    For workloads with an adjustable rate.
    """

    workloads: tuple[Word, ...] = ()
    """Empty: all workloads of the plan."""
    percent: tuple[Percent, ...] = Field(default=(100, 90, 80, 70, 60, 50, 40, 30, 20, 10), min_length=1)
    """Of the maximum [%], in the order in which they are run."""
    calibrate: Annotated[int, Field(strict=True, ge=1, le=10), WHOLE] = 3
    """Calibration intervals; the maximum is the mean of the last two."""
    offer: Annotated[int, Field(strict=True, ge=1), WHOLE] | None = None
    """Level during calibration, more than the server can do; None: the highest that the workload declares."""
    active_idle: bool = True
    idle_once_s: Annotated[float, Field(ge=1, le=86_400), REAL] | None = None
    """Active idle is measured once, after the last workload, and for so long [s]; None: after each, like a level."""


class StopRule(Part):
    """When a sweep ends early: throughput no longer grows."""

    gain_below_pct: Annotated[float, Field(ge=0, le=100), REAL] = 2.0
    over_levels: Annotated[int, Field(strict=True, ge=1, le=100), WHOLE] = 2
    """Number of consecutive levels that must stay below that gain over the best earlier level."""


class SettleRule(Part):
    """How long a server settles under load before the window."""

    until: Literal["steady"] = "steady"
    """The steadiness tests of the analysis apply to the wall power of the last ``over_s``."""
    over_s: Annotated[float, Field(ge=5, le=3600), REAL] = 60.0
    at_least_s: Duration = 30.0
    at_most_s: Duration = 600.0

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if self.at_least_s > self.at_most_s:
            raise ValueError("at_least_s to be at most at_most_s")
        return self


QUIET_OVER_S = 3.0
"""Averaging time of the limit [s]: a daemon that wakes for an instant does not disturb a run."""


class QuietRule(Part):
    """Before each run wait until other programs use so little of the CPU that they would not disturb it."""

    at_most_s: Annotated[float, Field(gt=0, le=86_400), REAL] = 300.0
    """Then the run is made all the same, and its record says so."""


class RepeatRule(Part):
    """Repeat until the 95 % interval of performance per watt is narrow enough."""

    efficiency_ci_pct: Annotated[float, Field(gt=0, le=100, examples=[1]), REAL]
    """Half width of the interval [% of the mean]."""
    at_most: Annotated[int, Field(strict=True, ge=1, le=1000), WHOLE] = 10


class CoolDownRule(Part):
    """How long a server rests before the next run."""

    until_c: Annotated[Temperature, Field(examples=[40])]
    channel: Word | None = None
    """"source/channel", such as "bmc/cpu1_temp" or "host/package0_temperature"; None: the hottest of the server's."""
    at_most_s: Duration = 900.0


class Schedule(Part):
    """When the service starts the plan by itself; nobody may be needed at a server then."""

    calendar: Annotated[str, Field(min_length=1, max_length=200, examples=["Mon..Fri 02:00"]), FILLED_LINE]
    """A calendar event of systemd.time(7), such as "Mon..Fri 02:00" or "Sun 03:30 Europe/Berlin"; without a zone, in
    that of the machine."""
    missed: Literal["run", "skip"] = "run"
    """A time that passed while the service was off: run the plan once when it starts, or skip it."""


class Reference(Part):
    """The plan is the bench's reference workload: its results go on a control chart."""

    since: date | None = None
    """The first day whose results count: set it after something was changed on purpose; None: all count."""


class LoadLimits(Part):
    """What ends the load at once."""

    max_power_w: Annotated[float, Field(gt=0, le=1_000_000), REAL] | None = None
    """Of all wall meters of the server together [W]."""
    max_temperature_c: Temperature | None = None
    """Of any temperature of the server's meters, BMC and operating system [°C]."""

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.max_power_w is None and self.max_temperature_c is None:
            raise ValueError("max_power_w or max_temperature_c")
        return self
