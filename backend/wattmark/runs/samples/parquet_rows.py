"""Samples as Arrow batches and as Apache Parquet, block by block."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import IO, Any

import numpy as np

from wattmark.core.extras import require
from wattmark.runs.samples.blocks import Block
from wattmark.runs.samples.csv_rows import block_quality

_WRITER = "wattmark"


def write_samples(blocks: Iterable[Block], file: IO[bytes]) -> None:
    """Write all blocks into a file; stamps are UTC nanoseconds. Raises `InputError` without the extra "parquet"."""
    arrow = require("parquet", "arro3.core", "Parquet needs")
    writer = require("parquet", "arro3.io", "Parquet needs")
    schema = _schema(arrow)
    reader = arrow.RecordBatchReader.from_batches(schema, _batches(arrow, schema, blocks))
    writer.write_parquet(reader, file, compression="zstd(3)", created_by=_WRITER)


def sample_table(blocks: Iterable[Block], feature: str) -> Any:
    """Convert all blocks to a table of arro3. Raises `InputError` without the extra "parquet"."""
    arrow = require("parquet", "arro3.core", feature)
    schema = _schema(arrow)
    return arrow.Table.from_batches([*_batches(arrow, schema, blocks)], schema=schema)


def _schema(arrow: Any) -> Any:
    kind, text = arrow.DataType, arrow.DataType.utf8()
    return arrow.Schema(
        [
            arrow.Field("time", kind.timestamp("ns", tz="UTC"), nullable=False),
            *(arrow.Field(name, text, nullable=False) for name in ("source", "channel", "label", "quantity")),
            arrow.Field("value", kind.float64(), nullable=True, metadata={"unit_from": "unit"}),
            arrow.Field("unit", text, nullable=False),
            arrow.Field("quality", text, nullable=False),
            arrow.Field("u_time_s", kind.float32(), nullable=False, metadata={"unit": "s"}),
        ]
    )


def _batches(arrow: Any, schema: Any, blocks: Iterable[Block]) -> Iterator[Any]:
    for block in blocks:
        samples, key = block.samples, block.series.key
        n = len(samples)
        same = [arrow.Array([text] * n, type=arrow.DataType.utf8()) for text in
                (key.source, key.channel, key.label, key.quantity)]  # fmt: skip
        stamps = arrow.Array.from_numpy(np.ascontiguousarray(samples.t_ns))
        value = [number if np.isfinite(number) else None for number in samples.value.tolist()]
        yield arrow.RecordBatch.from_arrays(
            [
                stamps.cast(arrow.DataType.timestamp("ns", tz="UTC")),
                *same,
                arrow.Array(value, type=arrow.DataType.float64()),
                arrow.Array([key.unit] * n, type=arrow.DataType.utf8()),
                arrow.Array(block_quality(block), type=arrow.DataType.utf8()),
                arrow.Array.from_numpy(np.ascontiguousarray(samples.u_t_s)),
            ],
            schema=schema,
        )
