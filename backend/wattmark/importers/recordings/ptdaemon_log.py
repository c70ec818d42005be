"""The log of PTDaemon (its -l file): a line per sample with watts, volts, amperes and power factor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import IO

import numpy as np
from wattmark_drivers.reading import Channel, Kind

from wattmark.core.errors import InputError
from wattmark.core.progress import note_done
from wattmark.core.texts import first_of
from wattmark.importers.ptdaemon.power_lines import NO_MARK, read_power_lines
from wattmark.importers.ptdaemon.ptdaemon import (
    COLUMNS,
    CUT_LINE,
    StampSteps,
    column_of,
    last_line_is_cut,
    no_power_sample,
    no_watts_remarks,
    not_a_sample,
    not_added_up,
    sentinel_remarks,
    sum_remarks,
)
from wattmark.importers.ptdaemon.ptdaemon_line import parse_line, usual_line
from wattmark.importers.recordings.recording import RecordedColumn, Recording, SamplesOnDisk, side_by_side
from wattmark.importers.text_lines import TextLines
from wattmark.importers.unread import Unread
from wattmark.store.columns import make_samples, usable
from wattmark.store.sample_store import Samples

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
WATTS = COLUMNS[0]
FAILED = -1.0
"""PTDaemon's value for a failed sample, and for a quantity that it does not measure."""


def read_ptdaemon(path: Path) -> Recording:
    """Read a PTDaemon log block by block. Raises `InputError` naming the line that is not a sample.

    Its wall clock has no zone and is taken as UTC. The daemon's values are means over its sampling interval.
    """
    cut = last_line_is_cut(path)
    text = TextLines(path, path.name, LONGEST, whole_lines=cut)
    usual = usual_line(path)
    groups = [f"{name} {WATTS}" for name in (usual.names if usual else ())]
    unread, marks, order = Unread(), dict[str, None](), StampSteps()
    samples = {name: SamplesOnDisk() for name in COLUMNS}
    failed = wrong_sums = 0
    for part in read_power_lines(text, unread, (*COLUMNS[1:], *groups)):
        if part.lost:
            raise _not_a_sample(path, part.lost[0][0])
        order.add(part.t_ns)
        columns = {name: column_of(name, part.watts if name == WATTS else part.others[name]) for name in COLUMNS}
        for name, column in columns.items():
            samples[name].add(make_samples(part.t_ns, column.value, column.quality))
        failed += int(np.count_nonzero(columns[WATTS].quality))
        wrong_sums += not_added_up(part.watts, [part.others[group] for group in groups])
        marks.update(dict.fromkeys(part.marks))
    if not len(samples[WATTS]):
        raise no_power_sample(path.name)
    remarks = [
        *([CUT_LINE] if cut else []),
        *no_watts_remarks(unread.count),
        *order.remarks,
        *sum_remarks(wrong_sums),
        *sentinel_remarks(failed, len(samples[WATTS])),
        *_without_marks(tuple(marks)),
    ]
    return Recording(
        f"PTDaemon log {path.name}",
        tuple(RecordedColumn(CHANNELS[name], of_channel) for name, of_channel in samples.items()),
        tuple(remarks),
    )


def _not_a_sample(path: Path, number: int) -> InputError:
    """Read a line again, to say what is wrong with it."""
    with path.open("rb") as file:
        text = next(islice(file, number - 1, None)).decode("utf-8", "replace").rstrip("\r\n")
    try:
        parse_line(text)
    except ValueError as error:
        return not_a_sample(path.name, number, text, str(error))
    return not_a_sample(path.name, number, text, "the log changed while it was read")


def _without_marks(marks: Sequence[str]) -> list[str]:
    """Say which marks are lost: a recording has none."""
    named = [mark for mark in marks if mark and mark != NO_MARK]
    return [f"Marks are excluded: {first_of(named, _MOST_MARKS)}."] if named else []


def write_ptdaemon(recording: Recording, file: IO[bytes]) -> list[str]:
    """Write a line for each sample of power, in UTC; return what was excluded.

    Stamps have milliseconds there, and what is no valid value becomes -1, as the daemon writes it.
    """
    columns = {column.channel.id: column.samples for column in recording.columns}
    if "power" not in columns:
        raise InputError("A PTDaemon log needs a channel power, which this recording does not have.", "Convert to CSV.")
    named = {channel.id: columns.get(channel.id, SamplesOnDisk()) for channel in CHANNELS.values()}
    finer = False
    for power, *others in side_by_side(list(named.values()), _LINES):
        note_done("stored", len(power), of=len(columns["power"]))
        values = [_at(samples, power.t_ns).tolist() for samples in (power, *others)]
        file.write("".join(_LINE % row for row in zip(_stamps(power.t_ns), *values, strict=True)).encode("ascii"))
        finer |= bool(np.any(power.t_ns % 1_000_000))
    excluded = sorted(columns.keys() - named.keys())
    remarks = [f"Without place in a PTDaemon log, excluded: {', '.join(excluded)}."] if excluded else []
    if finer:
        remarks.append("Timestamps were rounded down to milliseconds.")
    return remarks


def _at(samples: Samples, t_ns: np.ndarray) -> np.ndarray:
    """Return the values of a channel at these stamps that may be used; elsewhere -1."""
    values = np.full(len(t_ns), FAILED)
    if not len(samples):
        return values
    places = np.minimum(np.searchsorted(samples.t_ns, t_ns), len(samples) - 1)
    fits = (samples.t_ns[places] == t_ns) & usable(samples)[places]
    values[fits] = samples.value[places][fits]
    return values


def _stamps(t_ns: np.ndarray) -> Iterator[str]:
    """Write stamps in UTC; lines of the same second share its text."""
    second, text = -1, ""
    for seconds, millis in zip((t_ns // 10**9).tolist(), (t_ns // 10**6 % 1000).tolist(), strict=True):
        if seconds != second:
            second, text = seconds, f"{datetime.fromtimestamp(seconds, UTC):%m-%d-%Y %H:%M:%S}"
        yield f"{text}.{millis:03d}"
