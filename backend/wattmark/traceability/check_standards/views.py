"""Check standards and their control charts as the service shows them."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from wattmark.core.inputs import LINE, REAL, WHOLE
from wattmark.core.quantity import Quantity
from wattmark.core.schema import Schema
from wattmark.traceability.check_standards.record import CheckReading, ReadingFacts, Watts

State = Literal["no readings", "baseline", "in control", "warning", "out of control"]
Seconds = Annotated[float, Field(ge=2, le=300), REAL]


class CheckStandardOut(Schema):
    """A check standard and the status of its last reading."""

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
    """Its status and what to do, in words."""


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
    """The control chart of a check standard, oldest segment first; ``standard`` has the status of the last one."""

    standard: CheckStandardOut
    segments: list[CheckSegmentOut]
    drift: Quantity | None
    """How far the last judged readings (four at most) lie from the last centre [W]."""
    drift_over: int


class NewReading(ReadingFacts):
    """Request to record a reading: the service reads the meter for ``seconds``, or a person enters the value."""

    seconds: Seconds | None = None
    power_w: Watts | None = None
    sd_w: Annotated[float, Field(ge=0, le=1e7), REAL] | None = None
    n: Annotated[int, Field(ge=1, le=10**9), WHOLE] | None = None
    range: Annotated[str, Field(max_length=100), LINE] | None = None


def point_out(reading: CheckReading, instant: str) -> CheckPointOut:
    """Return a reading as a point of the chart that no baseline judges yet."""
    facts = reading.model_dump(exclude={"check_standard", "at_ns", "begins_baseline"})
    return CheckPointOut(
        at=instant, t_s=reading.at_ns * 1e-9, in_baseline=False, z=None, zone=None, violations=[], **facts
    )
