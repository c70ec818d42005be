"""How busy the CPUs are: proc_stat(5)."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from wattmark_drivers.reading import Channel, Kind

from wattmark.hosts.probes.files import Texts
from wattmark.hosts.probes.probe import Taken, Values

STAT = "/proc/stat"
UTILISATION = Channel("cpu_utilisation", "utilisation", "%", Kind.AVERAGED, "CPU utilisation")
STEAL = Channel("cpu_steal", "steal", "%", Kind.AVERAGED, "CPU time taken by other guests")
BUSIEST = Channel("cpu_busiest_core", "utilisation", "%", Kind.AVERAGED, "Busiest core")
MOST_CORES = 256
"""Cores beyond this one have no channel of their own; they count in all the others."""


class CpuTime(NamedTuple):
    """Jiffies since boot of one or all CPUs; guest time is inside user."""

    user: int
    nice: int
    system: int
    idle: int
    iowait: int
    irq: int
    softirq: int
    steal: int

    def since(self, earlier: CpuTime) -> CpuTime:
        """Compute the time that passed; a field that went backwards (proc_stat(5) warns of iowait) counts as 0."""
        return CpuTime(*(max(0, now - before) for now, before in zip(self, earlier, strict=True)))

    @property
    def utilisation_pct(self) -> float | None:
        """Compute the busy share [%] of the time that the CPUs had; None while no jiffy has passed.

        Stolen time (another guest ran) is neither busy nor available.
        """
        available = sum(self) - self.steal
        return 100.0 * (available - self.idle - self.iowait) / available if available else None

    @property
    def steal_pct(self) -> float | None:
        """Compute the stolen share [%] of all time; None while no jiffy has passed."""
        return 100.0 * self.steal / sum(self) if sum(self) else None


def cpu_times(text: str) -> dict[str, CpuTime]:
    """Read the lines "cpu" (all together) and "cpuN". Raises ValueError where the first is missing."""
    times = {}
    for line in text.splitlines():
        name, *fields = line.split() or [""]
        if name.startswith("cpu"):
            times[name] = _cpu_time(fields)
    if "cpu" not in times:
        raise ValueError("it has no line for all CPUs")
    return times


def _cpu_time(fields: Sequence[str]) -> CpuTime:
    wanted = fields[: len(CpuTime._fields)]
    if len(wanted) < len(CpuTime._fields):
        raise ValueError("a line has too few values")
    return CpuTime(*map(int, wanted))


class CpuProbe:
    """Busy shares from one reading to the next. Raises ValueError for a /proc/stat that cannot be."""

    paths = (STAT,)

    def __init__(self, text: str) -> None:
        self._before: Mapping[str, CpuTime] = cpu_times(text)
        cores = [name for name in self._before if name != "cpu"][:MOST_CORES]
        self._cores = {name: Channel(f"{name}_utilisation", "utilisation", "%", Kind.AVERAGED, name) for name in cores}

    @property
    def channels(self) -> Sequence[Channel]:
        """List all CPUs together, stolen time, the busiest core and each core."""
        return [UTILISATION, STEAL, *([BUSIEST, *self._cores.values()] if len(self._cores) > 1 else [])]

    def values(self, texts: Texts, taken: Taken) -> Values:  # noqa: ARG002 - jiffies tell the time
        """Compute the shares [%]; NaN where the file is unreadable, nothing before a jiffy has passed."""
        try:
            now = cpu_times(texts[STAT])
        except (KeyError, ValueError):
            return {channel.id: math.nan for channel in self.channels}
        passed = {name: time.since(self._before.get(name, time)) for name, time in now.items()}
        if sum(passed["cpu"]):
            self._before = now
        shares = {channel.id: passed[name].utilisation_pct for name, channel in self._cores.items() if name in passed}
        all_shares = (time.utilisation_pct for name, time in passed.items() if name != "cpu")
        busiest = max((share for share in all_shares if share is not None), default=None)
        cores = {BUSIEST.id: busiest, **shares} if len(self._cores) > 1 else {}
        values = {UTILISATION.id: passed["cpu"].utilisation_pct, STEAL.id: passed["cpu"].steal_pct, **cores}
        return {name: value for name, value in values.items() if value is not None}
