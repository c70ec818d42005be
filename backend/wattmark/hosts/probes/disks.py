"""How busy each disk is: proc_diskstats(5) and the kernel's iostats documentation (sectors are 512 bytes)."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from wattmark_drivers.reading import Channel, Kind

from wattmark.hosts.probes.files import Texts
from wattmark.hosts.probes.probe import Rate, Taken, Values

DISKSTATS = "/proc/diskstats"
SECTOR = 512
_DISK = re.compile(r"(sd[a-z]+|vd[a-z]+|xvd[a-z]+|hd[a-z]+|nvme\d+n\d+|mmcblk\d+)$")
_READ_SECTORS, _WRITTEN_SECTORS, _BUSY_MS = 5, 9, 12
"""Positions in a line: sectors read, sectors written, milliseconds with a request in flight."""


def disk_numbers(text: str) -> dict[str, tuple[float, float, float]]:
    """Read bytes read, bytes written and busy time [s] of each whole disk; partitions and layers above are excluded."""
    disks = {}
    for line in text.splitlines():
        fields = line.split()
        if len(fields) > _BUSY_MS and _DISK.match(fields[2]):
            numbers = [fields[column] for column in (_READ_SECTORS, _WRITTEN_SECTORS, _BUSY_MS)]
            if all(number.isascii() and number.isdecimal() for number in numbers):
                read, written, busy = map(int, numbers)
                disks[fields[2]] = (float(read * SECTOR), float(written * SECTOR), busy / 1e3)
    return disks


class DiskProbe:
    """Busy share and traffic of each disk that was there at the beginning."""

    paths = (DISKSTATS,)

    def __init__(self, text: str) -> None:
        self._rates: Mapping[str, tuple[Rate, Rate, Rate]] = {
            name: (Rate(), Rate(), Rate()) for name in disk_numbers(text)
        }

    @property
    def channels(self) -> Sequence[Channel]:
        """List three channels for each disk."""
        return [channel for name in self._rates for channel in _channels(name)]

    def values(self, texts: Texts, taken: Taken) -> Values:
        """Compute bytes read and written [MB/s] and the busy share [%] since the previous reading."""
        now = disk_numbers(texts.get(DISKSTATS, ""))
        values = {}
        for name, rates in self._rates.items():
            numbers = now.get(name, (math.nan, math.nan, math.nan))
            for channel, rate, value, factor in zip(_channels(name), rates, numbers, (1e-6, 1e-6, 100.0), strict=True):
                per_s = rate.of(value, taken.at_s)
                if per_s is not None:
                    values[channel.id] = min(per_s * factor, 100.0) if channel.unit == "%" else per_s * factor
        return values


def _channels(name: str) -> tuple[Channel, Channel, Channel]:
    return (
        Channel(f"{name}_read", "bandwidth", "MB/s", Kind.AVERAGED, f"Disk {name}, read"),
        Channel(f"{name}_write", "bandwidth", "MB/s", Kind.AVERAGED, f"Disk {name}, written"),
        Channel(f"{name}_utilisation", "disk_utilisation", "%", Kind.AVERAGED, f"Disk {name}, busy"),
    )
