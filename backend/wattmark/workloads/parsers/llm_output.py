"""Read what the client of language models prints: when its window was, the tokens of each step, and its report."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Annotated

from pydantic import Field, ValidationError

from wattmark.core.amounts import NotANumber, UpTo, problem, read_number
from wattmark.core.errors import WorkloadFailed
from wattmark.core.numbers import format_number
from wattmark.core.schema import Record
from wattmark.runs.record import ResponseTime, StatedFigure, ThroughputInterval
from wattmark.workloads.marks import Mark
from wattmark.workloads.parsers.bounds import MOST_ROWS
from wattmark.workloads.parsers.work import MarkedWork, interval
from wattmark.workloads.trigger import OutputLine

MOST_FAILED = 0.01
"""Share of the requests that may fail: they cost energy, and the load is not the one that was asked for."""
MOST_WAITING, FEW = 0.1, 10
"""Share and number by which the requests that came may exceed those that were answered: what is under way."""
LINE_S = 1e-3
"""A line of this machine arrives within so much [s]; by its own clock the program tells where it took longer."""
SAME = 1e-6
"""By how much the sum of the steps may differ from the stated one [1]: they are printed with nine digits."""
Counted = Annotated[int, Field(ge=0, le=2**53)]


class LeastAndMost(Record):
    """Over the requests that ended in the window: tokens of a prompt, of an answer, and that came in one event."""

    prompt: tuple[Counted, Counted]
    generated: tuple[Counted, Counted]
    per_event: tuple[UpTo, UpTo]


class ClientReport(Record):
    """What the client says at its end."""

    steps: Counted
    """Steps of the window whose tokens it has printed."""
    generated_tokens: UpTo
    """All of them together."""
    prompt_tokens: Counted
    cached_tokens: Counted
    due: Counted
    """Requests that came in the window."""
    requests: Counted
    """Requests that were answered to their end in it."""
    failed: Counted
    failures: tuple[str, ...] = ()
    """What some of them failed by."""
    times_s: dict[str, dict[str, UpTo]]
    """By kind of time and statistic [s]."""
    least_and_most: LeastAndMost | None = None
    """None: no request ended in the window."""


class LlmOutput:
    """Lines of one run of the client. The window is the client's own, from "begin" to "end"."""

    def __init__(self, wanted: Mapping[str, str]) -> None:
        self._wanted = wanted
        """The parameters of the workload."""
        self._begin: tuple[Mark, float] | None = None
        """The mark as it arrived here, and the client's own clock [s]."""
        self._end: tuple[Mark, float] | None = None
        self._so_far: tuple[Mark, float] | None = None
        self._generated: list[float] = []
        self._report: ClientReport | None = None

    @property
    def began(self) -> Mark | None:
        """Return when the window began."""
        return None if self._begin is None else self._begin[0]

    @property
    def done(self) -> bool:
        """Return False: the client ends by itself."""
        return False

    def feed(self, line: OutputLine) -> None:
        """Read a line of standard output. Raises `WorkloadFailed` for numbers that are none."""
        if line.stream != "stdout":
            return
        word, _, rest = line.text.partition(" ")
        if word == "begin":
            self._begin = line.mark, _number(rest)
        elif word == "end":
            self._end = line.mark, _number(rest)
        elif line.text.startswith("so far "):
            self._so_far = line.mark, _number(line.text.removeprefix("so far "))
        elif word == "generated":
            self._generated.extend(map(_number, rest.split()))
            if len(self._generated) > MOST_ROWS:
                raise WorkloadFailed(f"The program reported more than {MOST_ROWS:,} steps.", "Measure for less long.")
        elif line.text.startswith("{"):
            self._report = _read(line.text)

    def so_far(self, now: Mark) -> MarkedWork | None:  # noqa: ARG002 - it reports by the second
        """Compute the work until the last report, an event taken for a token; None while it is not known."""
        if self._begin is None or self._so_far is None:
            return None
        begin, (end, events) = self._begin[0], self._so_far
        return MarkedWork(begin, end, (interval(begin, end, events),))

    def result(self, ended: Mark) -> MarkedWork:  # noqa: ARG002 - its window ended before its report
        """Compute the work. Raises `WorkloadFailed` where the report is not whole, or too many requests failed."""
        if self._begin is None or self._end is None or self._report is None or not self._generated:
            raise WorkloadFailed("The client of the language model ended before its report.", "Look at its messages.")
        report = self._report
        (begin, begin_s), (end, end_s) = self._begin, self._end
        length_s, generated = end_s - begin_s, math.fsum(self._generated)
        whole = len(self._generated) == report.steps and abs(generated - report.generated_tokens) <= SAME * generated
        if not whole or length_s <= 0 or end.since(begin) <= 0:
            raise WorkloadFailed("The client of the language model contradicts itself.", "Repeat the run.")
        _require_answers(report)
        if not generated:
            raise WorkloadFailed(
                "The server generated no token in the window.", "Measure longer, or ask for shorter answers."
            )
        beside = (
            ("prompt tokens", report.prompt_tokens, "tokens"),
            ("prompt and generated tokens", report.prompt_tokens + generated, "tokens"),
            ("requests", report.requests, "requests"),
        )
        return MarkedWork(
            begin,
            end,
            tuple(self._intervals(begin, end)),
            edge_s=max(LINE_S, abs(end.since(begin) - length_s)),
            response=tuple(
                ResponseTime(t_ns=end.utc_ns, statistic=f"{name} {statistic}", value_s=value)
                for name, statistics in report.times_s.items()
                for statistic, value in statistics.items()
            ),
            facts={
                "requests": report.requests,
                "failed_requests": report.failed,
                "prompt_tokens": report.prompt_tokens,
                "cached_prompt_tokens": report.cached_tokens,
                "generated_tokens": generated,
            },
            beside=tuple(StatedFigure(name=name, value=of / length_s, unit=f"{unit}/s") for name, of, unit in beside),
            remarks=tuple(self._remarks(report)),
        )

    def _intervals(self, begin: Mark, end: Mark) -> Iterator[ThroughputInterval]:
        """Lay the steps of the client's window between the marks of its begin and end."""
        count = len(self._generated)
        utc_ns, monotonic_ns = end.utc_ns - begin.utc_ns, end.monotonic_ns - begin.monotonic_ns
        marks = [
            Mark(begin.utc_ns + utc_ns * number // count, begin.monotonic_ns + monotonic_ns * number // count)
            for number in range(count + 1)
        ]
        return map(interval, marks, marks[1:], self._generated)

    def _remarks(self, report: ClientReport) -> Iterator[str]:
        """Say what the server did otherwise than it was asked to."""
        if report.failed:
            counts = f"{report.failed:,} of {report.failed + report.requests:,} requests"
            yield f"{counts} failed ({_words(report.failures)}); their tokens do not count, their energy does."
        if report.due > (1 + MOST_WAITING) * report.requests + FEW:
            yield (
                f"{report.due:,} requests came in the window and {report.requests:,} were answered: the server is "
                "asked for more than it can do, and its times grow with the length of the window."
            )
        if report.least_and_most is not None:
            counted = report.least_and_most
            yield from self._other_counts("prompt", counted.prompt, "prompt_tokens")
            yield from self._other_counts("generated", counted.generated, "output_tokens")
            yield from _several_in_an_event(*counted.per_event)
        if report.cached_tokens:
            yield f"The server took {report.cached_tokens:,} of {report.prompt_tokens:,} prompt tokens from a cache."

    def _other_counts(self, kind: str, counted: tuple[int, int], parameter: str) -> Iterator[str]:
        """Say which counts of the server are not those that were asked for."""
        asked, (least, most) = self._wanted.get(parameter), counted
        if any(str(count) != asked for count in counted):
            counts = f"{least:,}" if least == most else f"{least:,} to {most:,}"
            yield f"The server counted {counts} {kind} tokens a request, not {asked}; its counts are used."


def _several_in_an_event(least: float, most: float) -> Iterator[str]:
    if most > 1:
        counts = " to ".join(dict.fromkeys(format_number(count, 3) for count in (least, most)))
        yield (
            f"An event of the server brought {counts} tokens; they are spread evenly over the events of their request, "
            "and the time between tokens is that between events."
        )


def _require_answers(report: ClientReport) -> None:
    answered = report.requests
    if report.failed > MOST_FAILED * (report.failed + answered):
        said = f": {_words(report.failures)}" if report.failures else ""
        cause = f"{report.failed:,} of {report.failed + answered:,} requests failed{said}."
        raise WorkloadFailed(cause, "Look at the server's messages, or ask for less.")
    if not answered:
        raise WorkloadFailed(
            "No request was answered to its end in the window.", "Measure longer, or ask for shorter answers."
        )


def _words(failures: tuple[str, ...]) -> str:
    """Write the reasons of a server in one printable line."""
    said = "; ".join(failures)
    return "".join(character if character.isprintable() else " " for character in said)


def _read(text: str) -> ClientReport:
    try:
        return ClientReport.model_validate_json(text)
    except ValidationError:
        raise WorkloadFailed("The report of the client of the language model is cut.", "Repeat the run.") from None


def _number(text: str) -> float:
    try:
        number = read_number(text)
    except NotANumber as error:
        raise WorkloadFailed(f"The client of the language model reported {error.cause}", error.remedy) from None
    if (why := problem(number)) is not None:
        raise WorkloadFailed(f"The client of the language model reported {number:g}, which {why}.", "Repeat the run.")
    return number
