"""Ask a Modbus unit who it is: its model, its serial number, and whether it is simulated."""

from __future__ import annotations

import struct
from collections.abc import Callable, Iterator

from wattmark_drivers.catalogue.declaration import Declaration
from wattmark_drivers.catalogue.loader import load_catalogue
from wattmark_drivers.catalogue.modbus_map import IdentityRegister, ModbusMap, ModelCode, ModelRegister
from wattmark_drivers.errors import BadReply, ConfigurationError
from wattmark_drivers.identity import SIMULATOR_MARK
from wattmark_drivers.modbus.exception_codes import PASSING
from wattmark_drivers.modbus.layout import CODES
from wattmark_drivers.modbus.line import ExceptionReply, ModbusLine, NoAnswer
from wattmark_drivers.modbus.request import Request

MakeRequest = Callable[[int, int, int], Request]
"""From function, address and count to a request to the unit."""
MARK_FUNCTION, MARK_ADDRESS, MARK_WORDS = 3, 0xFFD0, 5
"""Where a simulated unit has its mark. No declared meter has registers there, so that a real one refuses."""


async def read_serial_number(line: ModbusLine, registers: ModbusMap, request: MakeRequest) -> str | None:
    """Read the unit's serial number; None where the model declares none or the unit does not report it.

    Raises `BadReply` and `ConnectionFailed`: a unit that cannot answer now may do so later.
    """
    serial = await _read(line, registers.serial_number, request)
    return None if serial is None else str(serial)


async def require_model(line: ModbusLine, declaration: Declaration, registers: ModbusMap, request: MakeRequest) -> None:
    """Check the model that the unit reports, by the declaration. Raises `ConfigurationError` with its name.

    A code that no declaration knows is accepted: makers give new codes to new variants of the same meter.
    """
    place = registers.model_register
    reported = await _read(line, place, request)
    if place is None or reported is None:
        return
    for model, code in _models(declaration, place):
        if code.code == reported and (not code.fits or model.id != declaration.id):
            remedy = f"Set its model to {model.id}." if code.fits else "The catalogue has no model for it."
            raise ConfigurationError(f"The device says that it is {code.name}, not {declaration.model}.", remedy)
        if code.code == reported:
            return


async def is_simulated(line: ModbusLine, request: MakeRequest) -> bool | None:
    """Ask the reserved registers whether a simulator answers; None where the unit stays silent."""
    try:
        answer = await line.read(request(MARK_FUNCTION, MARK_ADDRESS, MARK_WORDS))
    except NoAnswer:
        return None
    except BadReply:
        return False
    return answer.data.rstrip(b"\0") == SIMULATOR_MARK.encode()


def _models(declaration: Declaration, place: ModelRegister) -> Iterator[tuple[Declaration, ModelCode]]:
    """Iterate over the codes of this declaration, then over those of others that report them at the same place."""
    yield from ((declaration, code) for code in place.models)
    for other in load_catalogue().values():
        table = other.protocol
        if other.maker != declaration.maker or not isinstance(table, ModbusMap) or table.model_register is None:
            continue
        if (table.model_register.function, table.model_register.address) == (place.function, place.address):
            yield from ((other, code) for code in table.model_register.models)


async def _read(line: ModbusLine, place: IdentityRegister | None, request: MakeRequest) -> int | str | None:
    if place is None:
        return None
    try:
        answer = await line.read(request(place.function, place.address, place.words))
    except ExceptionReply as error:
        if error.code in PASSING:
            raise
        return None
    if place.type != "text":
        return int(struct.unpack(f">{CODES[place.type]}", answer.data)[0])
    text = answer.data.replace(b"\0", b"").decode("ascii", "replace").strip()
    return text if text and text.isprintable() else None
