"""The clock of the CPUs: the kernel's cpufreq documentation, scaling_cur_freq [kHz]."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark_drivers.reading import Channel, Kind

from wattmark.hosts.probes.files import Texts
from wattmark.hosts.probes.probe import Values, number

FILES = "/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_cur_freq"
CLOCK = Channel("cpu_frequency", "clock", "MHz", Kind.INSTANTANEOUS, "CPU clock, mean of all CPUs")


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
