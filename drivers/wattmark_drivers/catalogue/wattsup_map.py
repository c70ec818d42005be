"""The data fields of a Watts Up? meter, by the names in its header record."""

from __future__ import annotations

from typing import Literal

from pydantic import Field

from wattmark_drivers.catalogue.source import Declared, Fact
from wattmark_drivers.reading import Kind


class PushedField(Declared):
    """One channel of a pushed record: value in ``unit`` = whole number / ``divisor``."""

    channel: str
    quantity: str
    unit: str
    label: str
    field: str
    """Name in the device's header record; the order is the device's."""
    divisor: int = Field(gt=0)
    limits: tuple[float, float] | None = None
    """Smallest and largest plausible value [unit]."""
    resolution: float | None = None
    kind: Kind | None = None


class WattsUpMap(Fact):
    """Everything the Watts Up? engine needs."""

    engine: Literal["wattsup"]
    interval_s: int = Field(default=1, ge=1)
    """Rhythm asked of the device [s]."""
    header: tuple[str, ...]
    """Field names of the full header record, in the documented order."""
    fields: tuple[PushedField, ...] = Field(min_length=1)
