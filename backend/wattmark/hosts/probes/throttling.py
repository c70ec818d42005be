"""How often and how long heat throttled each CPU package (Intel).

Source: the kernel's Documentation/admin-guide/thermal/intel_thermal_throttle.rst, and therm_throt.c: the status of a
package reaches all its CPUs, so one of them is read; that of a core both its threads. Time is added when an episode
ends, and a spike more than 10 °C below the limit is an event without a time.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from wattmark_drivers.reading import Channel, Kind

from wattmark.hosts.probes.files import Texts
from wattmark.hosts.probes.probe import Values, number
from wattmark.hosts.probes.topology import Topology

FILES = (
    "/sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/*_throttle_count",
    "/sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/*_throttle_total_time_ms",
)
CORE_COUNT, PACKAGE_COUNT = "/core_throttle_count", "/package_throttle_count"
CORE_TIME, PACKAGE_TIME = "/core_throttle_total_time_ms", "/package_throttle_total_time_ms"
EVENTS = Channel("cpu_throttle_events", "throttle_events", "1", Kind.COUNTER, "Throttle events of all CPUs")


@dataclass(frozen=True, slots=True)
class _Counter:
    """A channel and the files whose numbers it adds up, divided by ``over``."""

    channel: Channel
    paths: tuple[str, ...]
    over: int = 1

    def value(self, texts: Texts) -> float:
        return math.fsum(number(texts, path) for path in self.paths) / self.over


class ThrottleProbe:
    """Events of all CPUs; events and throttled time of each package. Only differences mean something."""

    def __init__(self, paths: Sequence[str], topology: Topology) -> None:
        cores = topology.by_package(topology.one_per_core([path for path in paths if path.endswith(CORE_COUNT)]))
        core_times = topology.by_package(topology.one_per_core([path for path in paths if path.endswith(CORE_TIME)]))
        whole = topology.by_package([path for path in paths if path.endswith(PACKAGE_COUNT)])
        whole_times = topology.by_package([path for path in paths if path.endswith(PACKAGE_TIME)])
        events = {n: (*whole.get(n, ())[:1], *cores.get(n, ())) for n in sorted({*whole, *cores})}
        self._counters = [
            *([_Counter(EVENTS, tuple(path for files in events.values() for path in files))] if events else ()),
            *(_Counter(_events(n), files) for n, files in events.items()),
            *(_Counter(_time(n, f"CPU package {n}", "throttle"), (files[0],)) for n, files in whole_times.items()),
            *(
                _Counter(_time(n, f"Cores of CPU package {n}, mean", "core_throttle"), tuple(files), len(files))
                for n, files in core_times.items()
            ),
        ]
        self.paths = list(dict.fromkeys(path for counter in self._counters for path in counter.paths))

    @property
    def channels(self) -> Sequence[Channel]:
        """List the counters that the CPUs have."""
        return [counter.channel for counter in self._counters]

    def values(self, texts: Texts, at_s: float) -> Values:  # noqa: ARG002 - running totals
        """Compute the number of events [1] and the throttled time [ms]."""
        return {counter.channel.id: counter.value(texts) for counter in self._counters}


def _events(n: int) -> Channel:
    label = f"CPU package {n}: throttle events"
    return Channel(f"package{n}_throttle_events", "throttle_events", "1", Kind.COUNTER, label)


def _time(n: int, device: str, name: str) -> Channel:
    return Channel(f"package{n}_{name}_time", "throttle_time", "ms", Kind.COUNTER, f"{device}: throttled by heat")
