"""What is read from a BMC."""

from __future__ import annotations

from collections.abc import Iterator
from typing import ClassVar, Literal

from pydantic import Field

from wattmark_drivers.catalogue.protocol_map import ProtocolMap
from wattmark_drivers.catalogue.source import Declared, Fact


class SensorUnit(Declared):
    """How a sensor unit of the BMC is called here."""

    text: str
    """As ipmitool prints it."""
    quantity: str
    unit: str


class ServerPowerName(Fact):
    """A sensor name under which BMCs give the input power of the whole server."""

    name: str = Field(min_length=1)
    """As the BMC writes it. ``{n}`` stands for a number: the sensors of all supplies' inputs, which are added."""
    entity: int | None = None
    """Entity that the sensor must belong to (IPMI 2.0, table 43-13), where the name alone is too common."""
    remark: str = ""
    """What a reader of the figure must know, in the label of the channel."""


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
    server_power: tuple[ServerPowerName, ...] = Field(min_length=1)
    """Names of the sensors that give the power of the whole server, the best first; no other sensor is taken for it."""

    def facts(self) -> Iterator[tuple[str, Fact]]:
        """Iterate over the names of the server's power, which have sources of their own."""
        yield from ((f"sensor {item.name}", item) for item in self.server_power)
