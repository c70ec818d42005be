"""Where the kernel's sensors are: a folder of sysfs."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import SplitResult, unquote

from wattmark_drivers.address_parts import query
from wattmark_drivers.catalogue.declaration import Transport
from wattmark_drivers.engine import Scheme

_SLOT = re.compile(r"[0-9A-Fa-f]{4,8}:[0-9A-Fa-f]{2}:[0-9A-Fa-f]{2}\.[0-7]")


@dataclass(frozen=True, slots=True)
class RaplAddress:
    """A folder of power zones."""

    root: Path


@dataclass(frozen=True, slots=True)
class HwmonAddress:
    """A folder of sensor chips; ``name`` None takes every chip in it, ``sensor`` names the one that is the power.

    ``slot`` is the PCI address of the device whose chip is read; None: the only one.
    """

    root: Path
    name: str | None = None
    sensor: str | None = None
    slot: str | None = None


def parse_rapl(parts: SplitResult, _transport: Transport) -> RaplAddress:
    """Parse rapl:///FOLDER."""
    query(parts)
    return RaplAddress(_folder(parts))


def parse_hwmon(parts: SplitResult, _transport: Transport) -> HwmonAddress:
    """Parse hwmon:///FOLDER?name=CHIP&sensor=NAME."""
    options = query(parts, "name", "sensor")
    return HwmonAddress(_folder(parts), options.get("name") or None, options.get("sensor") or None)


def parse_amdgpu(parts: SplitResult, _transport: Transport) -> HwmonAddress:
    """Parse amdgpu:///FOLDER?slot=PCI_ADDRESS."""
    slot = query(parts, "slot").get("slot")
    if slot and not _SLOT.fullmatch(slot):
        raise ValueError("names no PCI address such as 0000:c1:00.0")
    return HwmonAddress(_folder(parts), slot=slot.lower() if slot else None)


def _folder(parts: SplitResult) -> Path:
    path = unquote(parts.path)
    if parts.netloc or not path.startswith("/") or "\0" in path:
        raise ValueError("names no folder (three slashes lead to an absolute path)")
    return Path(path)


RAPL_SCHEMES = {"rapl": Scheme("rapl:///sys/class/powercap", parse_rapl)}
HWMON_SCHEMES = {
    "hwmon": Scheme("hwmon:///sys/class/hwmon?name=power_meter&sensor=NAME", parse_hwmon),
    "amdgpu": Scheme("amdgpu:///sys/class/hwmon?slot=0000:c1:00.0", parse_amdgpu),
}
