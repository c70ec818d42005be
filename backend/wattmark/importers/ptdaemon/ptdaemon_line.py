"""One line of a PTDaemon log (its -l file): stamp, the sum group, further channels, mark.

Format as observed in published logs: ``Time,<stamp>,Watts,<w>,Volts,<v>,Amps,<a>,PF,<pf>,Mark,<mark>`` and, on
multichannel analyzers, ``,Ch1,Watts,...,Ch2,Watts,...`` with the same column names again; the first group is the sum.
Several analyzers behind one daemon are groups as well, each with its own stamp: ``,Analyzer1,Time,<stamp>,Watts,...``
(mlcommons/power-dev, threads 329 and 330).
Replies of the RL command lack the mark and the ``Ch<k>`` words; the older temperature log lacks ``Time``.
A line that begins with ``#`` is a remark of wattmark's own daemon: who measured, and that it is no result of SPEC.
"""

from __future__ import annotations

import re
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from math import nan
from pathlib import Path

from wattmark.core.amounts import MOST
from wattmark.workloads.loadgen.stamps import parse_stamp

CHANNEL = re.compile(r"(?:Ch|Analyzer)[0-9]+")
"""A word without a value that begins the group of a channel, or of one of several analyzers."""
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]+)?", re.IGNORECASE)
_NOT_A_NUMBER = re.compile(r"[+-]?(nan|inf|infinity|1\.#(QNAN|SNAN|IND|INF)[0-9]*)", re.IGNORECASE)
"""As C libraries print it; the second form is that of Windows."""

_HEAD, _MOST_LINES = 2**17, 100
"""Bytes and lines that show which fields the lines of a log have."""
_SCPI_SPECIAL = (9.9e37, 9.91e37)
"""How SCPI writes "infinite" and "not a number" (SCPI-99, volume 1, 7.2.1.4 and 7.2.1.5)."""


@dataclass(frozen=True, slots=True)
class LogLine:
    """A parsed line: values as written, sentinels included."""

    t_ns: int
    """Wall clock as written, as if UTC [ns]."""
    total: dict[str, float]
    """First group: the only channel, or the sum of all."""
    channels: tuple[dict[str, float], ...]
    mark: str | None
    names: tuple[str, ...] = ()
    """Names of the channels or analyzers, such as "Ch1" and "Analyzer2"."""
    stamps: tuple[int, ...] = ()
    """Those of the analyzers, as far as they have their own [ns]."""

    @property
    def shape(self) -> tuple[object, ...]:
        """Return the names of its fields, by group."""
        return tuple(self.total), self.names, tuple(map(tuple, self.channels)), self.mark is None

    @property
    def apart_s(self) -> float:
        """Return how far the stamp of an analyzer is from that of the line, at most [s]; NaN: they have none."""
        return max((abs(stamp - self.t_ns) / 1e9 for stamp in self.stamps), default=nan)


class LineShape:
    """The names that the lines of a log have: a line with others was cut, or is of another log."""

    def __init__(self, usual: LogLine | None) -> None:
        self._usual = None if usual is None else usual.shape

    def fits(self, line: LogLine) -> bool:
        """Return whether a line has these names."""
        return self._usual is None or line.shape == self._usual


def usual_line(path: Path) -> LogLine | None:
    """Return the first line with power that has the shape of most of the first lines; None where none has power."""
    with path.open("rb") as file:
        *whole, last = file.read(_HEAD).decode("utf-8", "replace").split("\n")
    lines = []
    for text in (whole or [last])[:_MOST_LINES]:
        with suppress(ValueError):
            lines.append(parse_line(text.rstrip("\r")))
    shapes = Counter(line.shape for line in lines if "Watts" in line.total)
    if not shapes:
        return None
    ((usual, _),) = shapes.most_common(1)
    return next(line for line in lines if line.shape == usual)


def parse_line(line: str) -> LogLine:
    """Read one line. Raises ValueError with the part that cannot be read."""
    fields = line.split(",")
    if fields[0] == "Time":
        fields = fields[1:]
    if not fields or not fields[0].strip():
        raise ValueError("no stamp")
    t_ns = parse_stamp(fields[0])
    groups, names, mark, stamps = _groups(fields[1:])
    if not groups[0]:
        raise ValueError("no measured value")
    return LogLine(t_ns, groups[0], tuple(groups[1:]), mark, tuple(names), tuple(stamps))


def is_remark(text: str) -> bool:
    """Return whether a line is empty or a remark, which no daemon of SPEC writes."""
    return not text.strip() or text.startswith("#")


def stamp_of(line: str) -> int | None:
    """Return the stamp of a line that cannot be read otherwise; None where that cannot be read either."""
    try:
        return parse_stamp(line.removeprefix("Time,").partition(",")[0])
    except ValueError:
        return None


def _groups(fields: list[str]) -> tuple[list[dict[str, float]], list[str], str | None, list[int]]:
    groups: list[dict[str, float]] = [{}]
    names: list[str] = []
    stamps: list[int] = []
    mark = None
    rest = iter(fields)
    for name in rest:
        if CHANNEL.fullmatch(name):
            groups.append({})
            names.append(name)
            continue
        value = next(rest, None)
        if value is None or not name.isidentifier():
            raise ValueError(f"no column with a value: {name!r}")
        if name == "Mark":
            mark = value.strip()
            continue
        if name == "Time" and names:  # each analyzer repeats the stamp
            stamps.append(parse_stamp(value))
            continue
        if name in groups[-1]:
            groups.append({})
            names.append(f"Ch{len(groups) - 1}")
        groups[-1][name] = _number(value)
    return groups, names, mark, stamps


def _number(text: str) -> float:
    if _NOT_A_NUMBER.fullmatch(text.strip()):
        return nan
    if _NUMBER.fullmatch(text.strip()) is None:
        raise ValueError(f"{text!r} is not a number")
    if abs(number := float(text)) in _SCPI_SPECIAL:
        return nan
    if abs(number) > MOST:
        raise ValueError(f"{text[:40]!r} is not a plausible measured value")
    return number
