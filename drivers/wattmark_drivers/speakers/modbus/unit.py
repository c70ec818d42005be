"""One Modbus device, whatever carries its frames: its registers, its refusals, its faults."""

from __future__ import annotations

import math
import re
import struct
import sys
from collections.abc import Mapping, Sequence

from pymodbus.constants import ExcCodes
from pymodbus.pdu import ExceptionResponse, ModbusPDU
from pymodbus.pdu.register_message import ReadHoldingRegistersResponse, ReadInputRegistersResponse

from wattmark_drivers.catalogue.modbus_map import (
    IdentityRegister,
    ModbusMap,
    ModelRegister,
    Register,
    RegisterType,
    WordOrder,
)
from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.identity import SIMULATOR_MARK
from wattmark_drivers.modbus.identity import MARK_ADDRESS, MARK_FUNCTION, MARK_WORDS
from wattmark_drivers.speakers.face import Absent, Face
from wattmark_drivers.speakers.faults import ExceptionCode, Fault, FaultQueue, Saturation, WrongValue
from wattmark_drivers.speakers.indication import RANGED, Indication
from wattmark_drivers.speakers.modbus.identification import IdentificationResponse, identify_unit

SERIAL_MARK = b"SIM"
ALL_ONES = 0xFFFF
MARK_REQUEST = struct.pack(">BHH", MARK_FUNCTION, MARK_ADDRESS, MARK_WORDS)
RESPONSES = {3: ReadHoldingRegistersResponse, 4: ReadInputRegistersResponse}
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
_FLOAT32_MAX = (2 - 2**-23) * 2.0**127


def serial_number(index: int) -> int:
    """Create the serial number of simulated unit ``index``: the ASCII letters "SIM", then the index (0x53494Dxx)."""
    return int.from_bytes(SERIAL_MARK + bytes([index & 0xFF]), "big")


class ModbusUnit:
    """Answers requests from the latest indication.

    Like the real ones it refuses odd or too long requests (code 3), half numbers and unknown addresses (code 2) where
    its declaration says so, and every function but 3 and 4 (code 1). A read of a value that is missing and that its
    registers cannot say is missing is refused as by a gateway whose device does not answer (code 11). Registers of a
    declared block that no channel has are 0 in a simulated meter; behind a face, where a client may take them for what
    the maker's list calls them, they are all ones, which is no number in a float and means "no value" elsewhere.
    """

    def __init__(self, table: ModbusMap, serial: int, faults: FaultQueue, face: Face | None = None) -> None:
        self._table = table
        self._face = face
        self._is_marked = face is None or face.simulated
        self._fixed = _identity_registers(table, serial) if face is None else _face_registers(table, face, serial)
        self._unused = 0 if face is None else ALL_ONES
        self._known = {*self._fixed, *_block_addresses(table)}
        self._image: Mapping[tuple[int, int], int | None] = {}
        self.faults = faults
        self.show(None)

    def show(self, indication: Indication | None, absent: Absent | None = None) -> None:
        """Write a new indication into the registers, all at once."""
        self._image = {**register_image(self._table, indication, over=absent == "over-range"), **self._fixed}

    def inject(self, fault: Fault) -> None:
        """Schedule a fault for the next answers. Raises `ConfigurationError` for one that this meter cannot have."""
        channels = {register.channel for register in self._table.registers}
        if isinstance(fault, WrongValue) and fault.channel not in channels:
            raise ConfigurationError(
                f"The meter has no channel {fault.channel}.", f"It has: {', '.join(sorted(channels))}."
            )
        self.faults.add(fault)

    def answer(self, request: bytes, fault: Fault | None) -> ModbusPDU:
        """Answer the PDU of a request, while a fault that touches the contents is on."""
        function = request[0]
        if request == MARK_REQUEST and self._is_marked:
            return ReadHoldingRegistersResponse(registers=_text_words(SIMULATOR_MARK, 2 * MARK_WORDS))
        if isinstance(fault, ExceptionCode):
            return ExceptionResponse(function, fault.code)
        if self._face is not None and IdentificationResponse.asked_by(request):
            return identify_unit(self._face, request)
        if function not in RESPONSES:
            return ExceptionResponse(function, ExcCodes.ILLEGAL_FUNCTION)
        if len(request) < 5:
            return ExceptionResponse(function, ExcCodes.ILLEGAL_VALUE)
        address, count = struct.unpack_from(">HH", request, 1)
        refusal = self._refusal(function, address, count)
        if refusal is not None:
            return ExceptionResponse(function, refusal)
        image = {**self._image, **self._spoilt(fault)} if fault else self._image
        words = [image.get((function, wire_address), self._unused) for wire_address in range(address, address + count)]
        present = [word for word in words if word is not None]
        if len(present) < count:
            return ExceptionResponse(function, ExcCodes.GATEWAY_NO_RESPONSE)
        return RESPONSES[function](registers=present)

    def _refusal(self, function: int, address: int, count: int) -> ExcCodes | None:
        """Return the exception code with which the real meter refuses a read; None when it answers."""
        table = self._table
        if not 0 < count <= table.max_registers or (table.even_counts and count % 2):
            return ExcCodes.ILLEGAL_VALUE
        if table.whole_values and table.cuts(function, address, count):
            return ExcCodes.ILLEGAL_ADDRESS
        if any((function, wire_address) not in self._known for wire_address in range(address, address + count)):
            return ExcCodes.ILLEGAL_ADDRESS
        return None

    def _spoilt(self, fault: Fault | None) -> dict[tuple[int, int], int]:
        """Lay out what a fault shows instead of the values."""
        if isinstance(fault, Saturation):
            numbers = [(register, saturated(register)) for register in self._table.registers]
        elif isinstance(fault, WrongValue):
            register = next(item for item in self._table.registers if item.channel == fault.channel)
            missing = register.invalid[0] if register.invalid else math.nan
            numbers = [(register, missing if fault.value is None else fault.value / register.scale)]
        else:
            return {}
        return {place: word for register, raw in numbers for place, word in self._lay_out(register, raw)}

    def _lay_out(self, register: Register, raw: float) -> list[tuple[tuple[int, int], int]]:
        words = encode(raw, register.type, self._table.word_order)
        return [((register.function, register.address + offset), word) for offset, word in enumerate(words)]


def _identity_registers(table: ModbusMap, serial: int) -> dict[tuple[int, int], int]:
    """Lay out the serial number and the first model that the declaration is for."""
    entries: list[tuple[IdentityRegister, int | str]] = []
    if table.serial_number is not None:
        text = f"{SIMULATOR_MARK}{serial & 0xFF}"
        entries.append((table.serial_number, text if table.serial_number.type == "text" else serial))
    if table.model_register is not None:
        entries.append((table.model_register, _first_model(table.model_register)))
    return _laid_out(entries)


def _face_registers(table: ModbusMap, face: Face, serial: int) -> dict[tuple[int, int], int]:
    """Lay out what a face can say there: a text, or a serial number that is a number; and the model of the map.

    Behind a face that is simulated the number is that of a simulated unit. Who the unit is, it says by Read Device
    Identification.
    """
    entries: list[tuple[IdentityRegister, int | str]] = []
    place = table.serial_number
    if place is not None and place.type == "text":
        entries.append((place, face.marked(face.serial)))
    elif place is not None and face.simulated:
        entries.append((place, serial))
    elif place is not None and re.fullmatch("[0-9]{1,20}", face.serial) and int(face.serial) < 1 << 16 * place.words:
        entries.append((place, int(face.serial)))
    if table.model_register is not None:
        entries.append((table.model_register, _first_model(table.model_register)))
    return _laid_out(entries)


def _first_model(place: ModelRegister) -> int | str:
    return next(item.code for item in place.models if item.fits)


def _laid_out(entries: Sequence[tuple[IdentityRegister, int | str]]) -> dict[tuple[int, int], int]:
    return {
        (place.function, place.address + offset): word
        for place, value in entries
        for offset, word in enumerate(_identity_words(place, value))
    }


def _identity_words(place: IdentityRegister, value: int | str) -> list[int]:
    if place.type == "text":
        return _text_words(str(value), place.characters)
    return encode(float(value), place.type, WordOrder.HIGH_FIRST)


def _text_words(text: str, characters: int) -> list[int]:
    raw = text.encode("ascii", "replace").ljust(characters, b"\0")[:characters]
    return [word for (word,) in struct.iter_unpack(">H", raw)]


def _block_addresses(table: ModbusMap) -> set[tuple[int, int]]:
    return {
        (block.function, address)
        for block in table.blocks
        for address in range(block.address, block.address + max(block.count, block.retry_count or 0))
    }


def encode(value: float, kind: RegisterType, order: WordOrder) -> list[int]:
    """Pack a raw number into registers; one beyond the format saturates at its end, as in a real meter."""
    if kind is RegisterType.FLOAT32 and math.isfinite(value):
        value = max(-_FLOAT32_MAX, min(_FLOAT32_MAX, value))
    packed = struct.pack(_STRUCT[kind], value if kind.is_float else _saturate(value, kind))
    words = [word for (word,) in struct.iter_unpack(">H", packed)]
    return words if order == "high-first" else words[::-1]


def register_image(
    table: ModbusMap, indication: Indication | None, *, over: bool = False
) -> Mapping[tuple[int, int], int | None]:
    """Lay out one indication: (function code, address) to register value, for every declared channel.

    A missing value is the register's mark for it, or NaN; None where the register has neither. ``over``: it is missing
    because the range of the meter is exceeded, for which some registers have a mark of their own.
    """
    image: dict[tuple[int, int], int | None] = {}
    for register in table.registers:
        value = indication.value(register) if indication else None
        words: list[int] | list[None] = [None] * register.type.words
        if value is not None:
            words = encode(value / register.scale, register.type, table.word_order)
        elif over and register.overflow and register.quantity in RANGED:
            words = encode(register.overflow[0], register.type, table.word_order)
        elif register.invalid or register.type.is_float:
            missing = register.invalid[0] if register.invalid else math.nan
            words = encode(missing, register.type, table.word_order)
        for offset, word in enumerate(words):
            image[register.function, register.address + offset] = word
    return image


def saturated(register: Register) -> float:
    """Return the raw number that a meter shows above its range: its overrange mark, else the end of its format."""
    if register.overflow:
        return register.overflow[0]
    if register.type is RegisterType.FLOAT32:
        return _FLOAT32_MAX
    return sys.float_info.max if register.type is RegisterType.FLOAT64 else _saturate(math.inf, register.type)


def _saturate(value: float, kind: RegisterType) -> int:
    bits = 16 * kind.words
    signed = kind.value.startswith("int")
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)
    return max(low, min(high, round(value))) if math.isfinite(value) else high
