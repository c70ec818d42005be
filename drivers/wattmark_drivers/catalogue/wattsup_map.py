"""The data fields of a Watts Up? meter, by the names in its header record."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar, Literal

from pydantic import Field

from wattmark_drivers.catalogue.protocol_map import DeclaredChannel, ProtocolMap


class PushedField(DeclaredChannel):
    """One channel of a pushed record: value in ``unit`` = whole number / ``divisor``."""

    field: str
    """Name in the device's header record; the order is the device's."""
    divisor: int = Field(gt=0)


class WattsUpMap(ProtocolMap):
    """Everything the Watts Up? engine needs."""

    schemes: ClassVar = ("serial",)
    engine: Literal["wattsup"]
    interval_s: int = Field(default=1, ge=1)
    """Rhythm asked of the device [s]."""
    header: tuple[str, ...]
    """Field names of the full header record, in the documented order."""
    fields: tuple[PushedField, ...] = Field(min_length=1)

    @property
    def measured(self) -> Sequence[PushedField]:
        """List the fields."""
        return self.fields
