"""Where a Modbus device is: behind a TCP port or on a serial line."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import SplitResult

from wattmark_drivers.address_parts import baud, device_file, host, number, parity, query
from wattmark_drivers.catalogue.declaration import Parity, Transport
from wattmark_drivers.engine import Scheme


@dataclass(frozen=True, slots=True)
class TcpAddress:
    """A Modbus device behind a TCP port."""

    host: str
    port: int
    device_id: int


@dataclass(frozen=True, slots=True)
class RtuAddress:
    """A Modbus device on a serial line."""

    path: str
    device_id: int
    baud: int
    parity: Parity
    stopbits: int


def parse_tcp(parts: SplitResult, transport: Transport) -> TcpAddress:
    """Read modbus-tcp://HOST:PORT/DEVICE_ID."""
    query(parts)
    device = parts.path.strip("/") or "1"
    return TcpAddress(host(parts), parts.port or transport.port or 502, number(device, "device id", 1, 255))


def parse_rtu(parts: SplitResult, transport: Transport) -> RtuAddress:
    """Read modbus-rtu:///DEVICE_FILE and the line settings behind it."""
    found = query(parts, "device", "baud", "parity", "stopbits")
    return RtuAddress(
        device_file(parts),
        number(found.get("device", "1"), "device id", 1, 247),
        baud(found, transport),
        parity(found.get("parity", transport.parity)),
        number(found.get("stopbits", str(transport.stopbits)), "number of stop bits", 1, 2),
    )


SCHEMES = {
    "modbus-tcp": Scheme("modbus-tcp://HOST:502/DEVICE_ID", parse_tcp),
    "modbus-rtu": Scheme("modbus-rtu:///dev/ttyUSB0?device=1&baud=9600&parity=N&stopbits=1", parse_rtu),
}
