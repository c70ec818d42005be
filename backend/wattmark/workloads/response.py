"""Response times that a program reports beside its throughput."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wattmark.amounts import NotANumber, problem, read_number
from wattmark.runs.record import ResponseTime
from wattmark.workloads.marks import Mark
from wattmark.workloads.parsers import ResponsePattern, TimeUnit
from wattmark.workloads.trigger import WorkloadFailed

SECONDS: dict[TimeUnit, float] = {"ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0}


class ResponseTrack:
    """Response times in printed lines, each with the instant at which its line arrived."""

    def __init__(self, patterns: Sequence[ResponsePattern]) -> None:
        self._patterns = [(item, re.compile(item.pattern)) for item in patterns]
        self._found: list[ResponseTime] = []

    def feed(self, text: str, mark: Mark) -> None:
        """Take a line; words where a time should be are passed over."""
        for item, pattern in self._patterns:
            if found := pattern.search(text):
                self.add(item.statistic, found["value"] or "", item.unit, mark)

    def add(self, statistic: str, value: str, unit: TimeUnit, mark: Mark) -> None:
        """Keep one time. Raises `WorkloadFailed` for digits that are no time."""
        try:
            seconds = read_number(value) * SECONDS[unit]
        except NotANumber as error:
            if not any(digit.isdecimal() for digit in value):
                return
            raise WorkloadFailed(f"The program reported as response time {error.cause}", error.remedy) from None
        if (why := problem(seconds)) is not None:
            cause = f"The program reported a response time of {value[:40]} {unit}, which {why}."
            raise WorkloadFailed(cause, "Check the parser.")
        self._found.append(ResponseTime(t_ns=mark.utc_ns, statistic=statistic, value_s=seconds))

    def between(self, begin: Mark, end: Mark, *, by_interval: bool) -> tuple[ResponseTime, ...]:
        """List the times that belong to the window: those reported in it, or what was reported last."""
        if by_interval:
            return tuple(item for item in self._found if begin.utc_ns < item.t_ns <= end.utc_ns)
        return tuple({item.statistic: item for item in self._found}.values())
