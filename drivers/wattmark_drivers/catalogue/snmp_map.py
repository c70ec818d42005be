"""What is read from a device by SNMP: object identifiers with scale, digits, availability and time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Annotated, ClassVar, Literal, Self

from pydantic import Field, StringConstraints, model_validator

from wattmark_drivers.catalogue.protocol_map import DeclaredChannel, ProtocolMap
from wattmark_drivers.catalogue.source import Declared, Fact

Oid = Annotated[str, StringConstraints(pattern=r"^1\.3(\.(\d+|\{n\}))+$")]
"""A dotted object identifier; ``{n}`` is the number in the address (an outlet, an inlet, a unit)."""
UnitOid = Annotated[str, StringConstraints(pattern=r"^1\.3(\.(\d+|\{n\}|\{unit\}))+$")]
"""One in which ``{unit}`` is the unit of a chain that the number belongs to."""
MOST_OBJECTS = 64
"""Objects in one request: about 1,400 bytes, which fit an Ethernet frame."""
_NUMBER = re.compile(r"\{n\}")
_UNIT = re.compile(r"\{unit\}")
FIRST_UNIT = 1


class SnmpDigits(Declared):
    """Where the device tells how many decimal digits a number has, and how many are usual."""

    oid: Oid
    usual: int = Field(default=0, ge=0, le=6)


class SnmpUnit(Declared):
    """Where the device tells the unit of a number, and the code that the declaration expects there."""

    oid: Oid
    code: int


class SnmpState(Declared):
    """Where the device tells whether a number is one, and the codes that say it is not."""

    oid: Oid
    unavailable: tuple[int, ...] = Field(min_length=1)
    usual: int
    """A code of a number that is one."""


class SnmpRelay(Declared):
    """Where the device tells whether the outlet is switched on, and its codes."""

    oid: Oid
    off: int
    on: int


class SnmpAccuracy(Fact):
    """Where the device tells the limit of error of its power: number / ``per_pct`` % of reading; 0 is none."""

    oid: Oid
    per_pct: float = Field(default=1.0, gt=0)
    usual: int = Field(gt=0)
    """What the simulator tells."""


class SnmpValue(DeclaredChannel):
    """One channel: value in ``unit`` = number x ``scale`` / 10^digits."""

    oid: Oid
    scale: float = Field(default=1.0, gt=0)
    absent: tuple[int, ...] = ()
    """Numbers that mean that this device does not measure it."""
    digits: SnmpDigits | None = None
    measured_in: SnmpUnit | None = None
    states: tuple[SnmpState, ...] = ()
    unit_oid: Oid | None = None
    """Where the device tells which unit of a chain the row belongs to; a row of another unit is excluded."""
    time_oid: Oid | None = None
    """Where the device tells when it took the number [s since 1970, UTC]."""

    @property
    def step(self) -> float | None:
        """Return the smallest change of the value [unit]; None where only the device knows it."""
        if self.resolution is not None:
            return self.resolution
        return self.scale if self.digits is None else self.scale / 10**self.digits.usual

    @property
    def polled(self) -> list[str]:
        """List the objects of each poll."""
        more = [oid for oid in (self.time_oid, self.unit_oid) if oid is not None]
        return [self.oid, *(state.oid for state in self.states), *more]


class SnmpMap(ProtocolMap):
    """Everything the SNMP engine needs. A new PDU is one declaration."""

    schemes: ClassVar = ("snmp",)
    engine: Literal["snmp"]
    version: Literal["2c", "3"] = "2c"
    """Version when the address names none."""
    numbered: str = Field(min_length=1)
    """What the number in the address counts: outlet, inlet, unit."""
    most: int = Field(default=255, ge=1)
    """Largest number."""
    unit_oid: Oid | None = None
    """Where the device tells which unit of a chain the number belongs to; without it, ``{unit}`` is the first."""
    serial_oid: UnitOid | None = None
    firmware_oid: UnitOid | None = None
    relay: SnmpRelay | None = None
    accuracy: SnmpAccuracy | None = None
    values: tuple[SnmpValue, ...] = Field(min_length=1)

    @property
    def measured(self) -> Sequence[SnmpValue]:
        """List the values."""
        return self.values

    @property
    def told_accuracy(self) -> Fact | None:
        """Return the object with the device's own limit of error."""
        return self.accuracy

    def facts(self) -> Iterator[tuple[str, Fact]]:
        """Iterate over the channels with sources of their own and the object of the accuracy."""
        yield from super().facts()
        if self.accuracy is not None:
            yield "accuracy told by the device", self.accuracy

    @model_validator(mode="after")
    def _fits_one_request(self) -> Self:
        names = [value.channel for value in self.values]
        if len(names) > len(set(names)):
            raise ValueError("two values have the same channel")
        if sum(len(value.polled) for value in self.values) > MOST_OBJECTS:
            raise ValueError(f"one request can contain at most {MOST_OBJECTS} objects")
        return self


def numbered(oid: str, number: int, unit: int = FIRST_UNIT) -> str:
    """Replace the placeholders of an object identifier by the number of the address and the unit it belongs to."""
    return _UNIT.sub(str(unit), _NUMBER.sub(str(number), oid))
