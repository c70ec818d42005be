"""Are the 16-bit halves of long Modbus numbers put together the right way round?"""

from __future__ import annotations

import math
import struct

from wattmark_drivers.catalogue.modbus_map import ModbusMap, Register, WordOrder
from wattmark_drivers.modbus.layout import CODES
from wattmark_drivers.plausibility.recording import MeterRecording
from wattmark_drivers.plausibility.verdict import PlausibilityVerdict, not_checked

RULE = "word-order"
LEAST_PCT = 80.0
SMALLEST_SHARE = 1e-9
"""A float below this share of its largest plausible value is not a measurement: swapped halves give such numbers."""


def word_order(recording: MeterRecording) -> PlausibilityVerdict:
    """Test the share of long numbers that make sense as read [%], and whether more would with the words swapped."""
    table = recording.declaration.protocol
    if not isinstance(table, ModbusMap):
        return not_checked(RULE, "Only Modbus values have a word order.")
    wide = [(register, value) for register in table.registers for value in _values(recording, register)]
    if not wide:
        return not_checked(RULE, "All values longer than 16 bits are zero.")
    as_read = 100 * sum(sane(register, value) for register, value in wide) / len(wide)
    swapped = 100 * sum(sane(register, swap(register, value)) for register, value in wide) / len(wide)
    good = as_read >= LEAST_PCT
    return PlausibilityVerdict(
        RULE,
        "pass" if good else "fail",
        f"{as_read:.0f} % of the 32-bit and longer values are plausible as read, {swapped:.0f} % with their words "
        "swapped.",
        as_read,
        LEAST_PCT,
        "%",
        "" if good else _advice(recording, table, as_read, swapped),
    )


def sane(register: Register, value: float) -> bool:
    """Return whether a value could be a measurement of this register."""
    if not math.isfinite(value):
        return False
    if register.limits and not register.limits[0] <= value <= register.limits[1]:
        return False
    if register.type.is_float:
        largest = max(abs(limit) for limit in register.limits) if register.limits else 1.0
        return abs(value) >= SMALLEST_SHARE * largest
    raw = round(value / register.scale)
    return abs(raw) < 1 << 16 or raw % (1 << 16) != 0


def swap(register: Register, value: float) -> float:
    """Compute what the register would read with the order of its words reversed; NaN where it cannot be."""
    code = CODES[register.type]
    raw = value / register.scale
    try:
        packed = struct.pack(f">{code}", raw if register.type.is_float else round(raw))
    except (struct.error, OverflowError):
        return math.nan
    words = struct.unpack(f">{register.type.words}H", packed)
    (number,) = struct.unpack(f">{code}", struct.pack(f">{register.type.words}H", *reversed(words)))
    return float(number) * register.scale


def _values(recording: MeterRecording, register: Register) -> list[float]:
    if register.type.words < 2:
        return []
    shown = [reading.value for reading in recording.readings if reading.channel == register.channel]
    return [value for value in shown[-3:] if value != 0 and math.isfinite(value)]


def _advice(recording: MeterRecording, table: ModbusMap, as_read: float, swapped: float) -> str:
    if swapped <= as_read:
        return (
            "neither word order gives plausible values: probably another model answers, or the registers are shifted "
            "by one"
        )
    used = WordOrder(str(recording.options.get("word_order", table.word_order)))
    other = WordOrder.LOW_FIRST if used is WordOrder.HIGH_FIRST else WordOrder.HIGH_FIRST
    return f"words swapped: try word_order={other}"
