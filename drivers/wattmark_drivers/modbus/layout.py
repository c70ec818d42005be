"""Decode a block of registers with one struct.unpack."""

from __future__ import annotations

import math
import struct
from collections.abc import Sequence
from dataclasses import dataclass

from wattmark_drivers.catalogue.modbus_map import Encoding, Register, RegisterBlock, RegisterType, WordOrder
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
GOOD = Quality.GOOD
FLOAT_ENDS = {RegisterType.FLOAT32: (2 - 2**-23) * 2.0**127, RegisterType.FLOAT64: (2 - 2**-52) * 2.0**1023}


@dataclass(frozen=True, slots=True)
class Field:
    """One register, ready to be decoded.

    A raw number x ``scale`` from ``low`` to ``high`` is a good value unless the number is ``marked``; any other is
    to be judged.
    """

    register: Register
    scale: float
    low: float
    high: float
    marked: frozenset[int]
    ends: tuple[float, float]

    def judge(self, number: float) -> tuple[float, Quality]:
        """Convert a raw number to a value in the register's unit, NaN where there is none, and its quality."""
        register = self.register
        if number in register.overflow:
            return math.nan, Quality.INVALID | Quality.OVER_RANGE
        if not math.isfinite(number) or number in register.invalid:
            return math.nan, Quality.INVALID
        value = (_within_quadrant(number) if register.encoding is Encoding.FOUR_QUADRANT else number) * register.scale
        quality = GOOD if number not in self.ends else Quality.SATURATED
        if register.limits and not register.limits[0] <= value <= register.limits[1]:
            quality |= Quality.IMPLAUSIBLE
        return value, quality


@dataclass(frozen=True, slots=True)
class Layout:
    """The registers of one block and how to unpack them from its bytes."""

    fields: tuple[Field, ...]
    unpacker: struct.Struct
    order: tuple[int, ...] | None
    """Which words to take, where they do not lie in the order of the registers with the highest first."""
    whole: bool
    """Whether all ones mean that there is nothing to show: a signed integer alone may be -1."""

    def decode(self, data: bytes) -> list[tuple[float, Quality]]:
        """Decode the bytes of a block: the value of each field in its register's unit, NaN where the meter has none."""
        if self.order is not None:
            data = b"".join([data[2 * word : 2 * word + 2] for word in self.order])
        raw = self.unpacker.unpack_from(data)
        if data[0] == 0xFF and self.whole and data.count(0xFF) == len(data):
            return [_all_ones(*field.judge(number)) for field, number in zip(self.fields, raw, strict=True)]
        return [
            (value, GOOD)
            if field.low <= (value := number * field.scale) <= field.high and number not in field.marked
            else field.judge(number)
            for field, number in zip(self.fields, raw, strict=True)
        ]


def lay_out(block: RegisterBlock, registers: Sequence[Register], word_order: WordOrder) -> Layout:
    """Plan the decoding of a block."""
    inside = tuple(register for register in registers if block.covers(register))
    codes, order, end = [], list[int](), 0
    for register in inside:
        begin = register.address - block.address
        span = range(begin, begin + register.type.words)
        order += span if word_order is WordOrder.HIGH_FIRST else reversed(span)
        codes.append((f"{2 * (begin - end)}x" if begin > end else "") + CODES[register.type])
        end = begin + register.type.words
    straight = order == sorted(order)
    packed = "".join(codes if straight else (CODES[register.type] for register in inside))
    fields = tuple(_field(register) for register in inside)
    whole = len(inside) != 1 or not inside[0].type.value.startswith("int")
    return Layout(fields, struct.Struct(">" + packed), None if straight else tuple(order), whole)


def _field(register: Register) -> Field:
    low, high = register.limits or (-math.inf, math.inf)
    if register.encoding is Encoding.FOUR_QUADRANT:
        low, high = max(low, -1.0), min(high, 1.0)
    ends = _ends(register.type)
    # The ends of the format and what lies outside of them, as infinities do, are left to be judged.
    inner = math.nextafter(ends[1] * register.scale, 0)
    return Field(
        register=register,
        scale=register.scale,
        low=max(low, -inner),
        high=min(high, inner),
        marked=frozenset((*register.invalid, *register.overflow)),
        ends=ends,
    )


def _ends(kind: RegisterType) -> tuple[float, float]:
    """Return the numbers at which a format saturates; an unsigned one only at its upper end."""
    if kind.is_float:
        return -FLOAT_ENDS[kind], FLOAT_ENDS[kind]
    bits = 16 * kind.words
    if kind.value.startswith("int"):
        return -(2 ** (bits - 1)), 2 ** (bits - 1) - 1
    return 2**bits - 1, 2**bits - 1


def _all_ones(value: float, quality: Quality) -> tuple[float, Quality]:
    """Mark a value of a block in which every register is FFFF: the device or a gateway has nothing to show."""
    return value, quality | Quality.INVALID | Quality.NO_VALUE


def _within_quadrant(number: float) -> float:
    """Fold a four-quadrant power factor from 1..2 (leading) back to 1..0, and -1..-2 to -1..0."""
    return math.copysign(2 - abs(number), number) if 1 < abs(number) <= 2 else number
