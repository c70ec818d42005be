"""The log of PTDaemon (its -l file): a line per sample with watts, volts, amperes and power factor."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import IO

import numpy as np
from wattmark_drivers.reading import Channel, Kind, Quality

from wattmark.core.errors import InputError
from wattmark.core.progress import note_done
from wattmark.importers.ptdaemon.power_lines import NO_MARK, read_power_lines
from wattmark.importers.ptdaemon.ptdaemon import COLUMNS, column_of, parse_power_log, sentinel_remarks
from wattmark.importers.ptdaemon.ptdaemon import Column as PowerColumn
from wattmark.importers.ptdaemon.ptdaemon_line import CHANNEL
from wattmark.importers.recordings.recording import Column, Recording
from wattmark.importers.stamped_columns import StampedColumns
from wattmark.importers.text_lines import TextLines
from wattmark.importers.unread import Unread
from wattmark.store.sample_store import Samples
from wattmark.workloads.loadgen.source_file import read_source

CHANNELS = {
    "Watts": Channel("power", "power", "W", Kind.AVERAGED, "True power"),
    "Volts": Channel("voltage", "voltage", "V", Kind.AVERAGED, "Voltage"),
    "Amps": Channel("current", "current", "A", Kind.AVERAGED, "Current"),
    "PF": Channel("power_factor", "power_factor", "1", Kind.AVERAGED, "Power factor"),
}
_LINE = f"Time,%s,{','.join(f'{name},%.6f' for name in CHANNELS)},Mark,{NO_MARK}\n"
LONGEST = 8192
"""Characters of a line, as for imports."""
_LINES = 20_000
"""Lines that are written at once."""
_MOST_MARKS = 5
FAILED = -1.0
"""PTDaemon's value for a failed sample, and for a quantity that it does not measure."""


def read_ptdaemon(path: Path) -> Recording:
    """Read a PTDaemon log. Raises `InputError` naming the line that is not a sample.

    Its wall clock has no zone and is taken as UTC. The daemon's values are means over its sampling interval. A log of
    one channel whose lines are all samples is read in columns; any other line by line, which explains what is odd.
    """
    return _read_in_columns(path) or _read_by_line(path)


def _read_by_line(path: Path) -> Recording:
    log = parse_power_log(read_source(path, path.name))
    return _recording(path, log.t_ns, log.columns, [*log.remarks, *_without_marks(log.marks)])


def _read_in_columns(path: Path) -> Recording | None:
    """Read a log block by block; None where a line is no sample, runs backward or repeats a stamp."""
    unread, count, marks = Unread(), 0, dict[str, None]()
    columns = StampedColumns(len(COLUMNS))
    try:
        for part in read_power_lines(TextLines(path, path.name, LONGEST), unread, COLUMNS[1:]):
            if unread.count:
                return None
            columns.add(part.t_ns, np.column_stack([part.watts, *(part.others[name] for name in COLUMNS[1:])]))
            count += len(part)
            marks.update(dict.fromkeys(part.marks))
    except InputError:
        return None
    if not count or _has_parts(path):
        return None
    t_ns, values, begin = np.empty(count, np.int64), np.empty((len(COLUMNS), count)), 0
    for stamps, rows in columns.read(_LINES):
        end = begin + len(stamps)
        t_ns[begin:end], values[:, begin:end] = stamps, rows.T
        begin = end
    if np.any(t_ns[1:] <= t_ns[:-1]) or not _ends_whole(path):
        return None
    judged = {name: _shortened(column_of(name, value)) for name, value in zip(COLUMNS, values, strict=True)}
    return _recording(path, t_ns, judged, [*sentinel_remarks(judged["Watts"]), *_without_marks(tuple(marks))])


def _recording(path: Path, t_ns: np.ndarray, columns: Mapping[str, PowerColumn], remarks: Sequence[str]) -> Recording:
    uncertainty = np.broadcast_to(np.float32(0), len(t_ns))
    return Recording(
        f"PTDaemon log {path.name}",
        tuple(
            Column(CHANNELS[name], Samples(t_ns, column.value, column.quality, uncertainty))
            for name, column in columns.items()
        ),
        tuple(remarks),
    )


def _shortened(column: PowerColumn) -> PowerColumn:
    """Return a column whose qualities are one element where all are good."""
    if column.quality.any():
        return column
    return PowerColumn(column.value, np.broadcast_to(np.uint16(0), len(column.quality)))


def _without_marks(marks: Sequence[str]) -> list[str]:
    """Say which marks are lost: a recording has none."""
    named = [mark for mark in marks if mark and mark != NO_MARK]
    if not named:
        return []
    more = f" and {len(named) - _MOST_MARKS} more" if len(named) > _MOST_MARKS else ""
    return [f"Marks are excluded: {', '.join(named[:_MOST_MARKS])}{more}."]


def _has_parts(path: Path) -> bool:
    """Return whether the first line names channels or analyzers, whose sum is to be checked."""
    with path.open("rb") as file:
        return any(map(CHANNEL.fullmatch, file.readline(LONGEST).decode("latin-1").split(",")))


def _ends_whole(path: Path) -> bool:
    """Return whether the last line ends with a line feed, so that it was written whole."""
    with path.open("rb") as file:
        file.seek(-1, os.SEEK_END)
        return file.read(1) == b"\n"


def write_ptdaemon(recording: Recording, file: IO[bytes]) -> list[str]:
    """Write a line for each sample of power, in UTC; return what was excluded.

    Stamps have milliseconds there, and what is no valid value becomes -1, as the daemon writes it.
    """
    columns = {column.channel.id: column.samples for column in recording.columns}
    power = columns.get("power")
    if power is None:
        raise InputError("A PTDaemon log needs a channel power, which this recording does not have.", "Convert to CSV.")
    values = {name: _at(columns.get(channel.id), power.t_ns) for name, channel in CHANNELS.items()}
    for begin in range(0, len(power.t_ns), _LINES):
        part = slice(begin, begin + _LINES)
        note_done("stored", len(power.t_ns[part]))
        rows = zip(_stamps(power.t_ns[part]), *(column[part].tolist() for column in values.values()), strict=True)
        file.write("".join(_LINE % row for row in rows).encode("ascii"))
    others = sorted(columns.keys() - {channel.id for channel in CHANNELS.values()})
    remarks = [f"Without place in a PTDaemon log, excluded: {', '.join(others)}."] if others else []
    if np.any(power.t_ns % 1_000_000):
        remarks.append("Timestamps were rounded down to milliseconds.")
    return remarks


def _at(samples: Samples | None, t_ns: np.ndarray) -> np.ndarray:
    """Return the valid values of a channel at these stamps; elsewhere -1."""
    values = np.full(len(t_ns), FAILED)
    if samples is None or not len(samples.t_ns):
        return values
    places = np.minimum(np.searchsorted(samples.t_ns, t_ns), len(samples.t_ns) - 1)
    invalid = samples.quality[places] & np.uint16(Quality.INVALID)
    fits = (samples.t_ns[places] == t_ns) & np.isfinite(samples.value[places]) & (invalid == 0)
    values[fits] = samples.value[places][fits]
    return values


def _stamps(t_ns: np.ndarray) -> Iterator[str]:
    """Write stamps in UTC; lines of the same second share its text."""
    second, text = -1, ""
    for seconds, millis in zip((t_ns // 10**9).tolist(), (t_ns // 10**6 % 1000).tolist(), strict=True):
        if seconds != second:
            second, text = seconds, f"{datetime.fromtimestamp(seconds, UTC):%m-%d-%Y %H:%M:%S}"
        yield f"{text}.{millis:03d}"
