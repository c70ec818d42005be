"""Work between reports, kept as numbers as it comes, in steps fine enough for any meter."""

from __future__ import annotations

import threading
from array import array

from wattmark.runs.record import ThroughputInterval
from wattmark.workloads.marks import Mark
from wattmark.workloads.parsers.bounds import step_ns
from wattmark.workloads.parsers.work import interval


class IntervalRows:
    """Amounts of work that follow one another from ``begin`` on.

    Reports that end in the same step are added up, so that a program may report as often as it likes and every unit of
    work still counts. A thread may add while another one reads.
    """

    def __init__(self, begin: Mark, seconds: float) -> None:
        self.begin = begin
        self._step_ns = step_ns(seconds)
        self._last_step = -1
        self._end_utc_ns = array("q")
        self._end_monotonic_ns = array("q")
        self._amount = array("d")
        self._total = 0.0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._amount)

    def add(self, end: Mark, amount: float) -> None:
        """Add the work since the previous report."""
        step = (end.monotonic_ns - self.begin.monotonic_ns) // self._step_ns
        with self._lock:
            if step == self._last_step:
                self._end_utc_ns[-1], self._end_monotonic_ns[-1] = end.utc_ns, end.monotonic_ns
                self._amount[-1] += amount
            else:
                self._end_utc_ns.append(end.utc_ns)
                self._end_monotonic_ns.append(end.monotonic_ns)
                self._amount.append(amount)
            self._last_step = step
            self._total += amount

    def so_far(self) -> tuple[Mark, float]:
        """Return when the last report came, and the work until then."""
        with self._lock:
            if not self._amount:
                return self.begin, 0.0
            return Mark(self._end_utc_ns[-1], self._end_monotonic_ns[-1]), self._total

    def intervals(self) -> tuple[ThroughputInterval, ...]:
        """List the work from step to step."""
        with self._lock:
            ends = [Mark(*stamps) for stamps in zip(self._end_utc_ns, self._end_monotonic_ns, strict=True)]
            return tuple(map(interval, [self.begin, *ends], ends, self._amount))
