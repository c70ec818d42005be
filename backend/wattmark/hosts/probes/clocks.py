"""The clock of the CPUs, and how often they were throttled.

Sources: the kernel's cpufreq documentation, scaling_cur_freq [kHz]; its thermal_throttle counters (core and package,
Intel).
"""

from __future__ import annotations

from collections.abc import Sequence

from wattmark_drivers.reading import Channel, Kind

from wattmark.hosts.probes.files import Texts
from wattmark.hosts.probes.probe import Values, number

CLOCK_FILES = "/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq"
CLOCK = Channel("cpu_frequency", "clock", "MHz", Kind.INSTANTANEOUS, "CPU clock, mean of all CPUs")
THROTTLE_FILES = (
    "/sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/core_throttle_count",
    "/sys/devices/system/cpu/cpu[0-9]*/thermal_throttle/package_throttle_count",
)
THROTTLED = Channel("cpu_throttle_events", "throttle_events", "1", Kind.COUNTER, "Throttle events of all CPUs")


class ClockProbe:
    """The mean clock of all CPUs."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.paths = paths

    @property
    def channels(self) -> Sequence[Channel]:
        """List the mean clock, where the kernel reports it."""
        return [CLOCK] if self.paths else []

    def values(self, texts: Texts, at_s: float) -> Values:  # noqa: ARG002 - present values
        """Compute the mean clock [MHz]."""
        if not self.paths:
            return {}
        return {CLOCK.id: sum(number(texts, path) for path in self.paths) / len(self.paths) / 1e3}


class ThrottleProbe:
    """The sum of all throttle counters; only its differences mean something."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.paths = paths

    @property
    def channels(self) -> Sequence[Channel]:
        """List the counter, where the CPU has one."""
        return [THROTTLED] if self.paths else []

    def values(self, texts: Texts, at_s: float) -> Values:  # noqa: ARG002 - a running total
        """Compute the sum of the counters."""
        return {THROTTLED.id: sum(number(texts, path) for path in self.paths)} if self.paths else {}
