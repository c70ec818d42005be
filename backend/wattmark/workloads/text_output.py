"""Find throughput in printed lines."""

from __future__ import annotations

import re

from wattmark.workloads.declaration import TextParser
from wattmark.workloads.marks import Mark
from wattmark.workloads.number_track import NumberTrack
from wattmark.workloads.trigger import Line, WorkloadFailed
from wattmark.workloads.work import Work


class TextOutput:
    """Lines of either stream against the declared patterns."""

    def __init__(self, parser: TextParser, *, started: Mark, warm_up_s: float, seconds: float) -> None:
        self._pattern = re.compile(parser.pattern)
        self._begin = re.compile(parser.begin) if parser.begin else None
        self._end = re.compile(parser.end) if parser.end else None
        self._track = NumberTrack(parser.reports, started=started, warm_up_s=warm_up_s, seconds=seconds)
        if not self._begin:
            self._track.begin_at(started)

    @property
    def began(self) -> Mark | None:
        """Tell when the work that counts began."""
        return self._track.began

    @property
    def done(self) -> bool:
        """Tell whether the time asked for is filled."""
        return self._track.done

    def feed(self, line: Line) -> None:
        """Take a line. Raises `WorkloadFailed` when the group "value" is no amount of work."""
        if self._begin and self._begin.search(line.text):
            self._track.begin_at(line.mark)
        if self._end and self._end.search(line.text):
            self._track.end_at(line.mark)
        if found := self._pattern.search(line.text):
            self._track.add(line.mark, _number(found["value"]))

    def result(self, ended: Mark) -> Work:
        """Compute the work. Raises `WorkloadFailed` when it cannot be told."""
        if self._begin and self._track.began is None:
            raise WorkloadFailed("The program never printed the declared begin mark.", "Check the pattern begin.")
        return self._track.result(ended)


def _number(text: str | None) -> float:
    try:
        return float((text or "").replace(",", ""))
    except ValueError:
        raise WorkloadFailed(f"{(text or '')[:40]!r} is no number.", "Check the parser's group value.") from None
