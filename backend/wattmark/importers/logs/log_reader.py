"""What every log of meters and sensors gives: rows of values of named channels, line by line."""

from __future__ import annotations

import math
import re
from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, NamedTuple

from wattmark_drivers.reading import Kind

from wattmark.core.amounts import LATEST_NS, MOST
from wattmark.core.errors import InputError
from wattmark.importers.importer import Choices

Stands = Literal["wall", "bmc", "part"]
"""What a source of power measured: a server at the wall, a server by its own estimate, or anything else."""
HOST = "host"
"""Source of what the operating system of the server counted."""
POWER = "power"
"""Channel that holds the power of a whole server."""
UNUSABLE = math.inf
"""Value of a reading that cannot be used, at its stamp: stored as an invalid one."""
MOST_CHANNELS = 4000
_MOST_OFFERED = 20
_MOST_EXCLUDED = 6
_NO_ID = re.compile(r"[^a-z0-9]+")
_NUMBER = re.compile(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?")
_PLAIN_ROW = re.compile(r"(?:-?[0-9]{1,12}(?:\.[0-9]{1,9})?(?:,|$))+")
_NO_NUMBER = frozenset({"", "nan", "-nan", "+nan", "inf", "+inf", "-inf", "infinity", "-infinity", "u", "n/a"})


@dataclass(frozen=True, slots=True)
class LogChannel:
    """One measured quantity of a log, in a unit of this product."""

    source: str
    """Name of the meter in the run, or `HOST`."""
    id: str
    quantity: str
    unit: str
    label: str = ""
    kind: Kind = Kind.INSTANTANEOUS
    stands: Stands = "part"
    """Of the source, if the channel is `POWER`."""


class Row(NamedTuple):
    """Values of one instant: wall clock as if UTC, or UTC [ns]; NaN: no reading, `UNUSABLE`: one without a value."""

    t_ns: int
    channels: tuple[int, ...]
    values: Sequence[float]


class Channels(list[LogChannel]):
    """The channels of a log in the order in which they come up; each id is unique within its source."""

    def __init__(self) -> None:
        super().__init__()
        self._taken: set[tuple[str, str]] = set()

    def number(self, channel: LogChannel) -> int:
        """Return the number of a new channel. Raises `InputError` where there are too many."""
        if len(self) == MOST_CHANNELS:
            raise InputError(
                f"The log has more than {MOST_CHANNELS} series of power and sensors.", "Give a log of fewer machines."
            )
        wanted, count = channel.id, 1
        while (channel.source, channel.id) in self._taken:
            count += 1
            channel = replace(channel, id=f"{wanted[:90]}_{count}")
        self._taken.add((channel.source, channel.id))
        self.append(channel)
        return len(self) - 1


class LogReader(ABC):
    """Reads one log from its first line to its last."""

    local = True
    """Whether stamps are the wall clock of a time zone that a person says; else they are UTC."""
    stamp_s: ClassVar[float] = 0.0005
    """Half the step of the stamps [s]."""
    server: str | None = None
    """Name of the machine, if the log contains it."""
    file = ""
    passes = 0
    """How often the stamps began again at an earlier instant, because another table follows."""

    single_table: ClassVar[bool] = False
    """Whether every line is a reading of the same channels, so that a line which tells nothing was one of them."""
    late: ClassVar[bool] = False
    """Whether lines may come later than their time, as a buffer hands them on."""

    def __init__(self, choices: Choices) -> None:
        self.channels = Channels()
        self.at: int | None = None
        """Stamp of the current line, where it has one; as in a `Row`."""
        self.of: tuple[int, ...] = ()
        """Channels of the current line, where it names them."""
        self.unusable: list[str] = []
        """Why readings of the line that is read are unusable although it should hold a value."""
        self.remedy = ""
        """What to do where the log holds nothing that can be read; empty: give another log."""
        self.choices = choices
        self._offered: dict[str, None] = {}
        self._excluded: dict[str, None] = {}

    @abstractmethod
    def read(self, line: str) -> Sequence[Row]:
        """Read a line; headings give no rows. Raises ValueError for what it does not understand."""

    def begin_file(self, name: str) -> None:
        """Note that the lines of another file follow, under its path within the source."""
        self.file = name

    def is_chosen(self, name: str) -> bool:
        """Return whether a person said that a series is the server's power, and offer it to those who did not."""
        self.offer(name)
        return self.is_asked_for(name)

    def is_asked_for(self, name: str) -> bool:
        """Return whether a person named a series as the server's power."""
        return self.choices.power is not None and name.casefold() == self.choices.power.strip().casefold()

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
    def notes(self) -> tuple[str, ...]:
        """Return what was decided while reading, one sentence each."""
        if not self._excluded:
            return ()
        more = ", and others" if len(self._excluded) == _MOST_EXCLUDED else ""
        return (f"Excluded, being neither power nor a sensor: {', '.join(self._excluded)}{more}.",)


def quoted(names: Iterable[str]) -> str:
    """Return names of series as a person gives them on the command line, backslashes as they are."""
    return ", ".join(f"'{name}'" for name in names)


def channel_id(text: str) -> str:
    """Return a name as an id: lower case, digits and underscores."""
    return _NO_ID.sub("_", text.casefold()).strip("_")[:90] or "value"


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
