"""What is read from RAPL; the zones themselves are listed by the kernel."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

from wattmark_drivers.catalogue.protocol_map import ProtocolMap


class RaplMap(ProtocolMap):
    """Everything the RAPL engine needs."""

    schemes: ClassVar = ("rapl",)
    whole_server: ClassVar = True
    engine: Literal["rapl"]
    control_type: str
    """Name of the control type whose zones are read."""
    counter_bits: int = Field(gt=0, le=64)
    """Width of the hardware counter: it wraps after 2 ^ bits units, of which the kernel tells 2 ^ bits - 1."""
    largest_power_w: float = Field(gt=0)
    """No zone draws more [W]; tells a wrap from a reset."""
    shortest_mean_s: float = Field(gt=0)
    """Mean power is derived over no less than this [s]."""
    zone_remarks: dict[str, str] = {}
    """What the channels of a zone of that name (`dram`) must be read with; their labels show it."""
