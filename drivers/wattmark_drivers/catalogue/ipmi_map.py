"""What is read from a BMC."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from wattmark_drivers.catalogue.protocol_map import ProtocolMap
from wattmark_drivers.catalogue.source import Declared


class SensorUnit(Declared):
    """How a sensor unit of the BMC is called here."""

    text: str
    """As ipmitool prints it."""
    quantity: str
    unit: str


class IpmiMap(ProtocolMap):
    """Everything the IPMI engine needs; the sensors themselves are listed by the BMC."""

    schemes: ClassVar = ("ipmi",)
    whole_server: ClassVar = True
    engine: Literal["ipmi"]
    cipher: int = Field(ge=0, le=17)
    """RMCP+ cipher suite when the address names none."""
    privilege: Literal["USER", "OPERATOR", "ADMINISTRATOR"]
    """Session privilege when the address names none."""
    sensors_period_s: float = Field(gt=0)
    """How often the sensors are listed while DCMI gives the power [s]; a list can take a BMC seconds."""
    sensor_units: tuple[SensorUnit, ...] = Field(min_length=1)
