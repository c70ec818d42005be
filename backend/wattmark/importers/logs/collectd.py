"""Values of collectd: the files of its csv plugin, or lines of PUTVAL.

Sources in collectd/collectd: src/csv.c (a file per series, "epoch,<names>" and "%.3f" stamps; its path is
host/plugin-instance/type-instance-date; on standard output lines of PUTVAL instead), src/collectd-unixsock.pod
(PUTVAL), src/types.db ("power" has no unit), and what each plugin submits as power: ipmi.c and gpu_nvidia.c watts,
turbostat.c watts of the package, cores and DRAM, sensors.c, battery.c; nut.c both watts (watt-...) and volt-amperes.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from wattmark.core.errors import InputError
from wattmark.importers.csv_mapping.units import no_power
from wattmark.importers.importer import Choices
from wattmark.importers.logs.chosen_power import WATTS
from wattmark.importers.logs.log_channel import POWER, LogChannel, channel_id
from wattmark.importers.logs.log_format import LogFormat, first_lines
from wattmark.importers.logs.log_reader import LogReader, LogRow, measured, unix_ns
from wattmark.importers.source_tree import folders_of

TYPES = {
    "temperature": ("temperature", "\N{DEGREE SIGN}C"),
    "voltage": ("voltage", "V"),
    "current": ("current", "A"),
    "fanspeed": ("fan_speed", "RPM"),
}
"""Types that have one unit, whichever plugin submits them."""
IN_WATTS = frozenset({"ipmi", "gpu_nvidia", "turbostat", "sensors", "battery"})
"""Plugins whose type "power" is in watts; that of others may be volt-amperes or decibels."""
PARTS = frozenset({"gpu_nvidia", "turbostat", "battery"})
"""Plugins whose power is that of a part of a server."""
_WATTS_OF_UPS = re.compile(r"power-watt(-.*)?")
_HEADING = re.compile(r"epoch(,[^,]+)+")
_DATE = re.compile(r"-\d{4}-\d\d-\d\d$")
_PUTVAL = re.compile(r'PUTVAL ("[^"]+"|\S+)((?: [A-Za-z:_]+=\S+)*)((?: [\d.]+(?::[^ :]+)+)+)')
_INTERVAL = re.compile(r" interval=([0-9]{1,9}(?:\.[0-9]{1,9})?)(?= |$)")
_MOST_FILES = 100_000
_HEAD = 1024
"""Bytes that show whether a file is of collectd."""


class _Identifier(NamedTuple):
    host: str
    plugin: str
    """With its instance."""
    type: str
    """With its instance."""
    folder: str = ""
    """Where the folder of its host lies within the source."""

    @property
    def written(self) -> str:
        """Return it as a person names it: without its folder."""
        return "/".join(part for part in self[:3] if part)


class CollectdReader(LogReader):
    """Reads the values of one series after the other, or mixed."""

    local = False
    power_units = tuple(WATTS)

    def __init__(self, choices: Choices) -> None:
        super().__init__(choices)
        self._series: dict[_Identifier, int | None] = {}
        self._scales: dict[_Identifier, float] = {}
        """Watts of a value of the series that a person chose."""
        self._of_file: _Identifier | None = None
        self._folder: str | None = None
        """Folder of the first file; hosts in another one are named with theirs."""
        self._folders: dict[str, str] = {}
        """By series that a person chose without a folder: its folder."""
        self._intervals: dict[int, float] = {}
        """Shortest interval that is declared of a channel [s]."""
        self._heading: str | None = None

    def begin_file(self, name: str) -> None:
        """Take the series from the path of its file."""
        super().begin_file(name)
        *above, host, plugin, kind = ["", "", *name.split("/")]
        self._of_file = _Identifier(host, plugin, _DATE.sub("", kind), "/".join(part for part in above if part))
        self._folder = self._of_file.folder if self._folder is None else self._folder
        self._heading = None

    def read(self, line: str) -> Sequence[LogRow]:
        """Read a line of a file or a PUTVAL. Raises ValueError for what is neither."""
        if line.startswith("PUTVAL "):
            return self._put(line)
        if _HEADING.fullmatch(line):
            self._heading = line
            return ()
        if self._of_file is None or self._heading is None:
            raise ValueError("no heading with epoch stands before it")
        number = self._number(self._of_file)
        self.of = () if number is None else (number,)
        stamp, *values = line.split(",")
        self.at = t_ns = unix_ns(stamp)
        if number is None:
            return ()
        return [self._row(self._of_file, number, t_ns, values)]

    def _put(self, line: str) -> Sequence[LogRow]:
        match = _PUTVAL.fullmatch(line)
        if match is None:
            self.of = self._of_cut(line)
            raise ValueError("it is not a PUTVAL with an identifier and values")
        parts = match[1].strip('"').split("/")
        if len(parts) != 3 or not all(parts):
            raise ValueError("its identifier is not host/plugin/type")
        identifier = _Identifier(*parts)
        number = self._number(identifier)
        self.of = () if number is None else (number,)
        times = [value.split(":") for value in match[3].split()]
        stamps = [unix_ns(stamp) for stamp, *_ in times]
        self.at = stamps[0]
        if number is None:
            return ()
        self._note_interval(number, match[2])
        return [self._row(identifier, number, t_ns, values) for t_ns, (_, *values) in zip(stamps, times, strict=True)]

    def _note_interval(self, number: int, options: str) -> None:
        declared = _INTERVAL.search(options)
        if declared is not None and (interval_s := float(declared[1])) > 0:
            self._intervals[number] = min(interval_s, self._intervals.get(number, interval_s))

    def declared_s(self, channel: int) -> float | None:
        """Return the interval that the lines declare [s]."""
        return self._intervals.get(channel)

    def _of_cut(self, line: str) -> tuple[int, ...]:
        """Return the channel of a PUTVAL whose values cannot be read, if it is known."""
        parts = line.split(" ")[1].strip('"').split("/")
        number = self._series.get(_Identifier(*parts)) if len(parts) == 3 else None
        return () if number is None else (number,)

    def _row(self, identifier: _Identifier, number: int, t_ns: int, values: Sequence[str]) -> LogRow:
        if len(values) != 1:
            raise ValueError(f"it has {len(values)} values, and its type has one")
        return LogRow(t_ns, (number,), [measured(values[0], self._scales.get(identifier, 1.0))])

    def _number(self, identifier: _Identifier) -> int | None:
        if identifier not in self._series:
            if len(self._series) == _MOST_FILES:
                raise InputError(f"The log has more than {_MOST_FILES} series.", "Give those of fewer machines.")
            channel = self._channel(identifier)
            self._series[identifier] = None if channel is None else self.channels.number(channel)
        return self._series[identifier]

    def _channel(self, identifier: _Identifier) -> LogChannel | None:
        kind, _, instance = identifier.type.partition("-")
        plugin = identifier.plugin.partition("-")[0]
        own = identifier.folder if identifier.folder != (self._folder or "") else ""
        host = "/".join(part for part in (own, identifier.host) if part)
        source = " ".join(["collectd", *(part for part in (host, identifier.plugin) if part)])[:120]
        series = f"{own}/{identifier.written}" if own else identifier.written
        label = series[:200]
        if kind == "power" and not _in_volt_amperes(identifier):
            says = f"{plugin} {identifier.type}"
            name = self._asked_for_as(identifier) or series
            if self.is_chosen(name, says=says, is_part=plugin in PARTS):
                self._scales[identifier] = WATTS[self.unit_asked_for(name) or "W"].factor
                return LogChannel(source, POWER, "power", "W", label, stands="bmc" if _in_watts(identifier) else "wall")
            if _in_watts(identifier) and not no_power(says):
                return LogChannel(source, f"power_{channel_id(instance)}", "power", "W", label)
        elif kind in TYPES:
            quantity, unit = TYPES[kind]
            return LogChannel(source, channel_id(identifier.type), quantity, unit, label)
        elif kind == "power" and self._asked_for_as(identifier):
            raise InputError(
                f"{label} is apparent power in volt-amperes, by collectd's plugin nut.",
                "Name a series of watts with --power, or import the log without it.",
            )
        self.exclude(identifier.type[:80])
        return None

    def _asked_for_as(self, identifier: _Identifier) -> str:
        """Return the name by which a person chose a series: with its folder, or without; empty: nobody did.

        Raises `InputError` where the name without a folder is that of series in several.
        """
        written = identifier.written
        if identifier.folder and self.unit_asked_for(f"{identifier.folder}/{written}") is not None:
            return f"{identifier.folder}/{written}"
        if self.unit_asked_for(written) is None:
            return ""
        first = self._folders.setdefault(written, identifier.folder)
        if first != identifier.folder:
            raise InputError(
                f"{written[:120]} is in the folders {first[:60]!r} and {identifier.folder[:60]!r}: several machines of "
                "that name, or a copy.",
                f"Name one with its folder: --power '{identifier.folder[:60]}/{written[:120]}'. Where the folders hold "
                "days of one machine, put them together.",
            )
        return written


def _in_watts(identifier: _Identifier) -> bool:
    plugin = identifier.plugin.partition("-")[0]
    return plugin in IN_WATTS or (plugin == "nut" and not _in_volt_amperes(identifier))


def _in_volt_amperes(identifier: _Identifier) -> bool:
    """Return whether a series of type "power" is the apparent power of an UPS, as nut.c submits ups.power."""
    return identifier.plugin.partition("-")[0] == "nut" and _WATTS_OF_UPS.fullmatch(identifier.type) is None


def collectd_files(path: Path) -> Iterator[tuple[Path, str]]:
    """Yield the files of a folder of the csv plugin in the order of their names, or the single file.

    One that cannot be read is among them: a series would be missing in silence, so that the log is refused by its name.
    """
    if path.is_file():
        yield path, path.name
        return
    count = 0
    for folder, _, names in folders_of(path):
        for name in names:
            file = folder / name
            if not _is_of_collectd(file):
                continue
            count += 1
            if count > _MOST_FILES:
                raise InputError(f"{path.name} holds more than {_MOST_FILES} files.", "Give those of one machine.")
            yield file, file.relative_to(path).as_posix()


def _is_of_collectd(file: Path) -> bool:
    if not file.is_file() or file.is_symlink():
        return False
    try:
        return begins(first_lines(file, _HEAD))
    except OSError:
        return True


def begins(lines: Sequence[str]) -> bool:
    """Return whether a file begins as one of the csv plugin, or with PUTVAL."""
    return bool(lines) and (_HEADING.fullmatch(lines[0]) is not None or _PUTVAL.fullmatch(lines[0]) is not None)


COLLECTD = LogFormat(
    kind="collectd",
    title="Data of collectd's csv plugin",
    takes="its DataDir or a part of it (keep the folders: they name the series), or a file of PUTVAL lines",
    time_zone="in the files",
    begins=begins,
    reader=CollectdReader,
    files=collectd_files,
)
