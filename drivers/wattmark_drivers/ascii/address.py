"""Address of a device on a dedicated serial port."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import SplitResult

from wattmark_drivers.address_parts import baud, device_file, query
from wattmark_drivers.catalogue.declaration import Transport
from wattmark_drivers.engine import Scheme


@dataclass(frozen=True, slots=True)
class SerialAddress:
    """A device on a dedicated serial port."""

    path: str
    baud: int


def parse_serial(parts: SplitResult, transport: Transport) -> SerialAddress:
    """Read serial:///DEVICE_FILE?baud=N."""
    return SerialAddress(device_file(parts), baud(query(parts, "baud"), transport))


SCHEMES = {"serial": Scheme("serial:///dev/ttyUSB0?baud=115200", parse_serial)}
