"""Ports, scans and tries as they leave the service."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from wattmark.appliance.meter_check_views import MeterVerdictOut
from wattmark.editing.views import ShapedAs
from wattmark.given import Given
from wattmark.inventory.instruments import Meter
from wattmark.schema import Schema


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


class ScanOrder(Given):
    """Where to look: one line by its Modbus ids, or hosts by their names. Nothing is swept that is not named."""

    modbus_tcp: str | None = Field(default=None, max_length=260, pattern=r"^[A-Za-z0-9\[][A-Za-z0-9.:_%\]-]*$")
    """HOST[:PORT] of a gateway or meter."""
    serial: str | None = Field(default=None, max_length=260, pattern=r"^/dev/[A-Za-z0-9._:/-]+$")
    """Serial port with Modbus RTU."""
    ids: str = Field(default="1", max_length=200)
    """Device ids, such as 1-10 or 1,5,17."""
    baud: int = Field(default=9600, ge=300, le=4_000_000)
    parity: Literal["N", "E", "O"] = "N"
    hosts: str | None = Field(default=None, max_length=1000)
    """Names or addresses, with :PORT where it is not the usual one, separated by commas."""
    timeout_s: float = Field(default=0.5, ge=0.05, le=5)


class TryOrder(Given):
    """A meter that need not be saved, and how long to read it [s]."""

    meter: Annotated[dict[str, Any], ShapedAs(Meter)]
    seconds: float = Field(default=5.0, ge=1, le=60)


class TriedChannelOut(Schema):
    """What one channel said."""

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
    verdicts: list[MeterVerdictOut]
