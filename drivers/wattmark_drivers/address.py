"""Where a device is: the URLs of the bench file, checked."""

from __future__ import annotations

from dataclasses import dataclass
from urllib.parse import SplitResult, parse_qsl, urlsplit

from wattmark_drivers.catalogue.declaration import Declaration, Parity, Transport
from wattmark_drivers.errors import ConfigurationError

FORMS = {
    "modbus-tcp": "modbus-tcp://HOST:502/DEVICE_ID",
    "modbus-rtu": "modbus-rtu:///dev/ttyUSB0?device=1&baud=9600&parity=N&stopbits=1",
    "serial": "serial:///dev/ttyUSB0?baud=115200",
    "ipmi": "ipmi://HOST:623?cipher=3&privilege=USER",
}
PRIVILEGES = ("USER", "OPERATOR", "ADMINISTRATOR")


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
class SerialAddress:
    """A device with a serial port of its own."""

    path: str
    baud: int


@dataclass(frozen=True, slots=True)
class IpmiAddress:
    """A BMC; cipher suite and privilege None take the model's."""

    host: str
    port: int
    cipher: int | None
    privilege: str | None


Address = TcpAddress | RtuAddress | SerialAddress | IpmiAddress


def parse_address(url: str, declaration: Declaration, meter: str = "the meter") -> tuple[Address, Transport]:
    """Parse a URL by what the model speaks. Raises `ConfigurationError` with the allowed forms; never shows secrets."""
    forms = [FORMS[transport.scheme] for transport in declaration.transports]
    remedy = f"Write it as {' or '.join(forms)}."
    try:
        parts = _split(url)
        transport = declaration.transport(parts.scheme)
        if parts.username is not None or parts.password is not None:
            raise ValueError("names a user or password, which belong into their own settings")
        if transport is None:
            raise ValueError(f"has the scheme {parts.scheme or 'of none'}, which {declaration.id} does not speak")
        return _PARSERS[transport.scheme](parts, transport), transport
    except ValueError as error:
        raise ConfigurationError(f"The address of {meter} {error}.", remedy) from None


def _split(url: str) -> SplitResult:
    try:
        parts = urlsplit(url)
    except ValueError:
        raise ValueError("is not an address") from None
    try:
        parts.port  # noqa: B018 - urllib checks the port when it is read
    except ValueError:
        raise ValueError("has a port that is not a number from 0 to 65535") from None
    return parts


def _tcp(parts: SplitResult, transport: Transport) -> Address:
    _query(parts, ())
    device = parts.path.strip("/") or "1"
    return TcpAddress(_host(parts), parts.port or transport.port or 502, _number(device, "device id", 1, 255))


def _rtu(parts: SplitResult, transport: Transport) -> Address:
    query = _query(parts, ("device", "baud", "parity", "stopbits"))
    return RtuAddress(
        _path(parts),
        _number(query.get("device", "1"), "device id", 1, 247),
        _baud(query, transport),
        _parity(query.get("parity", transport.parity)),
        _number(query.get("stopbits", str(transport.stopbits)), "number of stop bits", 1, 2),
    )


def _serial(parts: SplitResult, transport: Transport) -> Address:
    return SerialAddress(_path(parts), _baud(_query(parts, ("baud",)), transport))


def _ipmi(parts: SplitResult, transport: Transport) -> Address:
    query = _query(parts, ("cipher", "privilege"))
    privilege = query.get("privilege")
    if privilege is not None and privilege not in PRIVILEGES:
        raise ValueError(f"has the privilege {privilege}, which is not {', '.join(PRIVILEGES)}")
    cipher = _number(query["cipher"], "cipher suite", 0, 17) if "cipher" in query else None
    return IpmiAddress(_host(parts), parts.port or transport.port or 623, cipher, privilege)


_PARSERS = {"modbus-tcp": _tcp, "modbus-rtu": _rtu, "serial": _serial, "ipmi": _ipmi}


def _host(parts: SplitResult) -> str:
    host = parts.hostname or ""
    if not host or host.startswith("-") or any(char.isspace() for char in host):
        raise ValueError("names no host")
    return host


def _path(parts: SplitResult) -> str:
    if parts.netloc or not parts.path.startswith("/"):
        raise ValueError("names no device file (three slashes lead to an absolute path)")
    return parts.path


def _query(parts: SplitResult, allowed: tuple[str, ...]) -> dict[str, str]:
    query = dict(parse_qsl(parts.query, keep_blank_values=True))
    unknown = sorted(set(query) - set(allowed))
    if unknown:
        raise ValueError(f"has the unknown part {unknown[0]}")
    return query


def _parity(text: str) -> Parity:
    if text not in list(Parity):
        raise ValueError(f"has the parity {text}, which is not {', '.join(Parity)}")
    return Parity(text)


def _baud(query: dict[str, str], transport: Transport) -> int:
    return _number(query.get("baud", str(transport.baud or 9600)), "baud rate", 300, 4_000_000)


def _number(text: str, what: str, low: int, high: int) -> int:
    if not (text.isascii() and text.isdecimal()) or not low <= int(text) <= high:
        raise ValueError(f"has the {what} {text}, which is not a whole number from {low} to {high}")
    return int(text)
