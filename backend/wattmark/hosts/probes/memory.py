"""Memory used (proc_meminfo(5)) and memory bandwidth (the kernel's resctrl documentation, mbm_total_bytes)."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence

from wattmark_drivers.reading import Channel, Kind

from wattmark.hosts.probes.files import Texts
from wattmark.hosts.probes.probe import Rate, Taken, Values, number

MEMINFO = "/proc/meminfo"
BANDWIDTH_FILES = "/sys/fs/resctrl/mon_data/mon_L3_*/mbm_total_bytes"
USED = Channel("memory_used", "memory", "GiB", Kind.INSTANTANEOUS, "Memory used")
BANDWIDTH = Channel("memory_bandwidth", "bandwidth", "MB/s", Kind.AVERAGED, "Memory bandwidth, all sockets")
_GIB = 2**30


class MemoryProbe:
    """What is not available to programs: MemTotal - MemAvailable."""

    channels = (USED,)
    paths = (MEMINFO,)

    def values(self, texts: Texts, taken: Taken) -> Values:  # noqa: ARG002 - present value
        """Compute the memory used [GiB]."""
        sizes = dict(re.findall(r"^(MemTotal|MemAvailable):\s+(\d+) kB$", texts.get(MEMINFO, ""), re.MULTILINE))
        if len(sizes) != 2:
            return {USED.id: math.nan}
        return {USED.id: (int(sizes["MemTotal"]) - int(sizes["MemAvailable"])) * 1024 / _GIB}


class BandwidthProbe:
    """Bytes that passed all memory controllers; only where resctrl is mounted and the CPU counts them."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.paths = paths
        self._rate = Rate()

    @property
    def channels(self) -> Sequence[Channel]:
        """List the bandwidth, where it is counted."""
        return [BANDWIDTH] if self.paths else []

    def values(self, texts: Texts, taken: Taken) -> Values:
        """Compute the mean since the previous reading [MB/s]."""
        if not self.paths:
            return {}
        rate = self._rate.of(sum(number(texts, path) for path in self.paths), taken.at_s)
        return {} if rate is None else {BANDWIDTH.id: rate / 1e6}
