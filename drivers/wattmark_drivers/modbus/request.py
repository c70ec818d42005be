"""A read of Modbus registers, and what comes back."""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import dataclass, field

from wattmark_drivers.clock import Stamp


@dataclass(frozen=True, slots=True)
class Request:
    """A read of consecutive registers of one device."""

    device_id: int
    function: int
    address: int
    count: int
    timeout_s: float
    request_gap_s: float
    quiet_gap_s: float
    pdu: bytes = field(init=False)
    """Function code, first address and count, as they travel in every kind of frame."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "pdu", struct.pack(">BHH", self.function, self.address, self.count))


@dataclass(frozen=True, slots=True)
class ModbusAnswer:
    """The bytes of the registers, highest byte first, and when they were taken."""

    data: bytes
    stamp: Stamp

    @property
    def words(self) -> Sequence[int]:
        """List the registers as numbers."""
        return struct.unpack(f">{len(self.data) // 2}H", self.data)
