"""Serial ports of this machine, and the descriptions of their USB adapters."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Protocol

from wattmark_drivers.discovery.found import FoundDevice

HINTS: Mapping[tuple[int, int | None], str] = {
    (0x0403, 0x6001): "FTDI FT232R: RS-485 or RS-232 adapter, or a Watts Up? (it has this chip inside)",
    (0x0403, 0x6015): "FTDI FT-X: RS-485 or RS-232 adapter",
    (0x0403, None): "FTDI adapter",
    (0x067B, None): "Prolific PL2303: RS-232 adapter",
    (0x1A86, None): "WCH CH340 or CH341: RS-485 or TTL adapter, also sold with PZEM meters",
    (0x10C4, None): "Silicon Labs CP210x: RS-232 or RS-485 adapter",
    (0x0B21, None): "Yokogawa instrument",
    (0x0483, 0x5740): "STM32 virtual serial port: a PowerSensor3, or another device with this chip",
}
"""USB vendor and product ids (linux-usb.org/usb.ids) and where they occur; None matches any product."""


class PortInfo(Protocol):
    """pyserial's description of a port."""

    device: str
    vid: int | None
    pid: int | None
    description: str


def find_serial_ports() -> list[FoundDevice]:
    """List the serial ports of this machine; opens none."""
    from serial.tools import list_ports

    return describe_ports(list_ports.comports())


def serial_port_names() -> frozenset[str]:
    """List the names under which the serial ports of this machine are reached, those of udev included; opens none."""
    from serial.tools import list_ports

    lasting = (str(link) for link in Path("/dev/serial").glob("by-*/*"))
    return frozenset((*(port.device for port in list_ports.comports()), *lasting))


def describe_ports(ports: Iterable[PortInfo]) -> list[FoundDevice]:
    """Explain what each port is, as far as its USB adapter shows; serial numbers of adapters are excluded."""
    return [
        FoundDevice(port.device, _what(port), urls=(f"modbus-rtu://{port.device}?device=1", f"serial://{port.device}"))
        for port in sorted(ports, key=lambda port: port.device)
    ]


def _what(port: PortInfo) -> str:
    if port.vid is None:
        return "serial port of the machine itself, or a virtual one"
    hint = HINTS.get((port.vid, port.pid)) or HINTS.get((port.vid, None)) or port.description
    return f"{hint} (USB {port.vid:04x}:{port.pid or 0:04x})"
