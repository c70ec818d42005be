"""From what a meter indicates to the 16-bit registers that its declaration lays out."""

from __future__ import annotations

import math
import struct
import sys
from collections.abc import Mapping

from wattmark_drivers.catalogue.modbus_map import ModbusMap, Register, RegisterType, WordOrder
from wattmark_drivers.simulators.meter_model import Indication

_STRUCT = {
    RegisterType.UINT16: ">H",
    RegisterType.INT16: ">h",
    RegisterType.UINT32: ">I",
    RegisterType.INT32: ">i",
    RegisterType.FLOAT32: ">f",
    RegisterType.UINT64: ">Q",
    RegisterType.INT64: ">q",
    RegisterType.FLOAT64: ">d",
}


def indicated(register: Register, indication: Indication) -> float:
    """Pick the value of a register's channel in its unit; 0 for quantities that no load model has."""
    if register.quantity == "energy":
        return 0.0 if "export" in register.channel else indication.energy_wh
    values = indication.phases[register.phase - 1] if register.phase else indication.total
    return values.get(register.quantity, 0.0)


def encode(value: float, kind: RegisterType, order: WordOrder) -> list[int]:
    """Pack a raw number into registers; integers saturate at the end of their format, as in a real meter."""
    layout = _STRUCT[kind]
    packed = struct.pack(layout, value if kind.is_float else _saturate(value, kind))
    words = [word for (word,) in struct.iter_unpack(">H", packed)]
    return words if order == "high-first" else words[::-1]


def register_image(table: ModbusMap, indication: Indication) -> Mapping[tuple[int, int], int]:
    """Lay out one indication: (function code, address) to register value, for every declared channel."""
    image: dict[tuple[int, int], int] = {}
    for register in table.registers:
        raw = indicated(register, indication) / register.scale
        for offset, word in enumerate(encode(raw, register.type, table.word_order)):
            image[register.function, register.address + offset] = word
    return image


def saturated(register: Register) -> float:
    """Return the raw number that a meter shows above its range: its overrange mark, else the end of its format."""
    if register.overflow:
        return register.overflow[0]
    if register.type is RegisterType.FLOAT32:
        return (2 - 2**-23) * 2.0**127
    return sys.float_info.max if register.type is RegisterType.FLOAT64 else _saturate(math.inf, register.type)


def _saturate(value: float, kind: RegisterType) -> int:
    bits = 16 * kind.words
    signed = kind.value.startswith("int")
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return max(low, min(high, round(value))) if math.isfinite(value) else high
