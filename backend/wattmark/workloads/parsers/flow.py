"""Monitor the rate of an input, and detect when it exceeds what can be processed."""

from __future__ import annotations

from wattmark.core.errors import WorkloadFailed
from wattmark.workloads.parsers.bounds import BURST_S, BYTES_PER_S, LINES_PER_S


class Flow:
    """A bucket that holds a burst and empties at a steady rate."""

    def __init__(self, per_s: float, burst_s: float = BURST_S) -> None:
        self.per_s = per_s
        self._most = per_s * burst_s
        self._held = 0.0
        self._at_ns: int | None = None
        self._rising_since_ns = 0

    def overflows(self, amount: float, now_ns: int) -> bool:
        """Add the amount of an instant [monotonic ns]; return True where burst and rate are exceeded."""
        emptied = 0.0 if self._at_ns is None else self.per_s * (now_ns - self._at_ns) / 1e9
        if self._held <= emptied:
            self._held, self._rising_since_ns = 0.0, now_ns
        else:
            self._held -= emptied
        self._held += amount
        self._at_ns = now_ns
        return self._held > self._most

    def lasted_s(self, now_ns: int) -> float:
        """Return for how long the rate has been exceeded [s]."""
        return (now_ns - self._rising_since_ns) / 1e9


class OutputFlow:
    """Bounds what one program prints, on both its streams together."""

    def __init__(self) -> None:
        self._lines = Flow(LINES_PER_S)
        self._bytes = Flow(BYTES_PER_S)

    def take(self, data: bytes, now_ns: int) -> None:
        """Count a block of output. Raises `WorkloadFailed` where the program prints faster than it can be read."""
        if self._lines.overflows(data.count(b"\n"), now_ns):
            raise _too_much(f"{LINES_PER_S:,} lines", self._lines.lasted_s(now_ns))
        if self._bytes.overflows(len(data), now_ns):
            raise _too_much(f"{BYTES_PER_S / 1e6:.0f} MB", self._bytes.lasted_s(now_ns))


def _too_much(bound: str, lasted_s: float) -> WorkloadFailed:
    cause = f"The program printed more than {bound} per second for {lasted_s:.1f} s, and was stopped."
    return WorkloadFailed(cause, "Have it report less often, or print less (such as > /dev/null for its log).")
