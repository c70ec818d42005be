"""Sensor logs of HWiNFO: a CSV with a column for each sensor, its unit in brackets.

Sources: logs in HunterAnnan/hwinfo_plotter (raw_data) and JuanjoFuchs/hwinfo-tui (ai-docs/sensors.CSV). Observed
there: ISO-8859-1 (the degree sign is one byte), dates as D.M.YYYY, times without leading zeros (16:15:0.813), local
time without a zone, equal names for several sensors, at the end the heading again and a line of the sensors' devices.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Sequence

from wattmark.importers.importer import Choices
from wattmark.importers.logs.log_channel import HOST, POWER, LogChannel, channel_id
from wattmark.importers.logs.log_format import LogFormat
from wattmark.importers.logs.log_reader import LogReader, LogRow, measured_all
from wattmark.importers.logs.wall_clock import clock_ns, day_ns

METER = "HWiNFO"
UNITS = {
    "W": ("power", "W"),
    "V": ("voltage", "V"),
    "A": ("current", "A"),
    "\N{DEGREE SIGN}C": ("temperature", "\N{DEGREE SIGN}C"),
    "RPM": ("fan_speed", "RPM"),
    "MHz": ("clock", "MHz"),
}
"""Units of columns that are sensors of an electrical or thermal quantity: quantity and unit of this product."""
LOAD = "Total CPU Usage [%]"
_DATE = re.compile(r"(\d{1,2})\.(\d{1,2})\.(\d{4})", re.ASCII)
_NAME = re.compile(r"(.*) \[([^\[\]]*)\]")
_NO_READING = re.compile(r"\bLimit\b|\bDistance to\b")
"""Columns that hold a setting, or a difference to one."""
_HEADING = re.compile(r'"?Date"?,"?Time"?,')


class HwinfoReader(LogReader):
    """Reads the columns that the heading before them names."""

    single_table = True

    def __init__(self, choices: Choices) -> None:
        super().__init__(choices)
        self._places: tuple[int, ...] = ()
        self._channels: tuple[int, ...] = ()
        self._numbers: dict[tuple[str, int], int] = {}
        self._width = self._most = 0
        self._others = 0

    def read(self, line: str) -> Sequence[LogRow]:
        """Read a line of values, or a heading. Raises ValueError for what it does not understand."""
        if _HEADING.match(line):
            self._begin_table(_cells(line))
            return ()
        if line.startswith(",,"):  # the devices of the sensors, below the heading at the end
            return ()
        cells = line.split(",")
        if not self._channels:
            raise ValueError("no heading with a sensor stands before it")
        match = _DATE.fullmatch(cells[0])
        if match is None:
            raise ValueError(f"{cells[0][:40]!r} is not a date such as 31.12.2025")
        if len(cells) < 2:
            raise ValueError("it has no time")
        self.at, self.of = day_ns(int(match[3]), int(match[2]), int(match[1])) + clock_ns(cells[1]), self._channels
        if len(cells) < self._width:
            raise ValueError(f"it has {len(cells)} of {self._width} fields")
        if any(cells[self._most :]):
            raise ValueError(
                f"it has {len(cells)} fields, and the heading {self._most}; "
                "log with decimal points: decimal commas split numbers"
            )
        values = measured_all([cells[place] for place in self._places])
        return [LogRow(self.at, self._channels, values)]

    def _begin_table(self, names: Sequence[str]) -> None:
        seen: dict[str, int] = {}
        places: list[int] = []
        channels: list[int] = []
        self._others, self._most = 0, max((place for place, name in enumerate(names, start=1) if name), default=0)
        for place, name in enumerate(names[2:], start=2):
            seen[name] = seen.get(name, 0) + 1
            key = name, seen[name]
            if key not in self._numbers:
                channel = self._channel(name, seen[name])
                if channel is None:
                    self._others += bool(name)
                    continue
                self._numbers[key] = self.channels.number(channel)
            places.append(place)
            channels.append(self._numbers[key])
        self._places, self._channels = tuple(places), tuple(channels)
        self._width = max(self._places, default=0) + 1

    def _channel(self, name: str, occurrence: int) -> LogChannel | None:
        match = _NAME.fullmatch(name)
        if name == LOAD:
            return LogChannel(HOST, "cpu_utilisation", "utilisation", "%", "CPU utilisation")
        if match is None or match[2] not in UNITS or _NO_READING.search(match[1]):
            return None
        quantity, unit = UNITS[match[2]]
        if quantity == "power" and self.is_chosen(name if occurrence == 1 else f"{name} #{occurrence}"):
            return LogChannel(METER, POWER, quantity, unit, match[1], stands="bmc")
        return LogChannel(METER, _id(match[1], quantity), quantity, unit, match[1])

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what was decided while reading."""
        others = f"{self._others} columns are excluded, being neither power nor a sensor."
        return (*super().notes, "HWiNFO reports estimates of the machine itself, not a meter's readings.", others)


def _id(name: str, quantity: str) -> str:
    """Return the id of a sensor; that of a whole server's power or energy is never taken by one."""
    wanted = channel_id(name)
    return f"{quantity}_{wanted}" if wanted in (POWER, "energy", "dcmi_power", "energy_import") else wanted


def _cells(heading: str) -> list[str]:
    try:
        return next(csv.reader([heading], strict=True))
    except csv.Error as error:
        raise ValueError(f"the heading is not CSV: {error}") from None


def begins(lines: Sequence[str]) -> bool:
    """Return whether a log begins with a heading of sensors."""
    return (
        bool(lines) and bool(_HEADING.match(lines[0])) and re.search(r'\[(W|MHz|MB|RPM|V|%)\]"?,', lines[0]) is not None
    )


HWINFO = LogFormat(
    kind="hwinfo",
    title="Sensor log of HWiNFO",
    takes="the CSV file that HWiNFO logged",
    time_zone="asked for",
    begins=begins,
    reader=HwinfoReader,
)
