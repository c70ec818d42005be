"""What every log of meters and sensors gives: rows of values of named channels, line by line."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import ClassVar, NamedTuple

from wattmark.core.amounts import LATEST_NS, MOST
from wattmark.importers.column_shape import ColumnShape
from wattmark.importers.csv_mapping.units import names_part, no_power
from wattmark.importers.importer import Choices
from wattmark.importers.log_stamps import REMEDY, Stamps, require_one_rhythm
from wattmark.importers.logs.chosen_power import require_watts, watts_unit
from wattmark.importers.logs.log_blocks import ChannelPart
from wattmark.importers.logs.log_channel import POWER, Channels
from wattmark.importers.logs.log_meters import ChannelCount, LogMeters, meters_of
from wattmark.importers.series_in_turn import SeriesInTurn
from wattmark.importers.text_lines import TextLines
from wattmark.runs.record import ThroughputInterval

UNUSABLE = math.inf
"""Value of a reading that cannot be used, at its stamp: stored as an invalid one."""
LOST = -math.inf
"""Value of a reading whose stamp is not known either; it stands between its neighbours."""
LONGEST_LINE = 2**18
"""HWiNFO writes some 10 kB for 450 sensors."""
_NOTE = "A log names neither server nor work: the run has what was measured, and no throughput."
_MOST_OFFERED = 20
_MOST_EXCLUDED = 6
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_PLAIN_ROW = re.compile(r"-?[0-9]{1,12}(?:\.[0-9]{1,9})?(?:,-?[0-9]{1,12}(?:\.[0-9]{1,9})?)*")
_NO_NUMBER = frozenset({"", "nan", "-nan", "+nan", "inf", "+inf", "-inf", "infinity", "-infinity", "u", "n/a"})


class LogRow(NamedTuple):
    """Values of one instant: wall clock as if UTC, or UTC [ns]; NaN: no reading, `UNUSABLE`: one without a value."""

    t_ns: int
    channels: tuple[int, ...]
    values: Sequence[float]


class Line(NamedTuple):
    """A row, the number of its line, counted over all files, and the text there."""

    row: LogRow
    number: int
    text: str


class LogReader(ABC):
    """Reads one log from its first line to its last."""

    local = True
    """Whether stamps are the wall clock of a time zone that a person says; else they are UTC."""
    begun = False
    """Whether stamps that are UTC count from an instant that a person said."""
    stamp_s: float = 0.0005
    """Half the step of the stamps [s]."""
    server: str | None = None
    """Name of the machine, if the log contains it."""
    configuration: str | None = None
    """Of the run; None: the name of the log."""
    workload = "power log"
    work_unit = "work"
    file = ""
    line = 0
    """Number of the line that is read, in its file."""
    passes = 0
    """How often the stamps began again at an earlier instant, because another table follows."""

    power_units: ClassVar[tuple[str, ...]] = ("W",)
    """Units in which a person may name the server's power."""
    repeated = 0
    """Lines that stood twice, of which one counts."""
    single_table: ClassVar[bool] = False
    """Whether every line is a reading of the same channels, so that a line which tells nothing was one of them."""
    late: ClassVar[bool] = False
    """Whether lines may come later than their time, as a buffer hands them on."""
    padding: ClassVar[str] = "\r\0 \t\ufeff"
    """What stands before and behind a line and is none of it."""
    between_stamps = ""
    """Column of what was counted between two stamps, which cut stamps do not tell; empty: there is none."""
    out_of_order: ClassVar[str] = REMEDY
    """What to do where too many stamps are not in order."""

    def __init__(self, choices: Choices) -> None:
        self.channels = Channels()
        self.at: int | None = None
        """Stamp of the current line, where it has one; as in a `LogRow`."""
        self.of: tuple[int, ...] = ()
        """Channels of the current line, where it names them."""
        self.unusable: list[str] = []
        """Why readings of the line that is read are unusable although it should hold a value."""
        self.remedy = ""
        """What to do where the log holds nothing that can be read; empty: give another log."""
        self.choices = choices
        self._offered: dict[str, None] = {}
        self._excluded: dict[str, None] = {}
        self._parts: dict[str, None] = {}
        self._shapes: dict[str, ColumnShape] = {}
        self._in_turn: dict[str, SeriesInTurn] = {}

    def lines(self, path: Path, name: str) -> TextLines:
        """Return the lines of a file."""
        return TextLines(path, name, LONGEST_LINE, fallback="cp1252")

    @abstractmethod
    def read(self, line: str) -> Sequence[LogRow] | None:
        """Read a line; headings give no rows. Raises ValueError for what it does not understand.

        None: it is none of the readings, and does not count among them.
        """

    def require_one_series(self, file: str, t_ns: Stamps, _lines: Sequence[Line], /) -> None:
        """Refuse lines of one series that are those of several, by the first of them. Raises `InputError`."""
        require_one_rhythm(file, t_ns)

    def take(self, parts: Sequence[ChannelPart]) -> Sequence[ChannelPart]:
        """Take note of a block of readings as they are written; return what is stored of it.

        Raises `InputError` for power that comes in turn from several meters.
        """
        for part in parts:
            channel = self.channels[part.channel]
            if channel.id == POWER:
                self._shapes.setdefault(channel.source, ColumnShape()).add(part.value)
                self._in_turn.setdefault(channel.source, SeriesInTurn()).require_one(self.file, *part.in_time)
        return parts

    def require_sound(self, file: str) -> None:
        """Refuse what only the whole log shows: a power that rises like a running total. Raises `InputError`."""
        for source, shape in self._shapes.items():
            shape.require_power(f"{file}: the power of {source[:80]!r}", "Name the series of its power with --power.")

    def begin_file(self, name: str) -> None:
        """Note that the lines of another file follow, under its path within the source."""
        self.file = name

    def declared_s(self, _channel: int, /) -> float | None:
        """Return how far apart the log declares the readings of a channel to be [s]; None: it declares nothing."""
        return None

    def is_chosen(self, name: str, *, says: str | None = None, is_part: bool = False) -> bool:
        """Return whether a person said that a series is the server's power, and offer it to those who did not.

        ``says``: the words of its name that tell what it is of; None: all. Raises `InputError` where they deny that.
        """
        says = name if says is None else says
        if not no_power(says):
            self.offer(name)
        unit = self.unit_asked_for(name)
        if unit is None:
            return False
        if not unit:
            require_watts(says, name)
        self.take_for_server(name, is_part=is_part or names_part(says))
        return True

    def unit_asked_for(self, name: str) -> str | None:
        """Return the unit in which a person named a series as the server's power, empty for none; None: did not."""
        wanted = (self.choices.power or "").strip()
        if wanted.casefold() == name.casefold():
            return ""
        series, _, last = wanted.rpartition(" ")
        unit = watts_unit(last)
        return unit if unit in self.power_units and series.strip().casefold() == name.casefold() else None

    def take_for_server(self, name: str, *, is_part: bool) -> None:
        """Remember that a person said that a series is the server's power, to say so of a part."""
        if is_part:
            self._parts[name[:80]] = None

    def offer(self, name: str) -> None:
        """Remember the name of a series that may be the server's power."""
        if len(self._offered) < _MOST_OFFERED:
            self._offered[name] = None

    def exclude(self, name: str) -> None:
        """Remember what is neither power nor sensor."""
        if len(self._excluded) < _MOST_EXCLUDED:
            self._excluded[name] = None

    @property
    def offered(self) -> tuple[str, ...]:
        """Return the first of the names by which a person can choose the server's power."""
        return tuple(self._offered)

    @property
    def excluded(self) -> tuple[str, ...]:
        """Return the first of the series that are neither power nor sensor."""
        return tuple(self._excluded)

    @property
    def throughput(self) -> tuple[ThroughputInterval, ...]:
        """Return the work that the log counts."""
        return ()

    def meters(self, counts: Mapping[int, ChannelCount]) -> LogMeters:
        """Describe the meters of the log by its channels with readings. Raises `InputError`."""
        return meters_of(self.channels, counts, self.choices.power, self.offered)

    @property
    def about(self) -> str:
        """Return what the log is, one sentence."""
        return _NOTE

    @property
    def notes(self) -> tuple[str, ...]:
        """Return what was decided while reading, one sentence each."""
        parts = [
            f"{part!r} is the power of a part of a server, or of one phase: it counts as that of the whole server, as "
            "the person who imported it said, and may lack others."
            for part in self._parts
        ]
        if not self._excluded:
            return tuple(parts)
        more = ", and others" if len(self._excluded) == _MOST_EXCLUDED else ""
        return (*parts, f"Excluded, being neither power nor a sensor: {', '.join(self._excluded)}{more}.")


def measured(text: str, scale: float = 1.0) -> float:
    """Read a measured value; `UNUSABLE` where the log marks it as missing. Raises ValueError."""
    plain = text.strip()
    if _NUMBER.fullmatch(plain) is None:
        if plain.casefold() in _NO_NUMBER:
            return UNUSABLE
        raise ValueError(f"{plain[:40]!r} is not a number")
    value = float(plain) * scale
    if abs(value) > MOST:
        raise ValueError(f"{plain[:40]!r} is not a plausible measured value")
    return value


def measured_all(texts: Sequence[str]) -> list[float]:
    """Read the measured values of a wide row, as `measured` does. Raises ValueError."""
    if _PLAIN_ROW.fullmatch(",".join(texts)):
        return list(map(float, texts))
    return [measured(text) for text in texts]


def unix_ns(text: str, per_second: int = 1) -> int:
    """Read a Unix stamp with decimals as UTC [ns]. Raises ValueError."""
    whole, _, part = text.strip().partition(".")
    if not whole.isascii() or not whole.isdigit() or len(whole) > 20 or not (part or "0").isdigit() or len(part) > 9:
        raise ValueError(f"{text[:40]!r} is not a Unix stamp")
    t_ns = (int(whole) * 10**9 + int((part or "0").ljust(9, "0"))) // per_second
    if t_ns > LATEST_NS:
        raise ValueError(f"{text[:40]!r} lies after the year 2116")
    return t_ns
