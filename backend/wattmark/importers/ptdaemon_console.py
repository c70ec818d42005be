"""PTDaemon's console log: ranges and settings in force during a measurement, its warnings and its own count."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_VOLTS = re.compile(r"Volt(?:age)? range set to (?:([0-9.]+)V|Auto)")
_AMPS = re.compile(r"Amp(?:ere)? range set to (?:([0-9.]+)A|Auto)")
_GO = re.compile(r"Go with mark '([^']*)'")
_QUERY = re.compile(r"Writing query string (\S+)")
_RESPONSE = re.compile(r"\.\.\.response of [0-9]+ bytes: (.*)")
_OWN_COUNT = re.compile(r"Avg watts ([0-9.]+), .*samples ([0-9]+), errors ([0-9]+), valid ([0-9]+)")
_PROBLEM = re.compile(r": (ERROR|WARNING): (.*)")


@dataclass(frozen=True, slots=True)
class Settings:
    """Instrument settings; None: automatic or not told."""

    volt_range: float | None = None
    amp_range: float | None = None
    crest_factor: str | None = None
    line_filter: bool | None = None


@dataclass(slots=True)
class Measurement:
    """One Go ... Completed test of the console."""

    mark: str
    settings: Settings
    problems: dict[str, int] = field(default_factory=dict)
    """Warnings and errors with their counts, numbers inside them taken out."""
    samples: int | None = None
    errors: int | None = None
    average_w: float | None = None


def parse_console(text: str) -> dict[str, Measurement]:
    """Read the measurements of a console by mark; lines it does not know are skipped."""
    measurements: dict[str, Measurement] = {}
    current: Measurement | None = None
    volts = amps = crest = query = None
    line_filter: bool | None = None
    for line in text.split("\n"):
        if match := _VOLTS.search(line):
            volts = _number(match[1])
        elif match := _AMPS.search(line):
            amps = _number(match[1])
        elif match := _QUERY.search(line):
            query = match[1]
        elif match := _RESPONSE.search(line):
            crest, line_filter = _settings(query or "", match[1].strip(), crest, line_filter)
        elif match := _GO.search(line):
            current = Measurement(match[1], Settings(volts, amps, crest, line_filter))
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
    if match := _OWN_COUNT.search(line):
        measurement.average_w = _number(match[1])
        measurement.samples, measurement.errors = int(match[2]), int(match[3])
    elif (match := _PROBLEM.search(line)) and measurement.samples is None:
        kind = re.sub(r"[0-9]+(\.[0-9]+)?", "#", f"{match[1]}: {match[2].strip()}")
        measurement.problems[kind] = measurement.problems.get(kind, 0) + 1


def _number(text: str | None) -> float | None:
    try:
        return float(text) if text else None
    except ValueError:
        return None
