"""Read the logs of MLPerf's LoadGen where a program prints them: the detail log, and the summary for more digits."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from wattmark.core.amounts import MOST, problem
from wattmark.core.errors import InputError, WorkloadFailed
from wattmark.core.numbers import format_number
from wattmark.runs.record import ResponseTime
from wattmark.workloads.loadgen.loadgen import PREFIX, LoadgenResult, parse_loadgen
from wattmark.workloads.loadgen.source_file import SourceFile
from wattmark.workloads.marks import Mark
from wattmark.workloads.parsers.work import MarkedWork, interval
from wattmark.workloads.trigger import OutputLine

SUMMARY_BEGINS = "MLPerf Results Summary"
MOST_LINES = 20_000
STAMP_S = 1e-3
"""LoadGen writes its stamps in whole milliseconds."""
SLACK_NS = 250_000_000
"""By how much a stamp of the server's clock may lie outside the program's time by ours [ns]."""
QUARTER_HOUR_NS = 900 * 10**9
ZONES = sorted(range(-56, 57), key=abs)
"""Offsets from UTC that a wall clock can have [quarters of an hour]."""
APART = 0.05
"""Share by which two rates of a log may differ: queries that are still under way at an edge of its window."""
STATISTICS = {
    "result_mean_latency_ns": "mean",
    "result_50.00_percentile_latency_ns": "median",
    "result_90.00_percentile_latency_ns": "p90",
    "result_95.00_percentile_latency_ns": "p95",
    "result_99.00_percentile_latency_ns": "p99",
    "result_max_latency_ns": "max",
}


class LoadgenOutput:
    """Lines of either log, in any order of the two. The window is LoadGen's own, from power_begin to power_end."""

    def __init__(self, *, started: Mark) -> None:
        self._started = started
        self._detail: list[str] = []
        self._summary: list[str] | None = None

    @property
    def began(self) -> Mark:
        """Return when the program was started; LoadGen states its own begin only at the end."""
        return self._started

    @property
    def done(self) -> bool:
        """Return False: the program ends by itself."""
        return False

    def feed(self, line: OutputLine) -> None:
        """Read a line of standard output. Raises `WorkloadFailed` when there are more than any log has."""
        if line.stream != "stdout":
            return
        if line.text.startswith(PREFIX):
            self._detail.append(line.text)
        elif SUMMARY_BEGINS in line.text:
            self._summary = []
        elif self._summary is not None:
            self._summary.append(line.text)
        if len(self._detail) + len(self._summary or ()) > MOST_LINES:
            raise WorkloadFailed(
                f"The program printed more than {MOST_LINES} lines of logs.", "Print the logs of only one run."
            )

    def so_far(self, now: Mark) -> None:
        """Return None: LoadGen states its work only at the end."""

    def result(self, ended: Mark) -> MarkedWork:
        """Compute the work. Raises `WorkloadFailed` where LoadGen calls the run invalid, or its window does not fit."""
        try:
            result = parse_loadgen(_file("detail log", self._detail), _file("summary", self._summary or []))
        except InputError as error:
            raise WorkloadFailed(f"LoadGen's logs give no result: {error.cause}", _REMEDY) from None
        _require_valid(result)
        begin, end = _window(result, self._started, ended)
        stated = None if result.throughput is None else float(result.throughput)
        samples = (result.queries or 0) * result.samples_per_query
        return MarkedWork(
            begin,
            end,
            (interval(begin, end, samples),) if stated is None else (),
            stated_rate=stated,
            edge_s=STAMP_S,
            response=tuple(_response(result, end)),
            facts=result.facts,
            remarks=(*result.remarks, *_contradictions(result)),
        )


def _contradictions(result: LoadgenResult) -> Iterator[str]:
    """Say where the stated rate is not that of the samples that LoadGen counted, or that it completed."""
    if result.throughput is None:
        return
    stated, window_s = float(result.throughput), (result.end_ns - result.begin_ns) / 1e9
    completed = result.numbers.get("result_completed_samples_per_sec")
    if result.work.samples is not None and abs(result.work.samples / window_s - stated) > APART * stated:
        made = format_number(result.work.samples / window_s, 4)
        counted = f"the {result.work.samples:,} samples that it counted make {made}/s"
        yield f"LoadGen states {stated:g} samples/s, and {counted}; the former is used."
    elif completed is not None and abs(completed - stated) > APART * stated:
        yield f"LoadGen states {stated:g} scheduled samples/s, and {completed:g} completed; the former are used."


_REMEDY = "Have the program write LoadGen's logs into the given folder, or print the detail log."


def _file(name: str, lines: list[str]) -> SourceFile:
    return SourceFile(name, "\n".join(chain(lines, [""])).encode())


def _require_valid(result: LoadgenResult) -> None:
    mode = result.facts.get("effective_test_mode", "PerformanceOnly")
    if mode != "PerformanceOnly":
        raise WorkloadFailed(
            f"LoadGen ran in the mode {mode}.",
            "Run LoadGen in mode PerformanceOnly, the only one that measures throughput.",
        )
    if not result.valid:
        reason = result.invalid_reason.rstrip(".")
        raise WorkloadFailed(f"LoadGen calls the run INVALID: {reason}.", "Correct its user.conf, or run it longer.")


def _window(result: LoadgenResult, started: Mark, ended: Mark) -> tuple[Mark, Mark]:
    """Find the marks of the window: LoadGen stamps with its machine's wall clock, without the time zone."""
    for zone in ZONES:
        begin, end = (_at(t_ns - zone * QUARTER_HOUR_NS, ended) for t_ns in (result.begin_ns, result.end_ns))
        if begin.utc_ns >= started.utc_ns - SLACK_NS and end.utc_ns <= ended.utc_ns + SLACK_NS:
            return begin, end
    cause = "LoadGen's power_begin and power_end lie outside the time in which its program ran."
    raise WorkloadFailed(cause, "Set the clock of the server, and have the program print only the logs of this run.")


def _at(utc_ns: int, reference: Mark) -> Mark:
    return Mark(utc_ns, reference.monotonic_ns - (reference.utc_ns - utc_ns))


def _response(result: LoadgenResult, end: Mark) -> Iterator[ResponseTime]:
    for key, statistic in STATISTICS.items():
        value = result.facts.get(key)
        if not isinstance(value, int | float) or value < 0:
            continue
        if value > MOST or problem(value / 1e9) is not None:
            raise WorkloadFailed(f"LoadGen's log states a {key} that cannot be a response time.", _REMEDY)
        yield ResponseTime(t_ns=end.utc_ns, statistic=statistic, value_s=value / 1e9)
