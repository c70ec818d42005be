"""Where an analyser is: a TCP port, a serial port, or a VISA resource (VXI-11, HiSLIP, USBTMC)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import SplitResult

from wattmark_drivers.address_parts import baud, device_file, host, query
from wattmark_drivers.catalogue.declaration import Transport
from wattmark_drivers.engine import Scheme

_USB = re.compile(r"(?:0x)?([0-9a-f]{4}):(?:0x)?([0-9a-f]{4})(?::([!-~]+))?", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class TcpAddress:
    """A raw TCP port that carries the commands."""

    host: str
    port: int

    @property
    def label(self) -> str:
        """Return its name for people."""
        return f"{self.host}:{self.port}"


@dataclass(frozen=True, slots=True)
class SerialAddress:
    """A serial port."""

    path: str
    baud: int

    @property
    def label(self) -> str:
        """Return its name for people."""
        return self.path


@dataclass(frozen=True, slots=True)
class VisaAddress:
    """A VISA resource; with ``?*`` it is a search for the only one of its kind."""

    resource: str
    label: str


ScpiAddress = TcpAddress | SerialAddress | VisaAddress


def parse_tcp(parts: SplitResult, transport: Transport) -> TcpAddress:
    """Read scpi-tcp://HOST:PORT; the model's port where the address names none."""
    query(parts)
    port = parts.port or transport.port
    if port is None:
        raise ValueError("names no port")
    return TcpAddress(host(parts), port)


def parse_serial(parts: SplitResult, transport: Transport) -> SerialAddress:
    """Read serial:///DEVICE_FILE?baud=N."""
    return SerialAddress(device_file(parts), baud(query(parts, "baud"), transport))


def parse_vxi11(parts: SplitResult, _transport: Transport) -> VisaAddress:
    """Read vxi11://HOST."""
    return _network(parts, "inst0")


def parse_hislip(parts: SplitResult, _transport: Transport) -> VisaAddress:
    """Read hislip://HOST."""
    return _network(parts, "hislip0")


def parse_usbtmc(parts: SplitResult, _transport: Transport) -> VisaAddress:
    """Read usbtmc://VENDOR:PRODUCT[:SERIAL], vendor and product as four hexadecimal digits."""
    query(parts)
    match = _USB.fullmatch(parts.netloc)
    if match is None or parts.path not in {"", "/"}:
        raise ValueError("names no USB vendor and product (four hexadecimal digits each)")
    vendor, product, serial = match[1].lower(), match[2].lower(), match[3]
    return VisaAddress(f"USB0::0x{vendor}::0x{product}::{serial or '?*'}::INSTR", f"USB {parts.netloc}")


def _network(parts: SplitResult, device: str) -> VisaAddress:
    query(parts)
    if parts.port is not None or parts.path not in {"", "/"}:
        raise ValueError("must contain only a host")
    return VisaAddress(f"TCPIP0::{host(parts)}::{device}::INSTR", f"{parts.scheme}://{host(parts)}")


SCHEMES = {
    "scpi-tcp": Scheme("scpi-tcp://HOST:PORT", parse_tcp),
    "serial": Scheme("serial:///dev/ttyUSB0?baud=9600", parse_serial),
    "vxi11": Scheme("vxi11://HOST", parse_vxi11),
    "hislip": Scheme("hislip://HOST", parse_hislip),
    "usbtmc": Scheme("usbtmc://VENDOR:PRODUCT[:SERIAL]", parse_usbtmc),
}
