"""The clock of the CPUs, and that of each package over what it should keep at full load.

Sources: the kernel's cpufreq documentation, scaling_cur_freq, scaling_max_freq and bios_limit [kHz]; intel_pstate.rst,
base_frequency [kHz]; cppc_sysfs.rst, nominal_freq [MHz].
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from wattmark_drivers.reading import Channel, Kind

from wattmark.hosts.probes.files import Texts
from wattmark.hosts.probes.limit_quantities import CLOCK_OVER_LIMIT
from wattmark.hosts.probes.probe import Taken, Values, number
from wattmark.hosts.probes.topology import Topology, cpu_of

_CPU = "/sys/devices/system/cpu/cpu[0-9]*"
CLOCK_FILES = f"{_CPU}/cpufreq/scaling_cur_freq"
BASE, NOMINAL = "/cpufreq/base_frequency", "/acpi_cppc/nominal_freq"
BASE_FILES = (f"{_CPU}{BASE}", f"{_CPU}{NOMINAL}")
CEILING_FILES = (f"{_CPU}/cpufreq/scaling_max_freq", f"{_CPU}/cpufreq/bios_limit")
CLOCK = Channel("cpu_frequency", "clock", "MHz", Kind.INSTANTANEOUS, "CPU clock, mean of all CPUs")


class ClockProbe:
    """The mean clock of all CPUs."""

    def __init__(self, paths: Sequence[str]) -> None:
        self.paths = paths

    @property
    def channels(self) -> Sequence[Channel]:
        """List the mean clock, where the kernel reports it."""
        return [CLOCK] if self.paths else []

    def values(self, texts: Texts, taken: Taken) -> Values:  # noqa: ARG002 - present values
        """Compute the mean clock [MHz]."""
        if not self.paths:
            return {}
        return {CLOCK.id: _mean(texts, self.paths) / 1e3}


@dataclass(frozen=True, slots=True)
class _Package:
    """A package, the clocks of its CPUs, its base clock [kHz] and the files of what its first CPU may reach."""

    channel: Channel
    clocks: tuple[str, ...]
    base_khz: float
    ceilings: tuple[str, ...]

    def over_limit(self, texts: Texts) -> float:
        """Compute the mean clock over the lowest of base clock and ceilings [1]."""
        limit_khz = [self.base_khz, *(number(texts, path) for path in self.ceilings)]
        if not all(khz > 0 for khz in limit_khz):
            return math.nan
        return _mean(texts, self.clocks) / min(limit_khz)


class ClockLimitProbe:
    """Each package's clock over its base clock, or over a lower limit that is set; only where the base is known.

    Above the base clock a CPU promises nothing, so a lower clock there says nothing.
    """

    def __init__(self, clocks: Sequence[str], ceilings: Sequence[str], texts: Texts, topology: Topology) -> None:
        self._packages = list(_packages(clocks, ceilings, texts, topology))

    @property
    def paths(self) -> Sequence[str]:
        """List the clocks and the ceilings."""
        return [path for package in self._packages for path in (*package.clocks, *package.ceilings)]

    @property
    def channels(self) -> Sequence[Channel]:
        """List the packages whose base clock is known."""
        return [package.channel for package in self._packages]

    def values(self, texts: Texts, taken: Taken) -> Values:  # noqa: ARG002 - present values
        """Compute the clocks over their limits [1]."""
        return {package.channel.id: package.over_limit(texts) for package in self._packages}


def _packages(clocks: Sequence[str], ceilings: Sequence[str], texts: Texts, topology: Topology) -> Iterator[_Package]:
    for n, paths in topology.by_package(clocks).items():
        bases_khz = [_base_khz(texts, path) for path in paths]
        if not all(khz > 0 for khz in bases_khz):
            continue
        first = cpu_of(paths[0])
        label = f"CPU package {n}: clock over its limit at full load"
        yield _Package(
            Channel(f"package{n}_clock_over_limit", CLOCK_OVER_LIMIT, "1", Kind.INSTANTANEOUS, label),
            tuple(paths),
            min(bases_khz),
            tuple(path for path in ceilings if cpu_of(path) == first),
        )


def _base_khz(texts: Texts, clock: str) -> float:
    """Read the base clock of a CPU [kHz] by the file of its clock; NaN where the kernel does not know it."""
    cpu = clock.removesuffix("/cpufreq/scaling_cur_freq")
    base_khz = number(texts, cpu + BASE)
    return 1e3 * number(texts, cpu + NOMINAL) if math.isnan(base_khz) else base_khz


def _mean(texts: Texts, paths: Sequence[str]) -> float:
    """Average over the CPUs that state a clock: one that was taken offline does not."""
    clocks_khz = [khz for path in paths if not math.isnan(khz := number(texts, path))]
    return sum(clocks_khz) / len(clocks_khz) if clocks_khz else math.nan
