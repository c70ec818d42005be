"""Check loads and their control charts as they leave the service."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from wattmark.check_loads.record import CheckReading, Line, Name, Part, Person, Watts
from wattmark.schema import Schema

State = Literal["no readings", "baseline", "in control", "warning", "out of control"]
Seconds = Annotated[float, Field(ge=2, le=300)]


class CheckLoadOut(Schema):
    """A check load and how its last reading stands."""

    name: str
    meter: str
    nominal_w: float
    target_w: float | None
    description: str
    readings: int
    last: str | None
    next_due: str | None
    """A week after the last reading; None before the first."""
    overdue: bool
    state: State
    statement: str
    """How it stands and what to do, in words."""


class BaselineOut(Schema):
    """Centre and limits from the readings after a calibration [W]."""

    count: int
    centre_w: float
    s_w: float
    warning_low_w: float
    warning_high_w: float
    action_low_w: float
    action_high_w: float


class CheckPointOut(Schema):
    """One reading on the chart; ``z``, ``zone`` and ``violations`` only where a baseline judges it."""

    at: str
    t_s: float
    power_w: float
    sd_w: float | None
    n: int | None
    range: str | None
    operator: str
    note: str
    by_hand: bool
    simulated: bool
    in_baseline: bool
    z: float | None
    zone: Literal["in control", "warning", "out of control"] | None
    violations: list[str]
    """Rules that this reading breaks, in words."""


class CheckSegmentOut(Schema):
    """Readings since a calibration or a change of the load, with their own baseline."""

    baseline: BaselineOut | None
    missing: int
    """Readings that the baseline still needs."""
    refusal: str | None
    """Why enough readings still make no baseline."""
    points: list[CheckPointOut]


class CheckChartOut(Schema):
    """The control chart of a check load, oldest segment first; ``load`` says how the last one stands."""

    load: CheckLoadOut
    segments: list[CheckSegmentOut]
    drift_w: float | None
    """How far the last judged readings (four at most) lie from the last centre, and its standard uncertainty [W]."""
    drift_u_w: float | None
    drift_U95_w: float | None  # noqa: N815
    """The same expanded to 95 % [W], by Student's factor for the degrees of freedom of the baseline."""
    drift_over: int


class NewCheckLoad(Part):
    """Order to add a check load."""

    name: Name
    meter: Name
    nominal_w: Watts
    target_w: Watts | None = None
    description: Line = ""


class ReadingFacts(Part):
    """What a person says about a reading."""

    operator: Person
    note: Line = ""
    begins_baseline: bool = False


class NewReading(ReadingFacts):
    """Order to record a reading: the service reads the meter for ``seconds``, or a person gives what it showed."""

    seconds: Seconds | None = None
    power_w: Watts | None = None
    sd_w: Annotated[float, Field(ge=0, le=1e7)] | None = None
    n: Annotated[int, Field(ge=1, le=10**9)] | None = None
    range: Annotated[str, Field(max_length=100)] | None = None


def point_out(reading: CheckReading, at: str) -> CheckPointOut:
    """Show a reading that nothing judges yet."""
    facts = reading.model_dump(exclude={"check_load", "at_ns", "begins_baseline"})
    return CheckPointOut(at=at, t_s=reading.at_ns * 1e-9, in_baseline=False, z=None, zone=None, violations=[], **facts)
