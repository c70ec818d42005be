"""Find throughput in JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from wattmark_drivers.http_client.json_body import number_of, point

from wattmark.core.errors import WorkloadFailed
from wattmark.workloads.marks import Mark
from wattmark.workloads.parsers.number_track import NumberTrack
from wattmark.workloads.parsers.parsers import JsonParser
from wattmark.workloads.parsers.response import ResponseTrack
from wattmark.workloads.parsers.work import Work
from wattmark.workloads.trigger import Line

MAX_CHARACTERS = 4_000_000


class JsonOutput:
    """Standard output as one JSON document, or as one per line for interval reports."""

    def __init__(self, parser: JsonParser, *, started: Mark, warm_up_s: float, seconds: float) -> None:
        self._parser = parser
        self._track = NumberTrack(
            parser.reports, started=started, warm_up_s=warm_up_s, seconds=seconds, scale=parser.scale
        )
        self._response = ResponseTrack((), seconds=seconds, by_interval=self._track.by_interval)
        self._track.begin_at(started)
        self._lines: list[str] = []
        self._characters = 0

    @property
    def began(self) -> Mark | None:
        """Return when the work that counts began."""
        return self._track.began

    @property
    def done(self) -> bool:
        """Return whether the requested time is filled."""
        return self._track.done

    def feed(self, line: Line) -> None:
        """Read a line of standard output; in interval reports, lines without the number are skipped."""
        if line.stream != "stdout":
            return
        if self._track.by_interval:
            self._take(_decode(line.text), line.mark)
            return
        self._characters += len(line.text) + 1
        if self._characters > MAX_CHARACTERS:
            raise WorkloadFailed(
                f"The program printed more than {MAX_CHARACTERS} characters.", "Print only the result."
            )
        self._lines.append(line.text)

    def result(self, ended: Mark) -> Work:
        """Compute the work. Raises `WorkloadFailed` when the document has no such number."""
        if not self._track.by_interval and not self._take(_decode("\n".join(self._lines)), ended):
            raise WorkloadFailed(f"The program's JSON has no number at {self._parser.pointer}.", "Check the pointer.")
        work = self._track.result(ended)
        response = self._response.between(work.begin, work.end)
        return replace(work, response=response)

    def so_far(self, now: Mark) -> Work | None:
        """Compute the work until now; None while it is not known, as before the single document is complete."""
        return self._track.so_far(now)

    def _take(self, document: Any, mark: Mark) -> bool:
        """Read the number and the response times of a document; return False where it has no such number."""
        value = _number(document, self._parser.pointer)
        if value is None:
            return False
        self._track.add(mark, value)
        for item in self._parser.response:
            seconds = _number(document, item.pointer)
            if seconds is not None:
                self._response.add(item.statistic, str(seconds), item.unit, mark)
        return True


def _number(document: Any, pointer: str) -> float | None:
    """Return the number at a pointer; None where there is none. Raises `WorkloadFailed` for one beyond float range."""
    value = point(document, pointer)
    number = number_of(value)
    if number is None and isinstance(value, (int, float)) and not isinstance(value, bool):
        cause = f"The program reported a number at {pointer} that is not finite or is out of range."
        raise WorkloadFailed(cause, "Check the program.")
    return number


def _decode(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
