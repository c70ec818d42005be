"""Modbus frames as bytes: with a header on TCP, with a checksum on serial lines (RTU)."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from typing import Protocol

from pymodbus.framer.rtu import FramerRTU

HEADER = struct.Struct(">HHHB")
"""MBAP: transaction, protocol (0), bytes that follow, device (Messaging on TCP/IP guide V1.0b, 3.1.3)."""
PDU_SIZES = range(2, 254)
EXCEPTION = 0x80
LONGEST_FRAME = 256
"""Bytes of the longest RTU frame (Modbus over serial line V1.02, 2.5.1)."""


class OutOfStepError(Exception):
    """The bytes are not frames, and the start of the next frame is unknown."""


class Framing(Protocol):
    """Wraps requests and finds the answer to the latest one."""

    def wrap(self, device_id: int, pdu: bytes) -> bytes:
        """Build a frame; later answers to earlier requests are ignored."""
        ...

    def feed(self, data: bytes) -> bytes | None:
        """Add bytes from the line; return the PDU of the answer once complete. Raises `OutOfStepError`."""
        ...

    @property
    def halfway(self) -> bool:
        """Return whether part of a frame was received whose rest would corrupt the next one."""
        ...

    @property
    def passed_over(self) -> Sequence[str]:
        """List the unexpected replies since the latest request."""
        ...


class TcpFraming:
    """Frames with a transaction number, so that a late answer is known as such."""

    def __init__(self) -> None:
        self._transaction = 0
        self._device_id = -1
        self._buffer = b""
        self._passed_over: list[str] = []

    def wrap(self, device_id: int, pdu: bytes) -> bytes:
        """Build a frame with the next transaction number."""
        self._transaction = self._transaction % 0xFFFF + 1
        self._device_id = device_id
        self._passed_over = []
        return HEADER.pack(self._transaction, 0, len(pdu) + 1, device_id) + pdu

    def feed(self, data: bytes) -> bytes | None:
        """Find the answer of the latest transaction; other frames are passed over."""
        buffer = self._buffer + data
        frame = None
        while frame is None and len(buffer) >= HEADER.size:
            transaction, protocol, length, device_id = HEADER.unpack_from(buffer)
            if protocol or length - 1 not in PDU_SIZES:
                raise OutOfStepError
            end = HEADER.size + length - 1
            if len(buffer) < end:
                break
            if transaction == self._transaction and device_id == self._device_id:
                frame = buffer[HEADER.size : end]
            elif device_id != self._device_id:
                self._passed_over.append(f"unit id {device_id} for {self._device_id}")
            else:
                self._passed_over.append(f"transaction number {transaction} for {self._transaction}")
            buffer = buffer[end:]
        self._buffer = buffer
        return frame

    @property
    def halfway(self) -> bool:
        """Return whether part of a frame was received."""
        return bool(self._buffer)

    @property
    def passed_over(self) -> Sequence[str]:
        """List the unexpected frames since the latest request."""
        return self._passed_over


class RtuFraming:
    """Frames without a number: an answer is known by its device, its function, its length and its checksum."""

    def __init__(self) -> None:
        self._device_id = self._function = -1
        self._buffer = b""

    def wrap(self, device_id: int, pdu: bytes) -> bytes:
        """Build a frame and discard earlier bytes."""
        # RTU frames have no number: a late reply to the previous request would be taken for the answer to this one.
        self._device_id, self._function, self._buffer = device_id, pdu[0], b""
        frame = bytes([device_id]) + pdu
        return frame + _checksum(frame)

    def feed(self, data: bytes) -> bytes | None:
        """Find the answer among whatever else is on the line."""
        self._buffer = (self._buffer + data)[-2 * LONGEST_FRAME :]
        heard = self._buffer
        start = heard.find(self._device_id)
        while 0 <= start <= len(heard) - 5:
            frame = heard[start : start + self._size(heard[start + 1], heard[start + 2])]
            if len(frame) >= 5 and _checksum(frame[:-2]) == frame[-2:]:
                return frame[1:-2]
            start = heard.find(self._device_id, start + 1)
        return None

    @property
    def halfway(self) -> bool:
        """Return False: the next frame is found whatever came before."""
        return False

    @property
    def passed_over(self) -> Sequence[str]:
        """Return none: other devices and echoes are usual on a serial line."""
        return ()

    def _size(self, function: int, following: int) -> int:
        """Return how long a frame with that begin is; 0 for one that cannot be the answer."""
        if function == self._function:
            return 5 + following
        return 5 if function == self._function | EXCEPTION else 0


def _checksum(frame: bytes) -> bytes:
    return FramerRTU.compute_CRC(frame).to_bytes(2, "big")
