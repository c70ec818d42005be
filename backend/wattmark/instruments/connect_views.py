"""Ports, scans and tries as they leave the service."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field
from wattmark_drivers.plausibility.verdict import PlausibilityVerdict

from wattmark.bench.editing.views import ShapedAs
from wattmark.bench.instruments import Meter
from wattmark.core.inputs import LINE, REAL, WHOLE, Input, Text
from wattmark.core.schema import Schema


class FoundOut(Schema):
    """A device or port: where it is, what it seems to be, the models that fit, and addresses for the bench."""

    where: str
    what: str
    models: list[str]
    urls: list[str]
    note: str
    used_by: list[str]
    """Meters of the bench that are on it already."""


class FoundListOut(Schema):
    """What was found."""

    found: list[FoundOut]


class ScanOrder(Input):
    """Search targets: one line with its unit ids, or hosts by name. Nothing else is searched."""

    modbus_tcp: Annotated[str, Field(max_length=260, pattern=r"^[A-Za-z0-9\[][A-Za-z0-9.:_%\]-]*$")] | None = None
    """HOST[:PORT] of a gateway or meter."""
    serial: Annotated[str, Field(max_length=260, pattern=r"^/dev/[A-Za-z0-9._:/-]+$")] | None = None
    """Serial port with Modbus RTU."""
    ids: Annotated[str, Field(max_length=200), LINE] = "1"
    """Unit ids, such as 1-10 or 1,5,17."""
    baud: Annotated[int, Field(ge=300, le=4_000_000), WHOLE] = 9600
    parity: Literal["N", "E", "O"] = "N"
    hosts: Annotated[str, Field(max_length=1000), LINE] | None = None
    """Names or addresses, with :PORT where it is not the usual one, separated by commas."""
    timeout_s: Annotated[float, Field(ge=0.05, le=5), REAL] = 0.5


class TryOrder(Input):
    """A meter to try without saving it, and how long to read it [s]."""

    meter: Annotated[dict[Text, Any], ShapedAs(Meter)]
    seconds: Annotated[float, Field(ge=1, le=60), REAL] = 5.0


class TriedChannelOut(Schema):
    """Readings of one channel."""

    channel: str
    label: str
    quantity: str
    unit: str
    value: float | None
    """The last good value; None: there was none."""
    readings: int
    good: int


class TryOut(Schema):
    """A meter that was opened and read for a while."""

    model: str
    title: str
    serial: str | None
    firmware: str | None
    simulated: bool
    seconds: float
    lost: int
    """Polls that went unanswered."""
    channels: list[TriedChannelOut]
    verdicts: list[PlausibilityVerdict]
