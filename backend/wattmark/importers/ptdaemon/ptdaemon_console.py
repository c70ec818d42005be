"""PTDaemon's console log: ranges and settings in force during a measurement, its warnings, its own count and clock."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from wattmark.workloads.loadgen.stamps import parse_stamp

_VOLTS = re.compile(r"Volt(?:age)? range set to (?:([0-9.]+)V|Auto)")
_AMPS = re.compile(r"Amp(?:ere)? range set to (?:([0-9.]+)A|Auto)")
_GO = re.compile(r"Go with mark '([^']*)'")
_QUERY = re.compile(r"Writing query string (\S+)")
_RESPONSE = re.compile(r"\.\.\.response of [0-9]+ bytes: (.*)")
_OWN_COUNT = re.compile(r"Avg watts ([0-9.]+), .*samples ([0-9]+), errors ([0-9]+), valid ([0-9]+)")
_EXTREMES = re.compile(r"min watts ([0-9.]+), max watts ([0-9.]+)")
_PROBLEM = re.compile(r": (ERROR|WARNING): (.*)")
_COMPLETED = "Completed test"
_STAMP_LENGTH = len("MM-DD-YYYY HH:MM:SS.mmm")


@dataclass(frozen=True, slots=True)
class ConsoleSettings:
    """Instrument settings; None: automatic or not reported."""

    volt_range: float | None = None
    amp_range: float | None = None
    crest_factor: str | None = None
    line_filter: bool | None = None


@dataclass(frozen=True, slots=True)
class ConsoleProblem:
    """A line in which the daemon complains."""

    t_ns: int | None
    """Wall clock as written, as if UTC [ns]; None where the line begins with no stamp."""
    level: str
    """"ERROR" or "WARNING"."""
    text: str


@dataclass(slots=True)
class Measurement:
    """One Go ... Completed test of the console."""

    mark: str
    settings: ConsoleSettings
    begin_ns: int | None = None
    """Stamp of Go, as `Problem.t_ns`."""
    end_ns: int | None = None
    """Stamp of the end of the test."""
    lines: list[ConsoleProblem] = field(default_factory=list)
    problems: dict[str, int] = field(default_factory=dict)
    """Warnings and errors with their counts, numbers inside them taken out."""
    samples: int | None = None
    errors: int | None = None
    average_w: float | None = None
    lowest_w: float | None = None
    highest_w: float | None = None


def parse_console(text: str) -> dict[str, Measurement]:
    """Read the measurements of a console by mark; lines it does not know are skipped."""
    measurements: dict[str, Measurement] = {}
    current: Measurement | None = None
    volts = amps = crest = query = None
    line_filter: bool | None = None
    for line in text.replace("\r\n", "\n").split("\n"):
        if match := _VOLTS.search(line):
            volts = _number(match[1])
        elif match := _AMPS.search(line):
            amps = _number(match[1])
        elif match := _QUERY.search(line):
            query = match[1]
        elif match := _RESPONSE.search(line):
            crest, line_filter = _settings(query or "", match[1].strip(), crest, line_filter)
        elif match := _GO.search(line):
            current = Measurement(match[1], ConsoleSettings(volts, amps, crest, line_filter), _stamp(line))
            measurements[match[1]] = current
        elif current is not None:
            _note(current, line)
    return measurements


def _settings(query: str, reply: str, crest: str | None, line_filter: bool | None) -> tuple[str | None, bool | None]:
    """Pick crest factor and line filter out of a reply whose parts answer the parts of the query."""
    for asked, answered in zip(query.split(";"), reply.split(";"), strict=False):
        if asked.startswith(":CFAC"):
            crest = answered
    if query.startswith(":FILT:LINE") or query.endswith(":LFILTER?"):
        line_filter = reply.split(";")[-1] not in ("0", "OFF")
    return crest, line_filter


def _note(measurement: Measurement, line: str) -> None:
    if line.endswith(_COMPLETED) and measurement.end_ns is None:
        measurement.end_ns = _stamp(line)
    elif match := _OWN_COUNT.search(line):
        measurement.average_w = _number(match[1])
        measurement.samples, measurement.errors = int(match[2]), int(match[3])
        if extremes := _EXTREMES.search(line):
            measurement.lowest_w, measurement.highest_w = _number(extremes[1]), _number(extremes[2])
    elif (match := _PROBLEM.search(line)) and measurement.samples is None:
        measurement.lines.append(ConsoleProblem(_stamp(line), match[1], match[2].strip()))
        kind = re.sub(r"[0-9]+(\.[0-9]+)?", "#", f"{match[1]}: {match[2].strip()}")
        measurement.problems[kind] = measurement.problems.get(kind, 0) + 1


def _stamp(line: str) -> int | None:
    try:
        return parse_stamp(line[:_STAMP_LENGTH])
    except ValueError:
        return None


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None
