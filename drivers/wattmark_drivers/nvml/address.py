"""Which GPU of this machine."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import SplitResult

from wattmark_drivers.address_parts import number, query
from wattmark_drivers.catalogue.declaration import Transport
from wattmark_drivers.engine import Scheme

_UUID = re.compile(r"GPU-[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}")


@dataclass(frozen=True, slots=True)
class NvmlAddress:
    """A GPU by its index in the driver or by its UUID; one of them is None."""

    index: int | None
    uuid: str | None

    def __str__(self) -> str:
        """Return the GPU as a person does."""
        return f"GPU {self.index}" if self.uuid is None else self.uuid


def parse_nvml(parts: SplitResult, _transport: Transport) -> NvmlAddress:
    """Read nvml://INDEX or nvml:///GPU-UUID."""
    query(parts)
    name = parts.path.removeprefix("/")
    if parts.netloc:
        if name:
            raise ValueError("names both an index and a UUID")
        return NvmlAddress(number(parts.netloc, "index", 0, 1023), None)
    if name.startswith("MIG-"):
        raise ValueError("names a MIG instance, whose power no sensor measures; use its GPU instead")
    if not _UUID.fullmatch(name):
        raise ValueError("names no GPU by its index or its UUID")
    return NvmlAddress(None, name)


SCHEMES = {"nvml": Scheme("nvml://0 or nvml:///GPU-UUID", parse_nvml)}
