"""How often and how long heat throttled each CPU package (Intel).

Source: the kernel's Documentation/admin-guide/thermal/intel_thermal_throttle.rst, and therm_throt.c: the status of a
package reaches all its CPUs, so one of them is read; that of a core both its threads. What the kernel calls a package
there is a die, where a package has several (MSR_IA32_PACKAGE_THERM_STATUS). Time is added when an episode ends, and a
spike more than 10 °C below the limit is an event without a time.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from wattmark_drivers.reading import Channel, Kind

from wattmark.hosts.probes.files import Texts
from wattmark.hosts.probes.limit_quantities import ALL_EVENTS, THROTTLE_EVENTS, THROTTLE_TIME, events_of, time_of
from wattmark.hosts.probes.probe import Taken, Values, number
from wattmark.hosts.probes.topology import Place, Topology

FILES = (
    "/sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/*_throttle_count",
    "/sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/*_throttle_total_time_ms",
)
CORE_COUNT, PACKAGE_COUNT = "/core_throttle_count", "/package_throttle_count"
CORE_TIME, PACKAGE_TIME = "/core_throttle_total_time_ms", "/package_throttle_total_time_ms"
EVENTS = Channel(ALL_EVENTS, THROTTLE_EVENTS, "1", Kind.COUNTER, "Throttle events of all CPUs")


@dataclass(frozen=True, slots=True)
class _Counter:
    """A channel and the files whose numbers it adds up, divided by ``over``."""

    channel: Channel
    paths: tuple[str, ...]
    over: int = 1

    def value(self, texts: Texts) -> float:
        return math.fsum(number(texts, path) for path in self.paths) / self.over


class ThrottleProbe:
    """Events of all CPUs; events and throttled time of each package, or of each of its dies.

    Only differences mean something. Dies are not added up: each has its own status, and the worst one counts.
    """

    def __init__(self, paths: Sequence[str], topology: Topology) -> None:
        def of(name: str) -> Mapping[Place, list[str]]:
            return topology.by_die([path for path in paths if path.endswith(name)])

        def of_cores(name: str) -> Mapping[Place, list[str]]:
            return topology.by_die(topology.one_per_core([path for path in paths if path.endswith(name)]))

        whole, cores, times = of(PACKAGE_COUNT), of_cores(CORE_COUNT), of(PACKAGE_TIME)
        events = {
            place: (*whole.get(place, ())[:1], *cores.get(place, ())) for place in dict.fromkeys([*whole, *cores])
        }
        self._counters = [
            *([_Counter(EVENTS, tuple(path for files in events.values() for path in files))] if events else ()),
            *(_Counter(_events(place), files) for place, files in events.items()),
            *(_Counter(_time(time_of(place.slug), place.label), (files[0],)) for place, files in times.items()),
            *(
                _Counter(
                    _time(time_of(place.slug, cores=True), f"Cores of {place.label}, mean"), tuple(files), len(files)
                )
                for place, files in of_cores(CORE_TIME).items()
            ),
        ]
        self.paths = list(dict.fromkeys(path for counter in self._counters for path in counter.paths))

    @property
    def channels(self) -> Sequence[Channel]:
        """List the counters that the CPUs have."""
        return [counter.channel for counter in self._counters]

    def values(self, texts: Texts, taken: Taken) -> Values:  # noqa: ARG002 - running totals
        """Compute the number of events [1] and the throttled time [ms]."""
        return {counter.channel.id: counter.value(texts) for counter in self._counters}


def _events(place: Place) -> Channel:
    return Channel(events_of(place.slug), THROTTLE_EVENTS, "1", Kind.COUNTER, f"{place.label}: throttle events")


def _time(name: str, device: str) -> Channel:
    return Channel(name, THROTTLE_TIME, "ms", Kind.COUNTER, f"{device}: throttled by heat")
