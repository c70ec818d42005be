"""Hold the work that a program states against what it states of the same work elsewhere in its output."""

from __future__ import annotations

import math
import re

from wattmark.core.amounts import NotANumber, read_number
from wattmark.core.errors import WorkloadFailed
from wattmark.workloads.parsers.parsers import TextCheck
from wattmark.workloads.parsers.report_times import remarks_on_duration
from wattmark.workloads.parsers.work import MarkedWork

_SECONDS = {"seconds": 1.0, "minutes": 60.0, "hours": 3600.0}
_UNITS = {"": 1.0, **{letter: 1024.0**power for power, letter in enumerate("kmgt", start=1)}}


class TextChecker:
    """Collects the figures of one check from the lines."""

    def __init__(self, check: TextCheck) -> None:
        self._check = check
        self._patterns = [re.compile(pattern) for pattern in check.patterns]
        self._groups: dict[str, str] = {}
        self._lines: dict[int, str] = {}

    def feed(self, text: str) -> None:
        """Read a line; of several that match, the last one counts."""
        for place, pattern in enumerate(self._patterns):
            if match := pattern.search(text):
                self._groups |= {name: value for name, value in match.groupdict().items() if value is not None}
                self._lines[place] = " ".join(text.split())[:200]

    def compare(self, number: float | None, work: MarkedWork) -> str:
        """Say what could not be checked, or nothing. Raises `WorkloadFailed` where figures contradict each other."""
        if len(self._lines) < len(self._patterns):
            return "The program did not print all of the figures that its work is checked with."
        (stated, stated_s), quote = self._stated(), "; ".join(self._lines.values())
        reported = number if self._check.against == "number" else _rate(work)
        if reported is None or abs(reported - stated) <= self._check.within_pct / 100 * max(reported, stated):
            return " ".join(remarks_on_duration(stated_s, work.duration_s))
        whose = "it reports" if self._check.against == "number" else "by begin and end of its work it did"
        per = "" if self._check.against == "number" else " per second"
        raise WorkloadFailed(
            f'The program contradicts itself: {whose} {reported:.6g}{per}, but "{quote}" makes {stated:.6g}.',
            "Look at its output; repeat the run.",
        )

    def _stated(self) -> tuple[float, float | None]:
        """Compute the number that the groups make, and the time that they state [s]."""
        try:
            groups = {name: read_number(text) for name, text in self._groups.items() if name != "unit"}
        except NotANumber as error:
            raise WorkloadFailed(f"The program reported {error.cause}", error.remedy) from None
        amount = math.fsum(value for name, value in groups.items() if name.startswith("value"))
        amount *= groups.get("times", 1.0) * self._check.factor
        amount *= _UNITS.get(self._groups.get("unit", "").lower(), math.nan)
        duration_s = sum(groups[name] * scale for name, scale in _SECONDS.items() if name in groups)
        return (amount / duration_s, duration_s) if duration_s else (amount, None)


def _rate(work: MarkedWork) -> float:
    if work.stated_rate is not None:
        return work.stated_rate
    return math.fsum(item.amount for item in work.intervals) / work.duration_s
