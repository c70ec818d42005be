"""Raw samples as Parquet: a row per value, readable without wattmark, for instance by DuckDB or Polars.

Columns: t (timestamp, ns, UTC), channel, quantity, unit, kind, label, value, quality (bits of
`wattmark_drivers.reading.Quality`), u_t_s (uncertainty of the timestamp [s]), resolution (null where unknown). The key
"source" of the schema says where the samples come from.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from pathlib import Path
from typing import IO, Any, TypeVar

import numpy as np
from wattmark_drivers.reading import Channel, Kind

from wattmark.core.errors import InputError
from wattmark.core.extras import require
from wattmark.exchange.recordings.recording import Column, Recording
from wattmark.store.sample_store import Samples

MAGIC = b"PAR1"
_TAIL = 8
"""Bytes of the length of the footer and the magic word at the end (Apache Parquet, file format)."""
TEXTS = ("channel", "quantity", "unit", "kind", "label")
T = TypeVar("T")
COLUMNS = ("t", *TEXTS, "value", "quality", "u_t_s", "resolution")


def write_parquet(recording: Recording, file: IO[bytes]) -> list[str]:
    """Write all values, channel by channel. Raises `InputError` where the extra "parquet" is missing."""
    arrow = require("parquet", "arro3.core", "Parquet needs")
    writer = require("parquet", "arro3.io", "Parquet needs")
    columns = recording.columns
    samples = [column.samples for column in columns]
    sizes = [len(part.t_ns) for part in samples]
    t_ns = arrow.Array.from_numpy(_joined([part.t_ns for part in samples], np.int64))
    texts = {name: _texts(arrow, [_text(column.channel, name) for column in columns], sizes) for name in TEXTS}
    steps = [column.channel.resolution for column in columns]
    arrays = {
        "t": t_ns.cast(arrow.DataType.timestamp("ns", tz="UTC")),
        **texts,
        "value": arrow.Array.from_numpy(_joined([part.value for part in samples], np.float64)),
        "quality": arrow.Array.from_numpy(_joined([part.quality for part in samples], np.uint16)),
        "u_t_s": arrow.Array.from_numpy(_joined([part.u_t_s for part in samples], np.float32)),
        "resolution": arrow.Array(
            [step for step, size in zip(steps, sizes, strict=True) for _ in range(size)], arrow.DataType.float64()
        ),
    }
    fields = [arrow.Field(name, array.type) for name, array in arrays.items()]
    schema = arrow.Schema(fields, metadata={"source": recording.source})
    table = arrow.Table.from_arrays(list(arrays.values()), schema=schema)
    writer.write_parquet(table, file, compression="zstd(3)", created_by="wattmark")
    return []


def read_parquet(path: Path) -> Recording:
    """Read a file that `write_parquet` wrote. Raises `InputError` for another one.

    In a process of its own: the library ends the process at some damaged files.
    """
    return read_apart(path, _read)


def read_apart(path: Path, read: Callable[[Path], T | str]) -> T:
    """Read a Parquet file by a function that runs in a process of its own; a text that it returns is why it cannot.

    Raises `InputError` for a file that is none, is damaged, or cannot be read.
    """
    require("parquet", "arro3.io", "Parquet needs")
    _check_frame(path)
    with ProcessPoolExecutor(1, get_context("spawn"), initializer=_silence) as pool:
        try:
            outcome = pool.submit(read, path).result()
        except BrokenProcessPool as error:
            raise _refused(path, "it is damaged") from error
    if isinstance(outcome, str):
        raise _refused(path, outcome)
    return outcome


def _silence() -> None:
    """Keep what the library prints about a damaged file away from the person who asked."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)


def _read(path: Path) -> Recording | str:
    """Return the recording, or why there is none: what the library raises in Rust's words is no `Exception`."""
    reader = require("parquet", "arro3.io", "Parquet needs")
    try:
        table = reader.read_parquet(str(path)).read_all()
        names = list(table.schema.names)
        if names != list(COLUMNS):
            return f"it is no recording of wattmark; its columns are {', '.join(names)[:100]}"
        return _recording(table, path.name)
    except BaseException as error:
        return " ".join(str(error).split())[:100]


def _check_frame(path: Path) -> None:
    """Check that a file begins and ends as Parquet does, and that its footer lies in it. Raises `InputError`."""
    size = path.stat().st_size
    with path.open("rb") as file:
        begin = file.read(len(MAGIC))
        file.seek(max(0, size - _TAIL))
        tail = file.read(_TAIL)
    if size < len(MAGIC) + _TAIL or begin != MAGIC or not tail.endswith(MAGIC):
        raise _refused(path, "it is not a whole Parquet file")
    if int.from_bytes(tail[:4], "little") > size - len(MAGIC) - _TAIL:
        raise _refused(path, "its footer is larger than the file")


def _refused(path: Path, reason: str) -> InputError:
    return InputError(f"{path.name} cannot be read as Parquet: {reason}.", "Restore the file from its source.")


def _recording(table: Any, name: str) -> Recording:
    arrow = require("parquet", "arro3.core", "Parquet needs")
    t_ns = np.asarray(table["t"].cast(arrow.DataType.int64()).to_numpy(), np.int64)
    numbers = {key: np.asarray(table[key].to_numpy()) for key in ("value", "quality", "u_t_s")}
    texts = [table[key].to_pylist() for key in TEXTS]
    steps = table["resolution"].to_pylist()
    rows: dict[tuple[Any, ...], list[int]] = {}
    for number, key in enumerate(zip(*texts, steps, strict=True)):
        rows.setdefault(key, []).append(number)
    columns = []
    for (channel, quantity, unit, kind, label, step), places in rows.items():
        described = Channel(channel, quantity, unit, Kind(kind), label, step)
        samples = Samples(
            t_ns[places],
            numbers["value"][places].astype(np.float64),
            numbers["quality"][places].astype(np.uint16),
            numbers["u_t_s"][places].astype(np.float32),
        )
        columns.append(Column(described, samples))
    source = (table.schema.metadata_str or {}).get("source", name)
    return Recording(str(source), tuple(columns))


def _text(channel: Channel, name: str) -> str:
    values = {"channel": channel.id, "kind": channel.kind.value}
    return values.get(name) or str(getattr(channel, name, ""))


def _texts(arrow: Any, values: list[str], sizes: list[int]) -> Any:
    return arrow.Array(
        [value for value, size in zip(values, sizes, strict=True) for _ in range(size)], arrow.DataType.string()
    )


def _joined(parts: list[np.ndarray], dtype: Any) -> np.ndarray:
    return np.concatenate(parts).astype(dtype) if parts else np.zeros(0, dtype)
