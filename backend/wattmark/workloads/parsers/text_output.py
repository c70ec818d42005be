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

    def __init__(
        self,
        parser: TextParser,
        *,
        started: Mark,
        warm_up_s: float,
        seconds: float,
        unit: str = "",
        processes: int = 1,
    ) -> None:
        self._parser = parser
        self._counted = unit
        self._pattern = re.compile(parser.pattern)
        self._begin = _compiled(parser.begin)
        self._end = _compiled(parser.end)
        self._took = _compiled(parser.took)
        self._done_at = _compiled(parser.done)
        self._fails_on = _compiled(parser.fails_on)
        self._verified = _compiled(parser.verified)
        self._unverified = 0
        """Numbers less the lines that say one was checked."""
        self._all_came = False
        self._track = NumberTrack(
            parser.reports,
            started=started,
            warm_up_s=warm_up_s,
            seconds=seconds,
            scale=parser.scale * (processes if parser.combine == "mean" else 1),
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
        """Return whether the requested time is filled, or the declared last line came."""
        return self._track.done or self._all_came

    def feed(self, line: OutputLine) -> None:
        """Read a line. Raises `WorkloadFailed` when it reports a failure, or "value" is no amount of work."""
        if self._all_came:
            return
        if self._fails_on and self._fails_on.search(line.text):
            raise WorkloadFailed(
                f"The program reported: {line.text.strip()[:200]}.", "Check its input, and the service that it asks."
            )
        if self._begin and self._begin.search(line.text):
            self._track.begin_at(line.mark)
        if self._end and self._end.search(line.text):
            self._track.end_at(line.mark)
        if self._took and (match := self._took.search(line.text)):
            self._track.took(line.mark, _number(match["seconds"]), line.text)
        if self._verified and self._verified.search(line.text):
            self._unverified -= 1
        if match := self._pattern.search(line.text):
            require_whole(match, self._pattern)
            if self._parser.scale == 1:
                require_unit(match, self._counted, self._parser.reports)
            self._unit.check_match(match)
            self._unverified += 1
            at = match.groupdict().get("at")
            self._track.add(line.mark, _number(match["value"]), line.text, None if at is None else _number(at))
        else:
            self._unit.check_skipped(line.text)
        for check in self._checks:
            check.feed(line.text)
        self._response.feed(line.text, line.mark)
        self._all_came = self._done_at is not None and self._done_at.search(line.text) is not None

    def result(self, ended: Mark) -> MarkedWork:
        """Compute the work. Raises `WorkloadFailed` when it is not known."""
        if self._begin and self._track.began is None:
            raise WorkloadFailed("The program did not print the declared begin marker.", "Check the pattern begin.")
        work = self._track.result(ended)
        if self._verified and self._unverified > 0:
            raise WorkloadFailed(
                "The program did not say that it checked its result, so there is no figure.",
                "Let it check its result; of hpcc and HPL the threshold of the residual must be above 0.",
            )
        response = self._response.between(work.begin, work.end)
        remarks = [said for check in self._checks if (said := check.compare(self._track.number, work))]
        return replace(work, response=response, remarks=(*work.remarks, *remarks))

    def so_far(self, now: Mark) -> MarkedWork | None:
        """Compute the work until now; None while it is not known."""
        return self._track.so_far(now)


def _compiled(pattern: str | None) -> re.Pattern[str] | None:
    return re.compile(pattern) if pattern else None


def _number(text: str | None) -> float:
    try:
        return read_number(text or "")
    except NotANumber as error:
        short = "It may have run too short; otherwise check the parser's group value."
        raise WorkloadFailed(f"The program reported {error.cause}", f"{error.remedy} {short}") from None
