"""A machine under Linux as a meter."""

from __future__ import annotations

import math
import socket
from collections.abc import Sequence

from wattmark_drivers.clock import Clock, stamp_between
from wattmark_drivers.errors import ConnectionFailed
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.reading import Channel, Quality, Reading

from wattmark.hosts.probes import (
    clocks,
    cpu_sensors,
    disks,
    memory,
    network,
    power_limits,
    sensors,
    tcc_offset,
    temperatures,
    throttling,
    topology,
)
from wattmark.hosts.probes.cpu import STAT, CpuProbe
from wattmark.hosts.probes.files import HostFiles, LocalFiles
from wattmark.hosts.probes.probe import Probe, Taken, by_number


class HostMeter:
    """Measure a machine through /proc and /sys. Averages run from one `read` to the next.

    A quantity that the kernel does not tell has no channel; one that stops being readable gives invalid readings.
    ``files`` gives access to the machine; None means this one.
    """

    pushes = False

    def __init__(
        self,
        *,
        clock: Clock,
        files: HostFiles | None = None,
        name: str = "host",
        title: str | None = None,
        period_s: float = 1.0,
    ) -> None:
        self._title = title or socket.gethostname()
        self._clock = clock
        self._files = files or LocalFiles()
        self._period_s = period_s
        self._name = name
        self._probes: Sequence[Probe] = ()
        self._paths: Sequence[str] = ()

    @property
    def identity(self) -> MeterIdentity:
        """Describe the machine; its figures carry no specification."""
        return MeterIdentity(
            name=self._name,
            model="linux",
            maker="",
            title=f"Operating system of {self._title}",
            indicative=True,
            update_period_s=self._period_s,
        )

    @property
    def channels(self) -> Sequence[Channel]:
        """List the channels that the kernel offers; complete only after `open`."""
        return [channel for probe in self._probes for channel in probe.channels]

    async def open(self) -> None:
        """Find the readable channels. Raises `ConnectionFailed` where there is no /proc/stat."""
        self._probes = await self._find()
        self._paths = list(dict.fromkeys(path for probe in self._probes for path in probe.paths))

    async def read(self) -> list[Reading]:
        """Read all channels once. Raises `ConnectionFailed`."""
        asked_ns = self._clock.monotonic_ns()
        texts = await self._files.read(self._paths)
        answered_ns = self._clock.monotonic_ns()
        stamp = stamp_between(self._clock, asked_ns, answered_ns)
        taken = Taken((asked_ns + answered_ns) / 2e9, (answered_ns - asked_ns) / 2e9)
        if STAT not in texts:
            raise _unreadable("it is not there")
        values = {name: value for probe in self._probes for name, value in probe.values(texts, taken).items()}
        return [
            _reading(channel, values[channel.id], stamp.t_ns, stamp.u_t_ns)
            for channel in self.channels
            if channel.id in values
        ]

    async def close(self) -> None:
        """Forget the channels and release the machine."""
        self._probes = ()
        await self._files.close()

    async def _find(self) -> Sequence[Probe]:
        files = self._files
        links = network.link_names(await files.find([network.FILES]))
        heat = await files.find([*cpu_sensors.FILES, *temperatures.FILES, *tcc_offset.FILES])
        limits = await files.find([*topology.FILES, *clocks.BASE_FILES, *power_limits.FILES])
        ceilings, chips = await files.find(clocks.CEILING_FILES), await files.find(sensors.FILES)
        paths = [STAT, disks.DISKSTATS, *map(network.speed_file, links), *heat, *limits]
        paths += [path for path in chips if path.endswith(sensors.TEXTS)]
        texts = await files.read(list(dict.fromkeys(paths)))
        try:
            cpu = CpuProbe(texts.get(STAT, ""))
        except ValueError as error:
            raise _unreadable(str(error)) from error
        cpus = topology.Topology(texts)
        places = cpu_sensors.sensor_places(texts, cpus)
        all_clocks = by_number(await files.find([clocks.CLOCK_FILES]))
        return [
            cpu,
            memory.MemoryProbe(),
            memory.BandwidthProbe(await files.find([memory.BANDWIDTH_FILES])),
            clocks.ClockProbe(all_clocks),
            clocks.ClockLimitProbe(all_clocks, ceilings, texts, cpus),
            throttling.ThrottleProbe(await files.find(throttling.FILES), cpus),
            power_limits.PowerLimitProbe(texts),
            sensors.SensorLimitProbe(chips, texts, places),
            temperatures.TemperatureProbe(temperatures.package_files(texts, places, cpus)),
            disks.DiskProbe(texts.get(disks.DISKSTATS, "")),
            network.NetworkProbe(links, texts),
        ]


def _unreadable(why: str) -> ConnectionFailed:
    return ConnectionFailed(f"{STAT} cannot be read: {why}.", "CPU utilisation needs Linux with /proc mounted.")


def _reading(channel: Channel, value: float, t_ns: int, u_t_ns: int) -> Reading:
    quality = Quality.GOOD if math.isfinite(value) else Quality.INVALID
    return Reading(channel.id, value, channel.unit, t_ns, u_t_ns, channel.kind, quality=quality)
