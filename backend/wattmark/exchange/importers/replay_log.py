"""Recorded series as a log that the driver `replay.log` plays."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from heapq import merge
from pathlib import Path
from typing import NamedTuple

import numpy as np
from wattmark_drivers.reading import Channel, Kind, Quality
from wattmark_drivers.replay.log_format import Row, format_head, format_row

from wattmark.core.errors import InputError
from wattmark.exchange.importers.ptdaemon.ptdaemon import parse_power_log
from wattmark.store.sample_store import Samples, SampleStore
from wattmark.workloads.loadgen.source_file import read_source

PTDAEMON_CHANNELS = {
    "Watts": Channel("power", "power", "W", Kind.AVERAGED, "True power"),
    "Volts": Channel("voltage", "voltage", "V", Kind.AVERAGED, "Voltage"),
    "Amps": Channel("current", "current", "A", Kind.AVERAGED, "Current"),
    "PF": Channel("power_factor", "power_factor", "1", Kind.AVERAGED, "Power factor"),
}


class Column(NamedTuple):
    """One channel with its samples."""

    channel: Channel
    samples: Samples


@dataclass(frozen=True, slots=True)
class Recording:
    """What one meter measured; ``remarks`` tell what was excluded or assumed."""

    source: str
    columns: tuple[Column, ...]
    remarks: tuple[str, ...] = ()


def from_ptdaemon(path: Path) -> Recording:
    """Read a PTDaemon log. Raises `InputError` naming the line that is no sample.

    Its wall clock is taken as UTC; only the distances matter for a replay. The daemon's values are means over its
    sampling interval.
    """
    log = parse_power_log(read_source(path, path.name))
    uncertainty = np.zeros(len(log), np.float32)
    columns = tuple(
        Column(PTDAEMON_CHANNELS[name], Samples(log.t_ns, column.value, column.quality, uncertainty))
        for name, column in log.columns.items()
    )
    return Recording(f"PTDaemon log {path.name}", columns, log.remarks)


def from_run(store: SampleStore, run_id: str, meter: str | None) -> Recording:
    """Read the raw series of one meter of a run. Raises `InputError` naming the meters that the run has."""
    series = store.list_series(run_id)
    names = sorted({item.key.source for item in series})
    if not names:
        raise InputError(
            f"There is no run {run_id[:80]!r} with series, and no such file.", "List the runs with `wattmark results`."
        )
    if meter is None and len(names) == 1:
        meter = names[0]
    if meter not in names:
        wanted = "The run has several meters" if meter is None else f"The run has no meter {meter}"
        raise InputError(f"{wanted}: {', '.join(names)}.", "Choose one by --meter NAME.")
    chosen = [item for item in series if item.key.source == meter]
    columns: dict[str, Column] = {}
    remarks = []
    for item in chosen:
        key = item.key
        if key.channel in columns:
            remarks.append(f"{key.channel} in the range {key.range or 'without a name'} is excluded: one range only.")
            continue
        channel = Channel(key.channel, key.quantity, key.unit, Kind(key.kind), key.label)
        columns[key.channel] = Column(channel, store.read(item.id))
    return Recording(f"run {run_id}, meter {meter}", tuple(columns.values()), tuple(remarks))


def write_log(recording: Recording, output: Path) -> int:
    """Write a new file and return the number of values. Raises `InputError` when it cannot be written or exists."""
    channels = {column.channel.id: column.channel for column in recording.columns}
    count = 0
    try:
        with output.open("x", encoding="utf-8", newline="") as file:
            file.write(format_head(recording.source, list(channels.values())))
            for row in merge(*(_rows(column) for column in recording.columns), key=lambda row: row.t_ns):
                file.write(format_row(row, channels[row.channel]))
                count += 1
    except FileExistsError:
        raise InputError(f"{output} exists already.", "Choose another name with --output.") from None
    except OSError as error:
        raise InputError(f"{output} cannot be written: {error.strerror}.", "Choose another folder.") from None
    return count


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
