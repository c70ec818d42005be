"""The machine: clock, serial ports, programs."""

from __future__ import annotations

import ctypes
import os
import shutil
import struct
import subprocess
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import wattmark
from wattmark.service.doctor.finding import Finding

SERIAL_NAMES = ("ttyUSB*", "ttyACM*", "ttyS[0-9]", "ttyAMA*", "usbtmc*")
REAL_UART = Path("/sys/class/tty")
_UNSYNCHRONISED = 5
_MAX_ERROR = struct.Struct("@qql")


def machine(now: datetime, devices: Path = Path("/dev")) -> Iterator[Finding]:
    """Check the operating system."""
    yield clock(*kernel_clock(), now, installed())
    yield from serial_ports(devices)
    yield _program("ipmitool", "BMC power and sensors", "apt-get install ipmitool", ["ipmitool", "-V"])
    yield _program("openssl", "the RSA workloads", "apt-get install openssl", ["openssl", "version"])
    yield _program("ipmi_sim", "the demo's simulated BMC", "apt-get install openipmi", None)
    yield _program(
        "gcc", "DCMI power in the demo's BMC", "apt-get install gcc libopenipmi-dev", ["gcc", "-dumpversion"]
    )


def kernel_clock() -> tuple[bool, float]:
    """Read whether the kernel's clock is synchronised, and its largest error [s]."""
    time_value = ctypes.create_string_buffer(256)
    state = ctypes.CDLL(None).ntp_gettime(time_value)
    return state != _UNSYNCHRONISED, _MAX_ERROR.unpack_from(time_value.raw)[2] * 1e-6


def installed() -> datetime:
    """Return when wattmark was installed on this machine."""
    return datetime.fromtimestamp(Path(wattmark.__file__).stat().st_mtime, UTC)


def clock(synchronised: bool, max_error_s: float, now: datetime, installed: datetime) -> Finding:
    """Evaluate the clock, which stamps every sample and joins the records of several hosts.

    A machine without a battery for its clock wakes up years before wattmark was installed.
    """
    if now < installed:
        text = f"{now:%Y-%m-%d %H:%M} UTC, before wattmark was installed ({installed:%Y-%m-%d})"
        return Finding("clock", "problem", text, "Set the clock, or start an NTP client, before recording.")
    if synchronised:
        return Finding("clock", "ok", f"synchronised, maximum error {max_error_s * 1e3:.0f} ms")
    remedy = "Start an NTP client (apt-get install chrony); required when loads run on other hosts."
    return Finding("clock", "warning", "not synchronised", remedy)


def serial_ports(devices: Path) -> Iterator[Finding]:
    """Evaluate each serial port by opening it, since groups, rules and containers can all prevent that."""
    ports = sorted(port for name in SERIAL_NAMES for port in devices.glob(name) if _real(port))
    if not ports:
        yield Finding("serial ports", "ok", "none connected")
    for port in ports:
        if os.access(port, os.R_OK | os.W_OK):
            yield Finding(f"port {port.name}", "ok", "readable and writable")
        else:
            yield Finding(f"port {port.name}", "warning", "cannot be opened by this user", way_in(_group(port)))


def _real(port: Path) -> bool:
    """Return whether a UART answers behind a built-in port; Linux lists four, present or not."""
    kind = REAL_UART / port.name / "type"
    try:
        return not port.name.startswith("ttyS") or kind.read_text().strip() != "0"
    except OSError:
        return False


def _group(port: Path) -> str:
    try:
        return port.group()
    except (KeyError, OSError):
        return "dialout"


def way_in(group: str) -> str:
    """Explain how to get access to a port; membership of the group root is never advised."""
    if group == "root":
        return (
            "Give the group dialout access to the port with a udev rule (docker/README.md); only root can open it now."
        )
    return f"sudo usermod -aG {group} $USER, then log in again; in a container, pass the device to it."


def _program(name: str, purpose: str, remedy: str, ask: list[str] | None) -> Finding:
    path = shutil.which(name)
    if path is None:
        return Finding(name, "warning", f"not installed (needed for {purpose})", remedy)
    version = _output(ask) if ask else None
    return Finding(name, "ok", f"{version.splitlines()[0]} ({path})" if version else path)


def _output(command: list[str]) -> str | None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
