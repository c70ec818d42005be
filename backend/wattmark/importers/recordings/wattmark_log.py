"""The log that the driver `replay.log` plays: CSV lines after a head that names the channels."""

from __future__ import annotations

from collections import defaultdict
from pathlib import Path
from typing import IO

import numpy as np
from numpy.typing import NDArray
from wattmark_drivers.reading import Channel
from wattmark_drivers.replay.log_file import Torn, open_log
from wattmark_drivers.replay.log_format import Row, format_head, format_rows

from wattmark.core.errors import InputError
from wattmark.importers.recordings.recording import Column, Recording
from wattmark.store.sample_store import Samples

_LINES = 50_000
"""Lines that are written at once."""


def read_log(path: Path) -> Recording:
    """Read a log. Raises `InputError` naming the first line that is none."""
    log = open_log(path)
    try:
        rows: defaultdict[str, list[Row]] = defaultdict(list)
        for moment in log.moments():
            if isinstance(moment, Torn):
                raise InputError(
                    f"Line {moment.line} of {path.name} {moment.reason}.", "Restore the file from its source."
                )
            for row in moment.rows:
                rows[row.channel].append(row)
    finally:
        log.close()
    columns = tuple(Column(channel, _samples(rows[channel.id])) for channel in log.head.channels)
    return Recording(log.head.source, columns)


def write_log(recording: Recording, file: IO[bytes]) -> list[str]:
    """Write all values in the order of their stamps."""
    channels = [column.channel for column in recording.columns]
    file.write(format_head(recording.source, channels).encode())
    latest = [_latest(column.samples) for column in recording.columns]
    stamps = np.concatenate([column.samples.t_ns[keep] for column, keep in zip(recording.columns, latest, strict=True)])
    of = np.repeat(np.arange(len(latest), dtype=np.int32), [len(keep) for keep in latest])
    place = np.concatenate(latest)
    order = np.argsort(stamps, kind="stable")
    for begin in range(0, len(order), _LINES):
        part = order[begin : begin + _LINES]
        file.write("".join(_lines(recording, channels, of[part], place[part])).encode())
    return []


def _latest(samples: Samples) -> NDArray[np.int64]:
    """Return which samples are later than all before them; of equal stamps the first."""
    before = np.maximum.accumulate(np.concatenate(([-1], samples.t_ns[:-1])))
    return np.flatnonzero(samples.t_ns > before[: len(samples.t_ns)])


def _lines(recording: Recording, channels: list[Channel], of: NDArray[np.int32], place: NDArray[np.int64]) -> list[str]:
    """Write the values at some places of some columns, a line each."""
    lines = [""] * len(of)
    for number, (column, channel) in enumerate(zip(recording.columns, channels, strict=True)):
        at = np.flatnonzero(of == number)
        if not len(at):
            continue
        samples, rows = column.samples, place[at]
        texts = format_rows(
            channel, samples.t_ns[rows].tolist(), samples.value[rows].tolist(), samples.quality[rows].tolist()
        )
        for line, text in zip(at.tolist(), texts, strict=True):
            lines[line] = text
    return lines


def _samples(rows: list[Row]) -> Samples:
    return Samples(
        np.array([row.t_ns for row in rows], np.int64),
        np.array([row.value for row in rows], np.float64),
        np.array([int(row.quality) for row in rows], np.uint16),
        np.zeros(len(rows), np.float32),
    )
