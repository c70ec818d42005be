"""Decode a block of registers with one struct.unpack."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass

from wattmark_drivers.catalogue.modbus_map import Block, Encoding, Register, RegisterType, WordOrder
from wattmark_drivers.reading import Quality

CODES = {
    RegisterType.UINT16: "H",
    RegisterType.INT16: "h",
    RegisterType.UINT32: "I",
    RegisterType.INT32: "i",
    RegisterType.FLOAT32: "f",
    RegisterType.UINT64: "Q",
    RegisterType.INT64: "q",
    RegisterType.FLOAT64: "d",
}


@dataclass(frozen=True, slots=True)
class Layout:
    """The registers of one block: which words to take, in which order, and how to unpack them."""

    registers: tuple[Register, ...]
    words: tuple[int, ...]
    packer: struct.Struct
    unpacker: struct.Struct

    def decode(self, words: Sequence[int]) -> list[tuple[Register, float, Quality]]:
        """Decode the words of a block into values in the unit of each register, NaN where the meter has none."""
        raw = self.unpacker.unpack(self.packer.pack(*[words[index] for index in self.words]))
        return [(register, *_value(register, number)) for register, number in zip(self.registers, raw, strict=True)]


def lay_out(block: Block, registers: Sequence[Register], word_order: WordOrder) -> Layout:
    """Plan the decoding of a block; words of one number are put highest first."""
    inside = tuple(register for register in registers if block.covers(register))
    words: list[int] = []
    for register in inside:
        span = range(register.address - block.address, register.end - block.address)
        words.extend(span if word_order is WordOrder.HIGH_FIRST else reversed(span))
    return Layout(
        registers=inside,
        words=tuple(words),
        packer=struct.Struct(f">{len(words)}H"),
        unpacker=struct.Struct(">" + "".join(CODES[register.type] for register in inside)),
    )


def _value(register: Register, number: float) -> tuple[float, Quality]:
    if number in register.overflow:
        return math.nan, Quality.INVALID | Quality.OVER_RANGE
    if not math.isfinite(number) or number in register.invalid:
        return math.nan, Quality.INVALID
    value = (_within_quadrant(number) if register.encoding is Encoding.FOUR_QUADRANT else number) * register.scale
    if register.limits and not register.limits[0] <= value <= register.limits[1]:
        return value, Quality.IMPLAUSIBLE
    return value, Quality.GOOD


def _within_quadrant(number: float) -> float:
    """Fold a four-quadrant power factor from 1..2 (leading) back to 1..0, and -1..-2 to -1..0."""
    return math.copysign(2 - abs(number), number) if 1 < abs(number) <= 2 else number
