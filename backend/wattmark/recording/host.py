"""The machine that wattmark runs on, as a meter: how busy its CPUs are, their clock, memory and temperature."""

from __future__ import annotations

import asyncio
import math
import socket
from collections.abc import Callable, Sequence
from pathlib import Path

from wattmark_drivers.clock import Clock, stamp_since
from wattmark_drivers.errors import ConnectionFailed
from wattmark_drivers.meter import MeterIdentity
from wattmark_drivers.reading import Channel, Kind, Quality, Reading

from wattmark.recording.proc import (
    CpuTime,
    cpu_frequency_files,
    cpu_time,
    memory_used_gib,
    package_temperature_files,
    whole_number,
)

UTILISATION = Channel("cpu_utilisation", "utilisation", "%", Kind.AVERAGED, "CPU utilisation")
_STEAL = Channel("cpu_steal", "steal", "%", Kind.AVERAGED, "CPU time taken by other guests")
_FREQUENCY = Channel("cpu_frequency", "clock", "MHz", Kind.INSTANTANEOUS, "CPU clock, mean of all CPUs")
_MEMORY = Channel("memory_used", "memory", "GiB", Kind.INSTANTANEOUS, "Memory used")


class HostMeter:
    """Measure this machine through /proc and /sys. Averages run from one `read` to the next.

    A quantity that the kernel does not tell has no channel; one that stops being readable gives invalid readings.
    ``root`` is the root of the file system; tests bring their own tree.
    """

    pushes = False

    def __init__(self, *, clock: Clock, root: Path = Path("/"), name: str = "host", period_s: float = 1.0) -> None:
        self._clock = clock
        self._root = root
        self._period_s = period_s
        self._name = name
        self._before: CpuTime | None = None
        self._gauges: list[tuple[Channel, Callable[[], float]]] = []

    @property
    def identity(self) -> MeterIdentity:
        """Describe this machine; its figures carry no specification."""
        return MeterIdentity(
            name=self._name,
            model="linux",
            maker="",
            title=f"Operating system of {socket.gethostname()}",
            indicative=True,
            update_period_s=self._period_s,
        )

    @property
    def channels(self) -> Sequence[Channel]:
        """List what this kernel tells; complete only after `open`."""
        return [UTILISATION, _STEAL, *(channel for channel, _ in self._gauges)]

    async def open(self) -> None:
        """Find what can be read. Raises `ConnectionFailed` where there is no /proc/stat."""
        await asyncio.to_thread(self._find)

    async def read(self) -> list[Reading]:
        """Read all channels once. Raises `ConnectionFailed`."""
        asked_ns = self._clock.monotonic_ns()
        values = await asyncio.to_thread(self._values)
        stamp = stamp_since(self._clock, asked_ns)
        return [_reading(channel, value, stamp.t_ns, stamp.u_t_ns) for channel, value in values]

    async def close(self) -> None:
        """Forget the last reading; there is nothing to close."""
        self._before = None

    def _find(self) -> None:
        self._before = self._cpu_time()
        self._gauges = [(_MEMORY, lambda: memory_used_gib(self._root))]
        clocks = cpu_frequency_files(self._root)
        if clocks:
            self._gauges.append((_FREQUENCY, lambda: sum(map(whole_number, clocks)) / len(clocks) / 1e3))
        for index, (name, path) in enumerate(package_temperature_files(self._root).items()):
            channel = Channel(name, "temperature", "°C", Kind.INSTANTANEOUS, f"CPU package {index}")
            self._gauges.append((channel, lambda path=path: whole_number(path) / 1e3))  # type: ignore[misc]

    def _values(self) -> list[tuple[Channel, float]]:
        values = [*self._cpu_shares(), *((channel, _value(gauge)) for channel, gauge in self._gauges)]
        return [(channel, value) for channel, value in values if value is not None]

    def _cpu_shares(self) -> list[tuple[Channel, float | None]]:
        now = self._cpu_time()
        passed = now.since(self._before or now)
        if sum(passed):
            self._before = now
        return [(UTILISATION, passed.utilisation_pct), (_STEAL, passed.steal_pct)]

    def _cpu_time(self) -> CpuTime:
        try:
            return cpu_time(self._root)
        except (OSError, ValueError, TypeError) as error:
            raise ConnectionFailed(
                f"{self._root / 'proc/stat'} cannot be read: {error}.",
                "CPU utilisation needs Linux with /proc mounted.",
            ) from error


def _value(gauge: Callable[[], float]) -> float:
    try:
        return gauge()
    except (OSError, ValueError):
        return math.nan


def _reading(channel: Channel, value: float, t_ns: int, u_t_ns: int) -> Reading:
    quality = Quality.GOOD if math.isfinite(value) else Quality.INVALID
    return Reading(channel.id, value, channel.unit, t_ns, u_t_ns, channel.kind, quality=quality)
