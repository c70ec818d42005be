"""Write rows to a Parquet file, and say in what it then must consist of."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import IO, Any

import numpy as np

from wattmark.core.extras import require
from wattmark.fleet.clickhouse.columns import MOST_PART, MOST_REPEAT
from wattmark.fleet.dossiers.rows import Row, series_parts
from wattmark.fleet.parquet.layout import ROWS, TABLES, arrow_type, columns, schema
from wattmark.fleet.parquet.read import AT_ONCE, KEY
from wattmark.runs.samples.blocks import Block, blocks
from wattmark.store.columns import repeats
from wattmark.store.sample_store import SampleStore, Series

_DOCUMENTS = frozenset({"record", "line", "document"})
_STAMPS = ("t", "t_ns")


class _Output:
    """A file whose errors wait until the library has come to its end: it panics at those of a file."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file = file
        self._error: OSError | None = None

    def write(self, data: bytes) -> int:
        self._do(lambda: self._file.write(data))
        return len(data)

    def flush(self) -> None:
        self._do(self._file.flush)

    def seek(self, offset: int, whence: int = 0) -> int:
        return self._file.seek(offset, whence)

    def close(self) -> None:
        """Raise the first error of the file."""
        if self._error is not None:
            raise self._error

    def _do(self, action: Callable[[], object]) -> None:
        if self._error is None:
            try:
                action()
            except OSError as error:
                self._error = error


class _Input:
    """Batches whose error is kept, because the library gives only its text."""

    def __init__(self, batches: Iterable[Any]) -> None:
        self._batches = batches
        self.error: Exception | None = None

    def __iter__(self) -> Iterator[Any]:
        try:
            yield from self._batches
        except Exception as error:
            self.error = error
            raise


def write_batches(table: str, batches: Iterable[Any], file: IO[bytes], facts: Mapping[str, Any]) -> None:
    """Write batches of a table to a file with facts as metadata. Raises what the batches raise, and `OSError`."""
    arrow = require("parquet", "arro3.core", "Parquet needs")
    writer = require("parquet", "arro3.io", "Parquet needs")
    source, target = _Input(batches), _Output(file)
    try:
        writer.write_parquet(
            arrow.RecordBatchReader.from_batches(schema(table), source),
            target,
            compression="zstd(3)",
            created_by="wattmark",
            max_row_group_size=ROWS,
            column_encoding=dict.fromkeys(_STAMPS, "delta_binary_packed") if table == "sample" else None,
            column_dictionary_enabled={name: False for name in columns(table) if name in (*_STAMPS, *_DOCUMENTS)},
            key_value_metadata={KEY: json.dumps(facts, sort_keys=True)},
        )
    except Exception:
        if source.error is not None:
            raise source.error from None
        raise
    target.close()


def sample_batches(store: SampleStore, run_id: str, lab: str) -> Iterator[Any]:
    """Yield the samples of a run in the order of the table's key. A damaged block raises `StoreError`."""
    listed = store.list_series(run_id)
    parts = series_parts(series.key for series in listed)
    series = sorted(zip(listed, parts, strict=True), key=lambda pair: _order(*pair))
    part_of = {entry.id: part for entry, part in series}
    for block in blocks(store, [entry for entry, _ in series]):
        yield _sample_batch(block, part_of[block.series.id], lab)


def _order(series: Series, part: int) -> tuple[str, str, str, int]:
    return series.key.server, series.key.source, series.key.channel, part


def _sample_batch(block: Block, part: int, lab: str) -> Any:
    arrow = require("parquet", "arro3.core", "Parquet needs")
    key, samples, n = block.series.key, block.samples, len(block.samples)
    texts = {
        "lab": lab,
        "run": key.run_id,
        "server": key.server,
        "source": key.source,
        "channel": key.channel,
        "unit": key.unit,
        "quantity": key.quantity,
    }
    numbers = {
        "part": np.full(n, min(part, MOST_PART), np.uint8),
        "t_ns": samples.t_ns,
        "repeat": np.minimum(repeats(samples.t_ns), MOST_REPEAT).astype(np.uint16),
        "value": samples.value,
        "quality": samples.quality,
        "u_t_s": samples.u_t_s,
        "simulated": np.full(n, key.simulated, np.uint8),
    }
    first = arrow.Array.from_numpy(np.zeros(n, np.uint32))
    arrays = {name: arrow.Array([text], arrow.DataType.string()).take(first) for name, text in texts.items()}
    arrays |= {name: arrow.Array.from_numpy(np.ascontiguousarray(column)) for name, column in numbers.items()}
    microseconds = arrow.Array.from_numpy(np.floor_divide(samples.t_ns, 1000))
    arrays["t"] = microseconds.cast(arrow_type(arrow, columns("sample")["t"]))
    return arrow.RecordBatch.from_arrays([arrays[name] for name in columns("sample")], schema=schema("sample"))


def row_batches(table: str, rows: Iterable[Row]) -> Iterator[Any]:
    """Yield rows of a table as batches."""
    waiting: list[Row] = []
    for row in rows:
        waiting.append(row)
        if len(waiting) == AT_ONCE:
            yield _row_batch(table, waiting)
            waiting = []
    if waiting:
        yield _row_batch(table, waiting)


def _row_batch(table: str, rows: list[Row]) -> Any:
    arrow = require("parquet", "arro3.core", "Parquet needs")
    arrays = []
    for column in TABLES[table].columns:
        values, kind = [row[column.name] for row in rows], arrow_type(arrow, column.type)
        arrays.append(_texts(arrow, values, kind) if column.type == "Array(String)" else arrow.Array(values, kind))
    return arrow.RecordBatch.from_arrays(arrays, schema=schema(table))


def _texts(arrow: Any, lists: list[list[str]], kind: Any) -> Any:
    offsets = np.cumsum([0, *map(len, lists)]).astype(np.int32)
    flat = arrow.Array([text for texts in lists for text in texts], arrow.DataType.string())
    return arrow.list_array(arrow.Array.from_numpy(offsets), flat, type=kind)
