"""Response times that a program reports beside its throughput."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence

from wattmark.core.amounts import NotANumber, problem, read_number
from wattmark.core.errors import WorkloadFailed
from wattmark.runs.record import ResponseTime
from wattmark.workloads.marks import Mark
from wattmark.workloads.parsers.bounds import step_ns
from wattmark.workloads.parsers.parsers import ResponsePattern, TimeUnit
from wattmark.workloads.parsers.whole_number import require_whole
from wattmark.workloads.parsers.written_unit import require_time_unit

SECONDS: dict[TimeUnit, float] = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


class ResponseTrack:
    """Response times in printed lines, each with the instant at which its line arrived.

    Those of one statistic that come within one step of the work are put together as those of a whole window are: the
    mean of means, else the largest. Where only the end of the program tells (not ``by_interval``), the last one counts.
    """

    def __init__(self, patterns: Sequence[ResponsePattern], *, seconds: float, by_interval: bool) -> None:
        self._patterns = [(item, re.compile(item.pattern)) for item in patterns]
        self._step_ns = step_ns(seconds)
        self._by_interval = by_interval
        self._times: dict[str, _Times] = {}

    def feed(self, text: str, mark: Mark) -> None:
        """Read a line; words in place of a time are skipped."""
        for item, pattern in self._patterns:
            if match := pattern.search(text):
                require_whole(match, pattern)
                require_time_unit(match, item.unit)
                self.add(item.statistic, match["value"] or "", item.unit, mark)

    def add(self, statistic: str, value: str, unit: TimeUnit, mark: Mark) -> None:
        """Add one response time. Raises `WorkloadFailed` for digits that are no time."""
        try:
            seconds = read_number(value) * SECONDS[unit]
        except NotANumber as error:
            if not any(digit.isdecimal() for digit in value):
                return
            raise WorkloadFailed(f"The program reported as response time {error.cause}", error.remedy) from None
        if (why := problem(seconds)) is not None:
            cause = f"The program reported a response time of {value[:40]} {unit}, which {why}."
            raise WorkloadFailed(cause, "Check the parser.")
        if statistic not in self._times or not self._by_interval:
            self._times[statistic] = _Times(statistic, self._step_ns)
        self._times[statistic].add(mark.utc_ns, seconds)

    def between(self, begin: Mark, end: Mark) -> tuple[ResponseTime, ...]:
        """List the response times of the window: those reported in it, or else the last reported ones."""
        reported = sorted((item for times in self._times.values() for item in times.all()), key=lambda item: item.t_ns)
        if not self._by_interval:
            return tuple(reported)
        return tuple(item for item in reported if begin.utc_ns < item.t_ns <= end.utc_ns)


class _Times:
    """The times of one statistic, as numbers."""

    def __init__(self, statistic: str, step_ns: int) -> None:
        self._statistic = statistic
        self._step_ns = step_ns
        self._t_ns = array("q")
        self._value_s = array("d")
        self._in_last = 0
        """How many reports the last time was put together from."""

    def add(self, t_ns: int, value_s: float) -> None:
        if not self._t_ns or t_ns // self._step_ns != self._t_ns[-1] // self._step_ns:
            self._t_ns.append(t_ns)
            self._value_s.append(value_s)
            self._in_last = 1
            return
        self._t_ns[-1], self._in_last = t_ns, self._in_last + 1
        before_s = self._value_s[-1]
        mean_s = before_s + (value_s - before_s) / self._in_last
        self._value_s[-1] = mean_s if self._statistic == "mean" else max(before_s, value_s)

    def all(self) -> list[ResponseTime]:
        return [
            ResponseTime(t_ns=t_ns, statistic=self._statistic, value_s=value_s)
            for t_ns, value_s in zip(self._t_ns, self._value_s, strict=True)
        ]
