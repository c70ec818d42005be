"""Find throughput in printed lines."""

from __future__ import annotations

import re
from dataclasses import replace

from wattmark.core.amounts import NotANumber, read_number
from wattmark.core.errors import WorkloadFailed
from wattmark.workloads.marks import Mark
from wattmark.workloads.parsers.number_track import NumberTrack
from wattmark.workloads.parsers.parsers import TextParser
from wattmark.workloads.parsers.report_unit import ReportUnit
from wattmark.workloads.parsers.response import ResponseTrack
from wattmark.workloads.parsers.text_checker import TextChecker
from wattmark.workloads.parsers.whole_number import require_whole
from wattmark.workloads.parsers.work import MarkedWork
from wattmark.workloads.parsers.written_unit import require_unit
from wattmark.workloads.trigger import OutputLine


class TextOutput:
    """Lines of either stream against the declared patterns."""

    def __init__(self, parser: TextParser, *, started: Mark, warm_up_s: float, seconds: float, unit: str = "") -> None:
        self._parser = parser
        self._counted = unit
        self._pattern = re.compile(parser.pattern)
        self._begin = re.compile(parser.begin) if parser.begin else None
        self._end = re.compile(parser.end) if parser.end else None
        self._fails_on = re.compile(parser.fails_on) if parser.fails_on else None
        self._track = NumberTrack(
            parser.reports,
            started=started,
            warm_up_s=warm_up_s,
            seconds=seconds,
            scale=parser.scale,
            add_up=parser.combine == "sum",
        )
        self._unit = ReportUnit()
        self._checks = [TextChecker(check) for check in parser.checks]
        self._response = ResponseTrack(parser.response, seconds=seconds, by_interval=self._track.by_interval)
        if not self._begin:
            self._track.begin_at(started)

    @property
    def began(self) -> Mark | None:
        """Return when the work that counts began."""
        return self._track.began

    @property
    def done(self) -> bool:
        """Return whether the requested time is filled."""
        return self._track.done

    def feed(self, line: OutputLine) -> None:
        """Read a line. Raises `WorkloadFailed` when it reports a failure, or "value" is no amount of work."""
        if self._fails_on and self._fails_on.search(line.text):
            raise WorkloadFailed(
                f"The program reported: {line.text.strip()[:200]}.", "Check its input, and the service that it asks."
            )
        if self._begin and self._begin.search(line.text):
            self._track.begin_at(line.mark)
        if self._end and self._end.search(line.text):
            self._track.end_at(line.mark)
        if match := self._pattern.search(line.text):
            require_whole(match, self._pattern)
            if self._parser.scale == 1:
                require_unit(match, self._counted, self._parser.reports)
            self._unit.check_match(match)
            at = match.groupdict().get("at")
            self._track.add(line.mark, _number(match["value"]), line.text, None if at is None else _number(at))
        else:
            self._unit.check_skipped(line.text)
        for check in self._checks:
            check.feed(line.text)
        self._response.feed(line.text, line.mark)

    def result(self, ended: Mark) -> MarkedWork:
        """Compute the work. Raises `WorkloadFailed` when it is not known."""
        if self._begin and self._track.began is None:
            raise WorkloadFailed("The program did not print the declared begin marker.", "Check the pattern begin.")
        work = self._track.result(ended)
        response = self._response.between(work.begin, work.end)
        remarks = [said for check in self._checks if (said := check.compare(self._track.number, work))]
        return replace(work, response=response, remarks=(*work.remarks, *remarks))

    def so_far(self, now: Mark) -> MarkedWork | None:
        """Compute the work until now; None while it is not known."""
        return self._track.so_far(now)


def _number(text: str | None) -> float:
    try:
        return read_number(text or "")
    except NotANumber as error:
        short = "It may have run too short; otherwise check the parser's group value."
        raise WorkloadFailed(f"The program reported {error.cause}", f"{error.remedy} {short}") from None
