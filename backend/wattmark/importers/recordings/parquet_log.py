"""Raw samples as Parquet: a row per value, readable without wattmark, for instance by DuckDB or Polars.

Columns: t (timestamp, ns, UTC), channel, quantity, unit, kind, label, value, quality (bits of
`wattmark_drivers.reading.Quality`), u_t_s (uncertainty of the timestamp [s]), resolution (null where unknown). The key
"source" of the schema says where the samples come from.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, Any

import numpy as np
from wattmark_drivers.reading import Channel, Kind

from wattmark.core.apart import read_apart
from wattmark.core.extras import require
from wattmark.core.progress import note_done
from wattmark.importers.recordings.recording import ROW, RecordedColumn, Recording, SamplesOnDisk, rows_of, samples_of
from wattmark.store.sample_store import Samples

TEXTS = ("channel", "quantity", "unit", "kind", "label")
NUMBERS = ("t_ns", "value", "quality", "u_t_s")
"""The fields of `Samples`, which the file has under the same names but for t."""
ROWS = 100_000
"""Rows that are written at once."""
COLUMNS = ("t", *TEXTS, "value", "quality", "u_t_s", "resolution")


def write_parquet(recording: Recording, file: IO[bytes]) -> list[str]:
    """Write all values, channel by channel. Raises `InputError` where the extra "parquet" is missing."""
    arrow = require("parquet", "arro3.core", "Parquet needs")
    writer = require("parquet", "arro3.io", "Parquet needs")
    kind, text = arrow.DataType, arrow.DataType.string()
    types = {
        "t": kind.timestamp("ns", tz="UTC"),
        **dict.fromkeys(TEXTS, text),
        "value": kind.float64(),
        "quality": kind.uint16(),
        "u_t_s": kind.float32(),
        "resolution": kind.float64(),
    }
    fields = [arrow.Field(name, types[name]) for name in COLUMNS]
    schema = arrow.Schema(fields, metadata={"source": recording.source})
    total = sum(len(column.samples) for column in recording.columns)
    batches = (batch for column in recording.columns for batch in _batches(arrow, schema, types, column, total))
    stream = arrow.RecordBatchReader.from_batches(schema, batches)
    writer.write_parquet(stream, file, compression="zstd(3)", created_by="wattmark")
    return []


def _batches(arrow: Any, schema: Any, types: dict[str, Any], column: RecordedColumn, total: int) -> Iterator[Any]:
    """Yield the rows of a channel, some at a time, so that a long recording is not in memory.

    ``total`` counts the samples of all channels.
    """
    channel = column.channel
    resolutions = arrow.Array([channel.resolution] * ROWS, types["resolution"])
    texts = {name: arrow.Array([_text(channel, name)] * ROWS, types[name]) for name in TEXTS}
    for samples in column.samples.read(ROWS):
        count = len(samples)
        note_done("stored", count, of=total)
        fields = {
            "t": arrow.Array.from_numpy(np.ascontiguousarray(samples.t_ns, np.int64)).cast(types["t"]),
            **{name: texts[name].slice(0, count) for name in TEXTS},
            "value": arrow.Array.from_numpy(np.ascontiguousarray(samples.value, np.float64)),
            "quality": arrow.Array.from_numpy(np.ascontiguousarray(samples.quality, np.uint16)),
            "u_t_s": arrow.Array.from_numpy(np.ascontiguousarray(samples.u_t_s, np.float32)),
            "resolution": resolutions.slice(0, count),
        }
        yield arrow.RecordBatch.from_arrays([fields[name] for name in COLUMNS], schema=schema)


def read_parquet(path: Path) -> Recording:
    """Read a file that `write_parquet` wrote. Raises `InputError` for another one.

    In a separate process, because some damaged files make the library end its process; it leaves the rows of each
    channel in a folder, from where they are taken.
    """
    with TemporaryDirectory() as name:
        folder = Path(name)
        source, channels = read_apart(path, partial(_read, folder=folder))
        return Recording(
            source,
            tuple(
                RecordedColumn(channel, SamplesOnDisk.of(_parts(folder / str(number))))
                for number, channel in enumerate(channels)
            ),
        )


def _read(path: Path, folder: Path) -> tuple[str, list[Channel]] | str:
    """Write the rows of each channel, and return the source and the channels; a text is why there are none.

    What the library raises in Rust's words is no `Exception`.
    """
    reader = require("parquet", "arro3.io", "Parquet needs")
    try:
        stream = reader.read_parquet(str(path))
        names = list(stream.schema.names)
        if names != list(COLUMNS):
            return f"it is not a recording of wattmark; its columns are {', '.join(names)[:100]}"
        return str((stream.schema.metadata_str or {}).get("source", path.name)), _write_channels(stream, folder)
    except BaseException as error:
        return " ".join(str(error).split())[:100]


def _write_channels(stream: Any, folder: Path) -> list[Channel]:
    """Write the rows of each channel to a file with its number, and return the channels."""
    numbers: dict[tuple[Any, ...], int] = {}
    for batch in stream:
        for key, samples in _channels(batch):
            number = numbers.setdefault(key, len(numbers))
            with (folder / str(number)).open("ab") as file:
                file.write(rows_of(samples).tobytes())
    return [
        Channel(channel, quantity, unit, Kind(kind), label, step)
        for channel, quantity, unit, kind, label, step in numbers
    ]


def _parts(path: Path) -> Iterator[Samples]:
    with path.open("rb") as file:
        while data := file.read(ROWS * ROW.itemsize):
            yield samples_of(np.frombuffer(data, ROW))


def _channels(batch: Any) -> Iterator[tuple[tuple[Any, ...], Samples]]:
    """Split the rows of a batch by what describes their channel."""
    arrow = require("parquet", "arro3.core", "Parquet needs")
    t_ns = np.asarray(batch["t"].cast(arrow.DataType.int64()).to_numpy(), np.int64)
    value, quality, u_t_s = (np.asarray(batch[key].to_numpy()) for key in NUMBERS[1:])
    described = [batch[key].to_pylist() for key in (*TEXTS, "resolution")]
    rows: dict[tuple[Any, ...], list[int] | slice] = {}
    if all(len(set(texts)) == 1 for texts in described):
        rows[tuple(texts[0] for texts in described)] = slice(None)
    else:
        singly: dict[tuple[Any, ...], list[int]] = {}
        for number, key in enumerate(zip(*described, strict=True)):
            singly.setdefault(key, []).append(number)
        rows.update(singly)
    for key, places in rows.items():
        yield (
            key,
            Samples(
                t_ns[places],
                value[places].astype(np.float64),
                quality[places].astype(np.uint16),
                u_t_s[places].astype(np.float32),
            ),
        )


def _text(channel: Channel, name: str) -> str:
    values = {"channel": channel.id, "kind": channel.kind.value}
    return values.get(name) or str(getattr(channel, name, ""))
