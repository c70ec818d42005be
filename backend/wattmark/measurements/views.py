"""A measurement of work that others do, as the API takes and gives it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from wattmark.core.inputs import FILLED_LINE, LINE, REAL, Input, Text
from wattmark.core.quantity import Quantity
from wattmark.core.schema import Schema
from wattmark.measurements.measurement import CONFIGURATION

HOUR_S, WEEK_S = 3600.0, 604_800.0
MOST_MARKS = 20_000
State = Literal["opening", "ready", "begun", "ending"]
Seconds = Annotated[float, Field(ge=0, le=WEEK_S), REAL]


class NewMeasurement(Input):
    """What is to be measured: work on a server of the bench, which somebody else starts."""

    name: Annotated[str, Field(min_length=1, max_length=200), FILLED_LINE]
    """Of the workload in results."""
    server: Text | None = None
    """None: the only one of the bench."""
    configuration: Annotated[str, Field(min_length=1, max_length=64), FILLED_LINE] = CONFIGURATION
    """Name of what is measured, to compare it with another."""
    unit: Annotated[str, Field(min_length=1, max_length=32), FILLED_LINE] = "operations"
    at_most_s: Annotated[float, Field(gt=0, le=WEEK_S), REAL] = HOUR_S
    """When it is dropped at the latest, should nobody end it [s]."""


class MeasurementOut(Schema):
    """A measurement that is open."""

    id: str
    """Also that of its run."""
    name: str
    server: str
    configuration: str
    unit: str
    state: State
    meters: list[str]
    drops_at: str
    """When it is dropped, should nobody end it."""


class BegunOut(Schema):
    """Time at which the request arrived [UTC ns]."""

    t_ns: int


class MarkIn(Input):
    """A mark within the window: the begin of a part with a name, or work done since the value before it."""

    elapsed_s: Seconds
    """Since the answer to begin, by the clock of who works [s]."""
    label: Annotated[str, Field(max_length=64), LINE] = ""
    operations: Annotated[float, Field(ge=0), REAL] | None = None
    """Work done since the last value; None: the mark begins a part."""


class EndMeasurement(Input):
    """The end of the work, and what was done in it."""

    operations: Annotated[float, Field(ge=0), REAL] | None = None
    """All work of the window; None: the marks count it, or nobody does."""
    elapsed_s: Seconds | None = None
    """From the answer to begin until this request, by the clock of who works [s]."""
    round_trip_s: Seconds | None = None
    """How long the request to begin took [s]: the work began within it; None: not known."""
    marks: tuple[MarkIn, ...] = Field(default=(), max_length=MOST_MARKS)


class PartOut(Schema):
    """Figures of a part of the window; None: not known."""

    label: str
    begin_s: float
    """Since the begin of the window [s]."""
    duration_s: float
    power: Quantity | None
    energy: Quantity | None


class LineOut(Schema):
    """A figure in words."""

    name: str
    text: str


class MeasuredOut(Schema):
    """The result of a measurement; its run is stored like any other."""

    run_id: str
    name: str
    server: str
    configuration: str
    unit: str
    duration_s: float
    power: Quantity | None
    """Mean power in the window [W]."""
    energy: Quantity | None
    """[J]"""
    throughput: Quantity | None
    """Work per second."""
    efficiency: Quantity | None
    """Work per joule."""
    peak_w: float | None
    """The largest reading [W]."""
    instead_of_wall: str | None
    """What was measured in place of the wall; None: the wall was."""
    simulated: bool
    basis: Literal["certificate", "specification", "none"]
    """Calibration behind the ±."""
    parts: list[PartOut]
    lines: list[LineOut]
    """The figures in words, to print."""
    remarks: list[str]
    """What speaks against them, and what would make them better."""
