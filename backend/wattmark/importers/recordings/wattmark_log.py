"""The log that the driver `replay.log` plays: CSV lines after a head that names the channels."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

import numpy as np
from wattmark_drivers.reading import Channel
from wattmark_drivers.replay.log_file import TornLog, open_log
from wattmark_drivers.replay.log_format import ReplayRow, format_head, format_rows

from wattmark.core.errors import InputError
from wattmark.core.progress import note_done
from wattmark.importers.recordings.recording import RecordedColumn, Recording, SamplesOnDisk, side_by_side
from wattmark.store.columns import make_samples, pick
from wattmark.store.sample_store import Samples

_LINES = 50_000
"""Values of a channel that are read or written at once."""
_NEVER = np.iinfo(np.int64).min


def read_wattmark(path: Path) -> Recording:
    """Read a log. Raises `InputError` naming the first line that is none."""
    log = open_log(path)
    samples = {channel.id: SamplesOnDisk() for channel in log.head.channels}
    try:
        rows: defaultdict[str, list[ReplayRow]] = defaultdict(list)
        for moment in log.moments():
            if isinstance(moment, TornLog):
                raise InputError(
                    f"Line {moment.line} of {path.name} {moment.reason}.", "Restore the file from its source."
                )
            for row in moment.rows:
                rows[row.channel].append(row)
            if len(rows[moment.rows[0].channel]) >= _LINES:
                _add(samples, rows)
        _add(samples, rows)
    finally:
        log.close()
    return Recording(
        log.head.source, tuple(RecordedColumn(channel, samples[channel.id]) for channel in log.head.channels)
    )


def _add(samples: Mapping[str, SamplesOnDisk], rows: dict[str, list[ReplayRow]]) -> None:
    """Move rows to the samples of their channels."""
    for channel, of_channel in rows.items():
        samples[channel].add(
            make_samples(
                [row.t_ns for row in of_channel],
                [row.value for row in of_channel],
                [int(row.quality) for row in of_channel],
            )
        )
    rows.clear()


def write_wattmark(recording: Recording, file: IO[bytes]) -> list[str]:
    """Write all values in the order of their stamps; of equal stamps of a channel the first."""
    channels = [column.channel for column in recording.columns]
    file.write(format_head(recording.source, channels).encode())
    latest_ns = [_NEVER] * len(channels)
    total = sum(len(column.samples) for column in recording.columns)
    for parts in side_by_side([column.samples for column in recording.columns], _LINES):
        kept = [_later(samples, before) for samples, before in zip(parts, latest_ns, strict=True)]
        latest_ns = [
            int(samples.t_ns[-1]) if len(samples) else before for samples, before in zip(kept, latest_ns, strict=True)
        ]
        file.write("".join(_lines(channels, kept)).encode())
        note_done("stored", sum(map(len, parts)), of=total)
    return []


def _later(samples: Samples, latest_ns: int) -> Samples:
    """Select the samples that are later than all before them."""
    before = np.concatenate(([latest_ns], samples.t_ns[:-1]))[: len(samples)]
    return pick(samples, np.flatnonzero(samples.t_ns > before))


def _lines(channels: Sequence[Channel], parts: Sequence[Samples]) -> list[str]:
    """Write the values of channels in the order of their stamps, a line each."""
    stamps = np.concatenate([samples.t_ns for samples in parts])
    places = np.empty(len(stamps), np.intp)
    places[np.argsort(stamps, kind="stable")] = np.arange(len(stamps))
    lines, begin = [""] * len(stamps), 0
    for channel, samples in zip(channels, parts, strict=True):
        texts = format_rows(channel, samples.t_ns.tolist(), samples.value.tolist(), samples.quality.tolist())
        end = begin + len(samples)
        for place, text in zip(places[begin:end].tolist(), texts, strict=True):
            lines[place] = text
        begin = end
    return lines
