"""The register table of a Modbus meter and the blocks in which it is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from enum import StrEnum
from typing import ClassVar, Literal, Self

from pydantic import Field, model_validator

from wattmark_drivers.catalogue.protocol_map import DeclaredChannel, ProtocolMap
from wattmark_drivers.catalogue.source import Declared, Fact

MODBUS_READ_LIMIT = 125
"""Most registers in one read (Modbus application protocol V1.1b3, 6.3 and 6.4)."""


class RegisterType(StrEnum):
    """How a number lies in 16-bit registers."""

    UINT16 = "uint16"
    INT16 = "int16"
    UINT32 = "uint32"
    INT32 = "int32"
    FLOAT32 = "float32"
    UINT64 = "uint64"
    INT64 = "int64"
    FLOAT64 = "float64"

    @property
    def words(self) -> int:
        return int(self.value[-2:]) // 16

    @property
    def is_float(self) -> bool:
        """Return whether it is a floating-point number."""
        return self.value.startswith("float")


class WordOrder(StrEnum):
    """Which 16-bit register of a longer number comes first."""

    HIGH_FIRST = "high-first"
    LOW_FIRST = "low-first"


class Encoding(StrEnum):
    """Encoding of a value as a number on the wire."""

    PLAIN = "plain"
    FOUR_QUADRANT = "four-quadrant"
    """A power factor from -2 to 2 that encodes the quadrant (Schneider Electric PM5560 register list, PF registers)."""


FunctionCode = Literal[3, 4]


class Register(DeclaredChannel):
    """One channel of a Modbus meter: value in ``unit`` = raw number x ``scale``."""

    address: int = Field(ge=0, le=0xFFFF)
    """Zero-based address as it travels on the wire."""
    type: RegisterType
    function: FunctionCode = 4
    scale: float = Field(default=1.0, gt=0)
    encoding: Encoding = Encoding.PLAIN
    invalid: tuple[int, ...] = ()
    """Raw numbers that mean 'not available'; a NaN always does."""
    overflow: tuple[int, ...] = ()
    """Raw numbers that mean 'above the range'."""

    @property
    def end(self) -> int:
        """Return the address after its last register."""
        return self.address + self.type.words

    @property
    def step(self) -> float | None:
        """Return the smallest change of the value [unit]: the declared one, else an integer's; None: unknown."""
        return self.resolution or (None if self.type.is_float else self.scale)


class RegisterBlock(Declared):
    """Registers that are read in one request."""

    function: FunctionCode = 4
    address: int = Field(ge=0, le=0xFFFF)
    count: int = Field(gt=0, le=MODBUS_READ_LIMIT)
    retry_count: int | None = Field(default=None, le=MODBUS_READ_LIMIT)
    """Length of a repeated request. It differs from ``count`` so that a late answer to the first one is recognised."""

    def covers(self, register: Register) -> bool:
        """Return whether one read of this block contains the whole register."""
        inside = self.address <= register.address and register.end <= self.address + self.count
        return inside and self.function == register.function


class IdentityRegister(Fact):
    """Where the unit keeps something that identifies it: a whole number, or text with two characters per register."""

    function: FunctionCode = 3
    address: int = Field(ge=0, le=0xFFFF)
    type: Literal[RegisterType.UINT16, RegisterType.UINT32, RegisterType.INT32, "text"]
    characters: int = Field(default=0, ge=0, le=64)
    """Length of a text; even."""

    @property
    def words(self) -> int:
        """Count its 16-bit registers."""
        return self.characters // 2 if self.type == "text" else self.type.words

    @model_validator(mode="after")
    def _texts_have_a_length(self) -> Self:
        if (self.type == "text") != (self.characters > 0) or self.characters % 2:
            raise ValueError("a text needs its length, an even number of characters; a number has none")
        return self


class ModelCode(Declared):
    """A code that a unit may tell as its model, and the model that it stands for."""

    code: int | str
    """As told; a text without the blanks around it."""
    name: str = Field(min_length=1)
    fits: bool = True
    """False for a unit of that code that the declaration does not read rightly."""


class ModelRegister(IdentityRegister):
    """Where the unit tells its model, and the codes of the models that the declaration is for."""

    models: tuple[ModelCode, ...] = Field(min_length=1)


class ModbusMap(ProtocolMap):
    """Everything the Modbus engine needs to read a model."""

    schemes: ClassVar = ("modbus-tcp", "modbus-rtu", "modbus-rtu-tcp")
    carried: ClassVar = {"modbus-rtu-tcp": "modbus-rtu"}
    options: ClassVar = ("word_order", "answer_s", "channels")
    engine: Literal["modbus"]
    word_order: WordOrder = WordOrder.HIGH_FIRST
    max_registers: int = Field(default=MODBUS_READ_LIMIT, le=MODBUS_READ_LIMIT)
    """Most registers that the model gives in one answer."""
    even_counts: bool = False
    """The model refuses requests for an odd number of registers."""
    whole_values: bool = False
    """The model refuses requests that begin or end inside a number."""
    request_gap_s: float = Field(default=0.0, ge=0)
    """Silence that the meter wants on a serial line before each request [s]."""
    answer_s: float = Field(default=0.0, ge=0)
    """Time that the meter takes to answer, beside the bytes on the line [s]; 0 where it is not known."""
    quiet_gap_s: float = Field(default=0.5, gt=0)
    """Silence on the line after an error, so that a late answer cannot be taken for the next one [s]."""
    blocks: tuple[RegisterBlock, ...] = Field(min_length=1)
    registers: tuple[Register, ...] = Field(min_length=1)
    serial_number: IdentityRegister | None = None
    model_register: ModelRegister | None = None

    @property
    def measured(self) -> Sequence[Register]:
        """List the registers."""
        return self.registers

    def facts(self) -> Iterator[tuple[str, Fact]]:
        """Iterate over the registers of the identity and the registers with sources of their own."""
        if self.serial_number:
            yield "serial number register", self.serial_number
        if self.model_register:
            yield "model register", self.model_register
        yield from ((f"register {item.channel}", item.evidence) for item in self.registers if item.evidence)

    @model_validator(mode="after")
    def _blocks_fit(self) -> Self:
        for block in self.blocks:
            for count in (block.count, block.retry_count or block.count):
                if count > self.max_registers:
                    raise ValueError(f"a block reads {count} registers; the model gives at most {self.max_registers}")
                if self.even_counts and count % 2:
                    raise ValueError(f"a block reads {count} registers; the model requires an even number")
            if block.retry_count is not None and block.retry_count <= block.count:
                raise ValueError("retry_count must be larger than count")
        return self

    def cuts(self, function: int, address: int, count: int) -> bool:
        """Return whether a request for that span begins or ends inside a declared number."""
        ends = (address, address + count)
        return any(
            item.function == function and item.address < end < item.end for item in self.registers for end in ends
        )

    @model_validator(mode="after")
    def _requests_cut_no_number(self) -> Self:
        for block in self.blocks:
            for count in (block.count, block.retry_count or block.count):
                if self.whole_values and self.cuts(block.function, block.address, count):
                    raise ValueError(f"the request for {count} registers from {block.address} ends within a number")
        return self

    @model_validator(mode="after")
    def _registers_lie_in_blocks(self) -> Self:
        for register in self.registers:
            if sum(block.covers(register) for block in self.blocks) != 1:
                raise ValueError(f"register {register.channel} must lie in exactly one block")
        return self
