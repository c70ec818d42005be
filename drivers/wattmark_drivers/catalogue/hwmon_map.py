"""How the attributes of the kernel's hwmon class are called and scaled."""

from __future__ import annotations

from typing import ClassVar, Literal

from pydantic import Field

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
    invalid: tuple[int, ...] = ()
    """Whole numbers by which the chip says that it has no value."""


class HwmonMap(ProtocolMap):
    """Everything the hwmon engine needs; the chips and sensors themselves are listed by the kernel."""

    schemes: ClassVar = ("hwmon",)
    whole_server: ClassVar = True
    engine: Literal["hwmon"]
    attributes: tuple[HwmonAttribute, ...] = Field(min_length=1)
    server_chips: tuple[str, ...]
    """Names of chips that meter the power of the whole server, where there is one of them."""
