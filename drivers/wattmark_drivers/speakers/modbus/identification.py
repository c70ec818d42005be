"""Read Device Identification (MODBUS application protocol V1.1b3, 6.21): the place where a unit tells who it is."""

from __future__ import annotations

from pymodbus.constants import ExcCodes
from pymodbus.pdu import ExceptionResponse, ModbusPDU

from wattmark_drivers.speakers.face import Face

BASIC, REGULAR, EXTENDED, SPECIFIC = 1, 2, 3, 4
"""What a client may ask for: streams of objects, or one object."""
LAST_BASIC = 2
CONFORMITY = 0x82
"""Regular identification, as a stream and by object."""
LENGTHS = {0: 32, 1: 80, 2: 32, 6: 64}
"""Most characters of the vendor's name, the product code, the revision and the name of the application: together they
fit one frame."""


class IdentificationResponse(ModbusPDU):
    """Some objects and their texts."""

    function_code = 0x2B
    sub_function_code = 0x0E

    def __init__(self, read_code: int, objects: dict[int, bytes]) -> None:
        super().__init__()
        self.read_code = read_code
        self.objects = objects

    @classmethod
    def asked_by(cls, request: bytes) -> bool:
        """Return whether a request is for the identification."""
        return request[:2] == bytes([cls.function_code, cls.sub_function_code])

    def encode(self) -> bytes:
        """Lay out what follows the function code; all of it is here, so no more follows."""
        texts = b"".join(bytes([number, len(text)]) + text for number, text in self.objects.items())
        return bytes([self.sub_function_code, self.read_code, CONFORMITY, 0, 0, len(self.objects)]) + texts


def identify_unit(face: Face, request: bytes) -> ModbusPDU:
    """Answer a request for the identification; a stream begins at its object, or at the first where that is unknown."""
    function = request[0]
    if len(request) != 4 or not BASIC <= request[2] <= SPECIFIC:
        return ExceptionResponse(function, ExcCodes.ILLEGAL_VALUE)
    read_code, wanted = request[2], request[3]
    texts = (face.maker, face.model, face.firmware, face.marked(face.serial))
    objects = {
        number: text.encode("ascii", "replace")[:length]
        for (number, length), text in zip(LENGTHS.items(), texts, strict=True)
    }
    if read_code == SPECIFIC:
        if wanted not in objects:
            return ExceptionResponse(function, ExcCodes.ILLEGAL_ADDRESS)
        return IdentificationResponse(read_code, {wanted: objects[wanted]})
    first = wanted if wanted in objects else 0
    last = LAST_BASIC if read_code == BASIC else max(objects)
    return IdentificationResponse(
        read_code, {number: text for number, text in objects.items() if first <= number <= last}
    )
