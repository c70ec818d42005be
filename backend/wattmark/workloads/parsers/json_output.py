"""Find throughput in JSON."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import dropwhile
from typing import Any

from wattmark_drivers.http_client.json_body import number_of, point

from wattmark.core.errors import WorkloadFailed
from wattmark.core.numbers import format_number
from wattmark.workloads.marks import Mark
from wattmark.workloads.parsers.number_track import NumberTrack
from wattmark.workloads.parsers.parsers import JsonCheck, JsonParser
from wattmark.workloads.parsers.report_times import remarks_on_duration
from wattmark.workloads.parsers.response import SECONDS, ResponseTrack
from wattmark.workloads.parsers.work import MarkedWork
from wattmark.workloads.parsers.written_unit import require_unit_beside
from wattmark.workloads.trigger import OutputLine

MAX_CHARACTERS = 4_000_000
_UNIT_NAMES = ("unit", "units")


class JsonOutput:
    """Standard output as one JSON document, or as one per line for interval reports."""

    def __init__(self, parser: JsonParser, *, started: Mark, warm_up_s: float, seconds: float, unit: str = "") -> None:
        self._parser = parser
        self._counted = unit
        self._track = NumberTrack(
            parser.reports, started=started, warm_up_s=warm_up_s, seconds=seconds, scale=parser.scale
        )
        self._response = ResponseTrack((), seconds=seconds, by_interval=self._track.by_interval)
        self._track.begin_at(started)
        self._lines: list[str] = []
        self._characters = 0
        self._torn = 0
        """Lines that begin like a document and are none."""
        self._remarks: list[str] = []
        self._stated_s: float | None = None
        """How long the program says that it worked [s]."""

    @property
    def began(self) -> Mark | None:
        """Return when the work that counts began."""
        return self._track.began

    @property
    def done(self) -> bool:
        """Return whether the requested time is filled."""
        return self._track.done

    def feed(self, line: OutputLine) -> None:
        """Read a line of standard output; in interval reports, lines without the number are skipped."""
        if line.stream != "stdout":
            return
        if self._track.by_interval:
            document = _decode(line.text)
            self._torn += document is None and line.text.lstrip().startswith("{")
            self._take(document, line.mark)
            return
        self._characters += len(line.text) + 1
        if self._characters > MAX_CHARACTERS:
            raise WorkloadFailed(
                f"The program printed more than {MAX_CHARACTERS} characters.", "Print only the result."
            )
        self._lines.append(line.text)

    def result(self, ended: Mark) -> MarkedWork:
        """Compute the work. Raises `WorkloadFailed` when the document has no such number."""
        if not self._track.by_interval:
            self._take_whole(ended)
        work = self._track.result(ended)
        response = self._response.between(work.begin, work.end)
        self._remarks.extend(remarks_on_duration(self._stated_s, work.duration_s))
        if self._torn:
            self._remarks.append(f"{self._torn:,} of the program's lines could not be read as JSON.")
        return replace(work, response=response, remarks=(*work.remarks, *self._remarks))

    def so_far(self, now: Mark) -> MarkedWork | None:
        """Compute the work until now; None while it is not known, as before the single document is complete."""
        return self._track.so_far(now)

    def _take_whole(self, ended: Mark) -> None:
        """Read the document; what a program says in lines before it, as fio does of its files, is passed over."""
        document = _decode("\n".join(self._lines))
        if document is None:
            document = _decode("\n".join(dropwhile(lambda line: not line.startswith("{"), self._lines)))
        if document is None:
            said = next((line.strip() for line in self._lines if line.strip()), "nothing")
            raise WorkloadFailed(f"The program printed no JSON document but: {said[:200]}.", "Check the command.")
        if not self._take(document, ended):
            raise WorkloadFailed(f"The program's JSON has no number at {self._parser.pointer}.", "Check the pointer.")

    def _take(self, document: Any, mark: Mark) -> bool:
        """Read the number and the response times of a document; return False where it has no such number."""
        value = _number(document, self._parser.pointer)
        if value is None:
            return False
        for pointer in self._parser.must_be_0:
            if count := _number(document, pointer):
                cause = f"The program counted errors: {pointer} is {format_number(count)}."
                raise WorkloadFailed(cause, "Check its input, and the disk or service that it asks.")
        if self._parser.scale == 1:
            self._require_unit(document)
        if self._parser.check is not None:
            self._compare(document, self._parser.check, value)
        self._look_beside(document)
        self._track.add(mark, value, f"{self._parser.pointer} {value:g}")
        for item in self._parser.response:
            seconds = _number(document, item.pointer)
            if seconds is not None:
                self._response.add(item.statistic, str(seconds), item.unit, mark)
        return True

    def _require_unit(self, document: Any) -> None:
        """Check the unit beside a number, where that is the only one there."""
        around = point(document, self._parser.pointer.rpartition("/")[0])
        if not isinstance(around, dict) or sum(number_of(item) is not None for item in around.values()) > 1:
            return
        for name in _UNIT_NAMES:
            if isinstance(stated := around.get(name), str):
                require_unit_beside(stated, self._parser.pointer, self._counted, self._parser.reports)

    def _look_beside(self, document: Any) -> None:
        """Note a list on the way to the number of which other entries have such a number too."""
        steps = self._parser.pointer.split("/")
        for place in range(2, len(steps)):
            entries = point(document, "/".join(steps[:place]))
            if not isinstance(entries, list):
                continue
            rest = "/" + "/".join(steps[place + 1 :]) if place + 1 < len(steps) else ""
            count = sum(number_of(point(entry, rest)) is not None for entry in entries)
            said = (
                f"{count} entries of {'/'.join(steps[:place])} have such a number; entry {steps[place]} alone counts, "
                "and the others are not added."
            )
            if count > 1 and said not in self._remarks:
                self._remarks.append(said)

    def _compare(self, document: Any, check: JsonCheck, value: float) -> None:
        """Hold a rate against amount and duration. Raises `WorkloadFailed` where they contradict each other."""
        amount, duration = _number(document, check.amount), _number(document, check.duration)
        if amount is None or not duration:
            self._remarks.append("The program did not print all of the figures that its work is checked with.")
            return
        self._stated_s = duration * SECONDS[check.unit]
        stated = amount / self._stated_s
        if abs(stated - value) > check.within_pct / 100 * max(stated, value):
            cause = (
                f"The program contradicts itself: {self._parser.pointer} is {value:.6g}, but {check.amount} over "
                f"{check.duration} makes {stated:.6g}."
            )
            raise WorkloadFailed(cause, "Look at its output; repeat the run.")


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
        return json.loads(text, object_pairs_hook=_object)
    except (ValueError, RecursionError):
        return None


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Build an object. Raises `WorkloadFailed` where two values have one name: which of them counts, nobody knows."""
    values: dict[str, Any] = {}
    for name, value in pairs:
        if name in values:
            raise WorkloadFailed(f'The program\'s JSON has the name "{name[:80]}" twice.', "Check its output.")
        values[name] = value
    return values
