"""What the PowerSensor3 engine needs; the sensors themselves are listed by the device."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from wattmark_drivers.catalogue.protocol_map import ProtocolMap


class PowerSensorMap(ProtocolMap):
    """Everything the PowerSensor3 engine needs."""

    schemes: ClassVar = ("serial",)
    whole_server: ClassVar = True
    engine: Literal["powersensor"]
    version: str
    """The pattern of the answer to the question for the version."""
    rate_hz: float = Field(gt=0)
    """Sets of samples per second."""
    least_share_pct: float = Field(gt=0, le=100)
    """A mean of fewer of the samples that the rate promises is no measurement."""
    largest_power_w: float = Field(gt=0)
    """No card or board draws more [W]."""
