"""The real CPU utilisation of this machine, from two readings of /proc/stat."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

_IDLE_FIELDS = (3, 4)
_STEAL_FIELD = 7
_FIELDS = 8
"""user nice system idle iowait irq softirq steal (proc(5)); guest time is already inside user."""


def read_proc_stat() -> str:
    """Read the first line of /proc/stat: jiffies of all CPUs together."""
    with Path("/proc/stat").open(encoding="ascii") as file:
        return file.readline()


class CpuUtilisation:
    """Utilisation between calls. Stolen time counts neither as busy nor as available: the guest was not asked."""

    def __init__(self, read: Callable[[], str] = read_proc_stat) -> None:
        self._read = read
        self._busy, self._total = self._jiffies()
        self._last = 0.0

    def sample(self) -> float:
        """Compute the utilisation [0..1] since the previous call; the last value while no jiffy has passed."""
        busy, total = self._jiffies()
        passed = total - self._total
        if passed > 0:
            self._last = min(1.0, max(0.0, (busy - self._busy) / passed))
            self._busy, self._total = busy, total
        return self._last

    def _jiffies(self) -> tuple[int, int]:
        label, *fields = self._read().split()
        if label != "cpu" or len(fields) < _FIELDS:
            raise ValueError("/proc/stat does not begin with the totals of all CPUs.")
        jiffies = [int(field) for field in fields[:_FIELDS]]
        total = sum(jiffies) - jiffies[_STEAL_FIELD]
        return total - sum(jiffies[index] for index in _IDLE_FIELDS), total
