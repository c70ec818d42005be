"""How the attributes of the kernel's hwmon class are called and scaled."""

from __future__ import annotations

from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from wattmark_drivers.catalogue.protocol_map import ProtocolMap
from wattmark_drivers.catalogue.source import Declared
from wattmark_drivers.reading import Kind


class HwmonAttribute(Declared):
    """One kind of attribute: ``power`` with ``input`` is power1_input, power2_input, ..."""

    sensor: str = Field(pattern=r"^[a-z]+$")
    item: str = Field(pattern=r"^[a-z_]+$")
    quantity: str
    unit: str
    divisor: float = Field(gt=0)
    """Value in ``unit`` = whole number / ``divisor``."""
    kind: Kind
    limits: tuple[float, float]
    """Smallest and largest plausible value [unit]."""
    bounds: tuple[str, ...] = ()
    """Items in which the chip tells the most that it can show or take, such as ``cap_max``; the greatest holds."""
    invalid: tuple[int, ...] = ()
    """Whole numbers by which the chip says that it has no value."""
    title: str = ""
    """What the label of its channels begins with; empty: with the chip's own label."""


class HwmonMap(ProtocolMap):
    """Everything the hwmon engine needs; the chips and sensors themselves are listed by the kernel."""

    schemes: ClassVar = ("hwmon", "amdgpu")
    whole_server: ClassVar = True
    engine: Literal["hwmon"]
    attributes: tuple[HwmonAttribute, ...] = Field(min_length=1)
    server_chips: tuple[str, ...] = ()
    """Names of chips that meter the power of the whole server, where there is one of them."""
    part_chips: tuple[str, ...] = ()
    """Names of chips that meter a part of the server (a GPU): their power is never that of the model."""
    device_chip: str | None = None
    """The name of the chip of the one device that the model reads; its first power is that of the model."""
    serial_file: str = ""
    """The file of its serial number, from the folder of its number."""

    @model_validator(mode="after")
    def _reads_a_server_or_a_device(self) -> Self:
        if self.device_chip is not None and (self.server_chips or self.part_chips):
            raise ValueError("a model of one device names no chips of the server")
        return self
