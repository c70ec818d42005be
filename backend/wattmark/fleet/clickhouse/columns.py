"""Samples and rows as the columns that are inserted. Pure."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from wattmark.fleet.clickhouse.tables import ClickHouseTable
from wattmark.store.outbox.outbox_types import RefusedLine, SampleSlice

Columns = dict[str, Sequence[Any] | NDArray[Any]]
MOST_PART, MOST_REPEAT = 255, 65_535
"""Largest numbers that the columns `part` and `repeat` have room for."""


def sample_columns(slices: Iterable[SampleSlice], lab: Callable[[str], str]) -> tuple[Columns, list[RefusedLine]]:
    """Return the columns of table `sample`, and the number of samples that no row distinguishes from another."""
    refused: list[RefusedLine] = []
    fitting: list[tuple[SampleSlice, NDArray[np.bool_]]] = []
    for sample_slice in slices:
        fits = (sample_slice.repeats <= MOST_REPEAT) & (sample_slice.part <= MOST_PART)
        refused += [_refused(sample_slice, t_ns) for t_ns in sample_slice.samples.t_ns[~fits].tolist()]
        if fits.any():
            fitting.append((sample_slice, fits))
    columns: Columns = {
        "lab": _repeated(fitting, lambda sample_slice: lab(sample_slice.key.run_id)),
        "run": _repeated(fitting, lambda sample_slice: sample_slice.key.run_id),
        "server": _repeated(fitting, lambda sample_slice: sample_slice.key.server),
        "source": _repeated(fitting, lambda sample_slice: sample_slice.key.source),
        "channel": _repeated(fitting, lambda sample_slice: sample_slice.key.channel),
        "part": _joined(np.uint8, [np.full(fits.sum(), piece.part) for piece, fits in fitting]),
        "t_ns": _joined(np.int64, [piece.samples.t_ns[fits] for piece, fits in fitting]),
        "repeat": _joined(np.uint16, [piece.repeats[fits] for piece, fits in fitting]),
        "value": _joined(np.float64, [piece.samples.value[fits] for piece, fits in fitting]),
        "quality": _joined(np.uint16, [piece.samples.quality[fits] for piece, fits in fitting]),
        "u_t_s": _joined(np.float32, [piece.samples.u_t_s[fits] for piece, fits in fitting]),
        "simulated": _joined(np.uint8, [np.full(fits.sum(), piece.key.simulated) for piece, fits in fitting]),
    }
    return columns, refused


def row_columns(table: ClickHouseTable, rows: Sequence[dict[str, Any]]) -> Columns:
    """Return the columns of a table from its rows."""
    return {column.name: [row[column.name] for row in rows] for column in table.columns}


def _repeated(
    fitting: Sequence[tuple[SampleSlice, NDArray[np.bool_]]], name: Callable[[SampleSlice], str]
) -> list[str]:
    names: list[str] = []
    for sample_slice, fits in fitting:
        names += [name(sample_slice)] * int(fits.sum())
    return names


def _joined(kind: type[np.generic], parts: Sequence[NDArray[Any]]) -> NDArray[Any]:
    return np.concatenate([np.empty(0, kind), *parts]).astype(kind)


def _refused(sample_slice: SampleSlice, t_ns: int) -> RefusedLine:
    key = sample_slice.key
    where = f"{key.source} {key.channel} of run {key.run_id} at {t_ns}"
    return RefusedLine(where, f"more than {MOST_REPEAT} samples of one stamp, or more than {MOST_PART} ranges")
