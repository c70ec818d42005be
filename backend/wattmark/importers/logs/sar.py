"""Text of sysstat: what `sar` prints, and what `sadf -d` prints. It holds utilisation and sensors, but no power.

Sources in sysstat/sysstat: tests/expected.sar-u, .sar-m-freq, .sar-ISO, .data-11.6.5, .sadf-d, .sadf-d-tz,
.sadf-d-t-tz, .sadf-U-se-epoch; pr_stats.c; man/sar.in, man/sadf.in (sadf prints UTC, with -T and -t local time, with -U
seconds since 1970). The zone name that sadf prints for local time is not used: the samples have "CET" in summer.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass

from wattmark_drivers.reading import Kind

from wattmark.core.errors import InputError
from wattmark.importers.importer import Choices
from wattmark.importers.logs.log_channel import HOST, LogChannel, channel_id
from wattmark.importers.logs.log_format import LogFormat
from wattmark.importers.logs.log_reader import UNUSABLE, LogReader, LogRow, measured, unix_ns
from wattmark.importers.logs.wall_clock import RunningDay, clock_ns, day_ns

CELSIUS = "\N{DEGREE SIGN}C"
LOAD = ("%idle", "%iowait", "%steal")
SENSORS = {
    "degC": ("temperature", CELSIUS, Kind.INSTANTANEOUS),
    "rpm": ("fan_speed", "RPM", Kind.INSTANTANEOUS),
    "inV": ("voltage", "V", Kind.INSTANTANEOUS),
    "MHz": ("clock", "MHz", Kind.INSTANTANEOUS),
    "wghMHz": ("clock", "MHz", Kind.AVERAGED),
}
"""Columns of `sar -m`: quantity, unit and kind."""
UTILISATION = ("utilisation", "%", Kind.AVERAGED)
ALL_CPUS = ("all", "-1")
_HEAD = re.compile(r"Linux \S+ \((?P<host>[^)]*)\)\s+(?P<date>\S+)\s+\S+\s+\(\d+ CPU\)", re.ASCII)
_LINE = re.compile(r"(\d\d:\d\d:\d\d(?: [AP]M)?)\s+(.*)", re.ASCII)
_ISO = re.compile(r"(\d{4})-(\d\d)-(\d\d)", re.ASCII)
_POINTS = re.compile(r"(\d\d)\.(\d\d)\.(\d{4}|\d\d)", re.ASCII)
_SLASHES = re.compile(r"(\d\d)/(\d\d)/(\d{4}|\d\d)", re.ASCII)
_EVENT = re.compile(r"LINUX[ -]RESTART\b.*|COM .*")
_NUMBER = re.compile(r"-?[0-9][0-9.,]*[%kKMGT]?")
_SADF_STAMP = re.compile(r"(\d{4})-(\d\d)-(\d\d) (\d\d:\d\d:\d\d)(?: (\S+))?", re.ASCII)
_SADF_HEAD = ["# hostname", "interval", "timestamp"]


@dataclass(slots=True)
class _Table:
    """A table of sar or sadf: its columns, and the day that its lines have reached."""

    names: tuple[str, ...]
    day: RunningDay | None = None


class SarReader(LogReader):
    """Reads the tables of one machine, whichever of the two forms they have."""

    stamp_s = 0.5

    def __init__(self, choices: Choices) -> None:
        super().__init__(choices)
        self._tables: dict[tuple[str, ...], _Table] = {}
        self._table: _Table | None = None
        self._day_ns: int | None = None
        self._latest_ns = -1
        self._numbers: dict[str, int] = {}
        self._stamps: set[bool] = set()

    def read(self, line: str) -> Sequence[LogRow]:
        """Read a line of either form. Raises ValueError for what it does not understand."""
        if head := _HEAD.fullmatch(line):
            self._take_server(head["host"])
            self._day_ns = _date_ns(head["date"]) if self.choices.begin is None else _said(self.choices)
            self._tables, self._table = {}, None
            return ()
        if ";" in line:
            return self._sadf(line)
        if line.startswith(("Average:", "Minimum:", "Maximum:", "Summary:")):
            return ()
        match = _LINE.fullmatch(line)
        if match is None:
            raise ValueError("it is not a line of a table of sar")
        clock, words = clock_ns(match[1]), match[2].split()
        if _EVENT.fullmatch(match[2]):
            return ()
        if not any(_NUMBER.fullmatch(word) for word in words):
            self._begin_table(tuple(words), clock)
            return ()
        if self._table is None or self._table.day is None:
            raise ValueError("no heading of a table stands before it")
        t_ns = self._table.day.at(clock)
        self._latest_ns = max(self._latest_ns, t_ns)
        return self._row(t_ns, self._table.names, words)

    def _begin_table(self, names: tuple[str, ...], clock: int) -> None:
        if self._day_ns is None:
            raise InputError(
                "The log has no line with the day, or one that reads as two different days.",
                "Say with --begin on which day it began, such as 2019-04-18.",
            )
        if names not in self._tables:
            self._tables[names] = _Table(names, RunningDay(self._day_ns))
            if self._day_ns + clock < self._latest_ns:
                self.passes += 1
        self._table = self._tables[names]
        if not _wanted(names):
            self.exclude(" ".join(names[:3]))

    def _row(self, t_ns: int, names: Sequence[str], words: Sequence[str]) -> Sequence[LogRow]:
        if not _wanted(names):
            return ()
        if len(words) < len(names):
            raise ValueError(f"it has {len(words)} of {len(names)} fields")
        values = dict(zip(names, words, strict=False))
        channels, numbers = [], []
        if "%idle" in values and values.get("CPU") in ALL_CPUS:
            channels.append(self._number("CPU utilisation", "cpu_utilisation", UTILISATION))
            numbers.append(_busy_pct(*(_value(values.get(name, "0")) for name in LOAD)))
        for name in names:
            if name not in SENSORS or values.get("CPU", "all") not in ALL_CPUS:
                continue
            label = " ".join([names[0], *(values[key] for key in (names[0], "DEVICE") if key in values), name])
            channels.append(self._number(label, channel_id(label), SENSORS[name]))
            numbers.append(_value(values[name]))
        return [LogRow(t_ns, tuple(channels), numbers)] if channels else ()

    def _number(self, label: str, identity: str, measured_as: tuple[str, str, Kind]) -> int:
        if label not in self._numbers:
            quantity, unit, kind = measured_as
            self._numbers[label] = self.channels.number(LogChannel(HOST, identity, quantity, unit, label[:200], kind))
        return self._numbers[label]

    def _sadf(self, line: str) -> Sequence[LogRow]:
        cells = line.split(";")
        if cells[:3] == _SADF_HEAD:
            if any("[...]" in cell for cell in cells):
                raise ValueError("several items stand in a line; let sadf write them without -h")
            self._table = _Table(tuple(cells[3:]))
            if not _wanted(self._table.names):
                self.exclude(" ".join(cells[3:6]))
            self.passes += 1
            return ()
        if len(cells) < 4:
            raise ValueError(f"it has {len(cells)} fields")
        if _EVENT.fullmatch(cells[3].strip()):
            return ()
        if self._table is None or self._table.day is not None:
            raise ValueError("no heading of a table stands before it")
        if len(cells) - 3 > len(self._table.names):
            raise ValueError(f"it has {len(cells)} of {len(self._table.names) + 3} fields")
        t_ns = self._sadf_stamp_ns(cells[2])
        self._take_server(cells[0])
        return self._row(t_ns, self._table.names, cells[3:])

    def _sadf_stamp_ns(self, text: str) -> int:
        match = _SADF_STAMP.fullmatch(text)
        utc = match is None or match[5] == "UTC"
        t_ns = unix_ns(text) if match is None else day_ns(*(int(match[k]) for k in (1, 2, 3))) + clock_ns(match[4])
        if self._stamps and utc not in self._stamps:
            raise ValueError("its stamp is in UTC and those before it are not, or the other way round")
        self._stamps.add(utc)
        self.local = not utc
        return t_ns

    def _take_server(self, name: str) -> None:
        if self.server is None:
            self.server = name.strip()[:100] or None
        elif name.strip()[:100] != self.server:
            raise InputError(
                f"The log has lines of {self.server} and of {name.strip()[:100]}.", "Give the log of one machine."
            )


def _wanted(names: Sequence[str]) -> bool:
    return "%idle" in names or any(name in SENSORS for name in names)


def _value(text: str) -> float:
    """Read a value as the locale of the machine printed it, without a separator of thousands; --human adds a %."""
    return measured(text.replace(",", ".", 1).removesuffix("%"))


def _busy_pct(idle: float, iowait: float, steal: float) -> float:
    """Return the busy share of the time that the CPUs had, as this product counts it: stolen time is not available."""
    if not math.isfinite(idle + iowait + steal):
        return UNUSABLE
    available = 100.0 - steal
    return 100.0 * (available - idle - iowait) / available if available > 0 else 0.0


def _said(choices: Choices) -> int | None:
    return None if choices.begin is None else day_ns(*choices.begin.timetuple()[:3])


def _date_ns(text: str) -> int | None:
    """Read the day of a heading; None where month and day could be either. Raises ValueError where it is no date."""
    if match := _ISO.fullmatch(text):
        return day_ns(int(match[1]), int(match[2]), int(match[3]))
    if match := _POINTS.fullmatch(text):
        return day_ns(_year(match[3]), int(match[2]), int(match[1]))
    match = _SLASHES.fullmatch(text)
    if match is None:
        raise ValueError(f"{text[:40]!r} is not a known date")
    first, second = int(match[1]), int(match[2])
    if first > 12:
        return day_ns(_year(match[3]), second, first)
    if second > 12 or first == second:
        return day_ns(_year(match[3]), first, second)
    return None


def _year(text: str) -> int:
    return int(text) if len(text) == 4 else 2000 + int(text)


def begins(lines: Sequence[str]) -> bool:
    """Return whether a text begins as sar or `sadf -d` prints."""
    return any(_HEAD.fullmatch(line) for line in lines[:3]) or any(
        line.split(";")[:3] == _SADF_HEAD for line in lines[:3]
    )


SAR = LogFormat(
    kind="sar",
    title="Text of sar or sadf",
    takes="what sar prints, or sadf -d: CPU utilisation and sensors (-u, -m)",
    time_zone="asked for",
    begins=begins,
    reader=SarReader,
)
