"""Where a Modbus device is: behind a TCP port, on a serial line, or on a serial line behind a TCP port."""

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


@dataclass(frozen=True, slots=True)
class RtuTcpAddress:
    """A Modbus device on the serial line of a gateway that passes RTU frames through a TCP port.

    The gateway alone sets the line; the settings here serve to compute its speed.
    """

    host: str
    port: int
    device_id: int
    baud: int
    parity: Parity
    stopbits: int


ModbusAddress = TcpAddress | RtuAddress | RtuTcpAddress
DEVICE_IDS = (1, 247)
"""Addresses of devices on a serial line (Modbus over serial line V1.02, 2.2)."""


def parse_tcp(parts: SplitResult, transport: Transport) -> TcpAddress:
    """Read modbus-tcp://HOST:PORT/DEVICE_ID."""
    query(parts)
    device = parts.path.strip("/") or "1"
    return TcpAddress(host(parts), parts.port or transport.port or 502, number(device, "unit id", 1, 255))


def parse_rtu(parts: SplitResult, transport: Transport) -> RtuAddress:
    """Read modbus-rtu:///DEVICE_FILE and the line settings behind it."""
    options = query(parts, "device", "baud", "parity", "stopbits")
    device_id = number(options.get("device", "1"), "unit id", *DEVICE_IDS)
    return RtuAddress(device_file(parts), device_id, *_line(options, transport))


def parse_rtu_tcp(parts: SplitResult, transport: Transport) -> RtuTcpAddress:
    """Read modbus-rtu-tcp://HOST:PORT/DEVICE_ID and the settings of the gateway's line behind it."""
    options = query(parts, "baud", "parity", "stopbits")
    if not parts.port:
        raise ValueError("names no port")
    device_id = number(parts.path.strip("/") or "1", "unit id", *DEVICE_IDS)
    return RtuTcpAddress(host(parts), parts.port, device_id, *_line(options, transport))


def label(address: ModbusAddress) -> str:
    """Return the name of the line in messages."""
    return address.path if isinstance(address, RtuAddress) else f"{address.host}:{address.port}"


def line_settings(address: ModbusAddress) -> tuple[int | str, ...]:
    """Return the settings that all devices on one line must share, framing included."""
    kind = type(address).__name__
    return (kind,) if isinstance(address, TcpAddress) else (kind, address.baud, address.parity, address.stopbits)


def _line(options: dict[str, str], transport: Transport) -> tuple[int, Parity, int]:
    return (
        baud(options, transport),
        parity(options.get("parity", transport.parity)),
        number(options.get("stopbits", str(transport.stopbits)), "number of stop bits", 1, 2),
    )


SCHEMES = {
    "modbus-tcp": Scheme("modbus-tcp://HOST:502/DEVICE_ID", parse_tcp),
    "modbus-rtu": Scheme("modbus-rtu:///dev/ttyUSB0?device=1&baud=9600&parity=N&stopbits=1", parse_rtu),
    "modbus-rtu-tcp": Scheme("modbus-rtu-tcp://HOST:PORT/DEVICE_ID?baud=9600", parse_rtu_tcp),
}
