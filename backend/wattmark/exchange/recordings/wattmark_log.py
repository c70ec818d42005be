"""The log that the driver `replay.log` plays: CSV lines after a head that names the channels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from heapq import merge
from pathlib import Path
from typing import IO

import numpy as np
from wattmark_drivers.reading import Quality
from wattmark_drivers.replay.log_file import Torn, open_log
from wattmark_drivers.replay.log_format import Row, format_head, format_row

from wattmark.core.errors import InputError
from wattmark.exchange.recordings.recording import Column, Recording
from wattmark.store.sample_store import Samples


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
    channels = {column.channel.id: column.channel for column in recording.columns}
    file.write(format_head(recording.source, list(channels.values())).encode())
    for row in merge(*(_rows(column) for column in recording.columns), key=lambda row: row.t_ns):
        file.write(format_row(row, channels[row.channel]).encode())
    return []


def _samples(rows: list[Row]) -> Samples:
    return Samples(
        np.array([row.t_ns for row in rows], np.int64),
        np.array([row.value for row in rows], np.float64),
        np.array([int(row.quality) for row in rows], np.uint16),
        np.zeros(len(rows), np.float32),
    )


def _rows(column: Column) -> Iterator[Row]:
    """Return the samples in the order of their stamps; of equal stamps only the first."""
    samples = column.samples
    latest_ns = -1
    for t_ns, value, quality in zip(
        samples.t_ns.tolist(), samples.value.tolist(), samples.quality.tolist(), strict=True
    ):
        if t_ns > latest_ns:
            latest_ns = t_ns
            yield Row(t_ns, column.channel.id, value, Quality(quality))
