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
from wattmark.doctor.finding import Finding

SERIAL_NAMES = ("ttyUSB*", "ttyACM*", "ttyS[0-9]", "ttyAMA*", "usbtmc*")
REAL_UART = Path("/sys/class/tty")
_UNSYNCHRONISED = 5
_MAX_ERROR = struct.Struct("@qql")


def machine(now: datetime, devices: Path = Path("/dev")) -> Iterator[Finding]:
    """Examine what the operating system gives."""
    yield clock(*kernel_clock(), now, installed())
    yield from serial_ports(devices)
    yield _program("ipmitool", "BMC power and sensors", "apt-get install ipmitool", ["ipmitool", "-V"])
    yield _program("openssl", "the RSA workloads", "apt-get install openssl", ["openssl", "version"])
    yield _program("ipmi_sim", "the demo's simulated BMC", "apt-get install openipmi", None)
    yield _program(
        "gcc", "DCMI power in the demo's BMC", "apt-get install gcc libopenipmi-dev", ["gcc", "-dumpversion"]
    )


def kernel_clock() -> tuple[bool, float]:
    """Ask the kernel whether anything disciplines its clock, and for the largest error it then has [s]."""
    told = ctypes.create_string_buffer(256)
    state = ctypes.CDLL(None).ntp_gettime(told)
    return state != _UNSYNCHRONISED, _MAX_ERROR.unpack_from(told.raw)[2] * 1e-6


def installed() -> datetime:
    """Tell when wattmark came onto this machine."""
    return datetime.fromtimestamp(Path(wattmark.__file__).stat().st_mtime, UTC)


def clock(synchronised: bool, max_error_s: float, now: datetime, installed: datetime) -> Finding:
    """Judge the clock: every stamp is taken from it, and the stamps of several hosts are joined by it.

    A machine without a battery for its clock wakes up years before wattmark was installed.
    """
    if now < installed:
        found = f"{now:%Y-%m-%d %H:%M} UTC, before wattmark was installed ({installed:%Y-%m-%d})"
        return Finding("clock", "problem", found, "Set it, or start an NTP client, before anything is recorded.")
    if synchronised:
        return Finding("clock", "ok", f"synchronised, wrong by at most {max_error_s * 1e3:.0f} ms")
    remedy = "Start an NTP client (apt-get install chrony); this matters once loads run on other hosts."
    return Finding("clock", "warning", "not synchronised", remedy)


def serial_ports(devices: Path) -> Iterator[Finding]:
    """Judge each serial port by itself: groups, rules and containers all end in whether it can be opened."""
    ports = sorted(port for name in SERIAL_NAMES for port in devices.glob(name) if _real(port))
    if not ports:
        yield Finding("serial ports", "ok", "none are plugged in")
    for port in ports:
        if os.access(port, os.R_OK | os.W_OK):
            yield Finding(f"port {port.name}", "ok", "may be read and written")
        else:
            yield Finding(f"port {port.name}", "warning", "may not be opened by this user", way_in(_group(port)))


def _real(port: Path) -> bool:
    """Tell whether a UART answers behind a built-in port; Linux lists four, fitted or not."""
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
    """Say how somebody comes to open a port; nobody should have to join the group of root for it."""
    if group == "root":
        return "Give the port to the group dialout by a udev rule (docker/README.md); now it is root's alone."
    return f"sudo usermod -aG {group} $USER, then log in again; in a container pass the device in."


def _program(name: str, purpose: str, remedy: str, ask: list[str] | None) -> Finding:
    path = shutil.which(name)
    if path is None:
        return Finding(name, "warning", f"not installed (needed for {purpose})", remedy)
    said = _output(ask) if ask else None
    return Finding(name, "ok", f"{said.splitlines()[0]} ({path})" if said else path)


def _output(command: list[str]) -> str | None:
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=5, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
