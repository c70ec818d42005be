"""Read a recorded log moment by moment, without holding it in memory."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import IO

from wattmark_drivers.errors import ConfigurationError
from wattmark_drivers.reading import Channel
from wattmark_drivers.replay.log_format import LONGEST_LINE, Head, ReplayRow, parse_head, parse_row

REMEDY = "Record a log with `wattmark convert`, or see the README of wattmark_drivers/replay."


@dataclass(frozen=True, slots=True)
class Moment:
    """All values of one stamp."""

    t_ns: int
    rows: tuple[ReplayRow, ...]


@dataclass(frozen=True, slots=True)
class TornLog:
    """Lines in a row that cannot be used: number of the first, how many, and why the first is none."""

    line: int
    count: int
    reason: str


@dataclass
class LogFile:
    """An open log: its head, and what follows in order. Stamps never go back."""

    path: Path
    head: Head
    channels: dict[str, Channel]
    _file: IO[str] = field(repr=False)
    _number: int

    def moments(self) -> Iterator[Moment | TornLog]:
        """Read the values to the end of the file. Raises `ConfigurationError` when it cannot be read further."""
        rows: list[ReplayRow] = []
        torn: TornLog | None = None
        latest_ns = -1
        for number, line in self._lines():
            try:
                row = self._row(line, rows, latest_ns)
            except ValueError as error:
                torn = (
                    TornLog(number, 1, str(error)) if torn is None else TornLog(torn.line, torn.count + 1, torn.reason)
                )
                continue
            if torn is not None:
                yield from _moment(rows)
                rows = []
                yield torn
                torn = None
            elif rows and row.t_ns > rows[0].t_ns:
                yield from _moment(rows)
                rows = []
            latest_ns = row.t_ns
            rows.append(row)
        yield from _moment(rows)
        if torn is not None:
            yield torn

    def close(self) -> None:
        self._file.close()

    def _row(self, line: str, rows: list[ReplayRow], latest_ns: int) -> ReplayRow:
        if not line.endswith("\n"):
            raise ValueError("is cut off")
        row = parse_row(line, self.channels)
        if row.t_ns < latest_ns:
            raise ValueError("goes back in time")
        if row.t_ns == latest_ns and any(row.channel == other.channel for other in rows):
            raise ValueError("repeats a channel at the same time")
        return row

    def _lines(self) -> Iterator[tuple[int, str]]:
        """Number the lines; of one that is longer than any can be only the begin is given, which is no value."""
        try:
            while line := self._file.readline(LONGEST_LINE):
                self._number += 1
                rest = line
                while rest and not rest.endswith("\n"):
                    rest = self._file.readline(LONGEST_LINE)
                if line.strip():
                    yield self._number, line
        except OSError as error:
            raise ConfigurationError(f"{self.path} cannot be read: {error.strerror}.", "Copy it again.") from None


def open_log(path: Path) -> LogFile:
    """Open a log and read its head. Raises `ConfigurationError` with the line that is wrong."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise ConfigurationError(f"{path} is not a file.", REMEDY)
        file = path.open(encoding="utf-8", errors="replace", newline="")
    except OSError as error:
        raise ConfigurationError(f"{path} cannot be read: {error.strerror}.", "Check the path.") from None
    try:
        head, number = parse_head(iter(lambda: file.readline(LONGEST_LINE), ""))
    except (OSError, ValueError) as error:
        file.close()
        raise ConfigurationError(f"{path}: {error}.", REMEDY) from None
    return LogFile(path, head, {channel.id: channel for channel in head.channels}, file, number)


def _moment(rows: list[ReplayRow]) -> Iterator[Moment]:
    if rows:
        yield Moment(rows[0].t_ns, tuple(rows))
