"""Tables as Apache Parquet: typed columns, units in the schema, title, footnotes and methods beside them."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from typing import IO, TYPE_CHECKING, Any

from wattmark.core.extras import require
from wattmark.tables.table import Cell, Column, Table

if TYPE_CHECKING:
    from arro3.core import Array, Field

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_WRITER = "wattmark"
"""Named as the writer in the file, so that the same table gives the same bytes with every build of the library."""


def write_parquet(table: Table, file: IO[bytes]) -> None:
    """Write the table; unknown values are null. Raises `InputError` where the extra "parquet" is missing."""
    arrow = require("parquet", "arro3.core", "Parquet needs")
    writer = require("parquet", "arro3.io", "Parquet needs")
    fields, arrays = [], []
    for position, column in enumerate(table.columns):
        field, array = _column(arrow, column, [row[position] for row in table.rows])
        fields.append(field)
        arrays.append(array)
    data = arrow.Table.from_arrays(arrays, schema=arrow.Schema(fields, metadata=_about(table)))
    writer.write_parquet(data, file, compression="zstd(3)", created_by=_WRITER, key_value_metadata=_outside(table))


def _about(table: Table) -> dict[str, str]:
    """Describe the table for readers of the schema."""
    return {
        "table": table.id,
        "title": table.title,
        "footnotes": json.dumps(table.footnotes, ensure_ascii=False),
        "methods": json.dumps(dict(table.methods), ensure_ascii=False),
    }


def _outside(table: Table) -> dict[str, str]:
    """Describe the table for readers without Arrow: one key, as the library does not keep the order of several."""
    return {"wattmark": json.dumps(_about(table), ensure_ascii=False)}


def _column(arrow: Any, column: Column, cells: Sequence[Cell]) -> tuple[Field, Array]:
    """Convert a column to Arrow by its kind; a column of times with an invalid instant becomes text."""
    kinds: dict[str, tuple[Any, Callable[[Cell], object]]] = {
        "number": (arrow.DataType.float64, _number),
        "integer": (arrow.DataType.int64, _integer),
        "flag": (arrow.DataType.bool, bool),
    }
    if column.kind == "time" and (stamps := _stamps(cells)) is not None:
        data_type = arrow.DataType.timestamp("ns", tz="UTC")
        array = arrow.Array(stamps, type=arrow.DataType.int64()).cast(data_type)
    else:
        make, convert = kinds.get(column.kind, (arrow.DataType.utf8, str))
        data_type = make()
        array = arrow.Array([None if cell is None else convert(cell) for cell in cells], type=data_type)
    about = {"title": column.title or column.key, "unit": column.unit}
    if column.unit_from:
        about["unit_from"] = column.unit_from
    if column.expanded_u:
        about["expanded_uncertainty"] = column.expanded_u
    if column.rounding:
        about["rounding"] = column.rounding
    return arrow.Field(column.key, data_type, nullable=True, metadata=about), array


def _number(cell: Cell) -> float | None:
    number = float(cell or 0.0)
    return number if math.isfinite(number) else None


def _integer(cell: Cell) -> int:
    return int(cell or 0)


def _stamps(cells: Sequence[Cell]) -> list[int | None] | None:
    """Parse ISO instants as nanoseconds since 1970 UTC; None where any cell is invalid."""
    try:
        return [None if cell is None else _ns(datetime.fromisoformat(str(cell))) for cell in cells]
    except ValueError:
        return None


def _ns(moment: datetime) -> int:
    stamp = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (stamp - _EPOCH) // timedelta(microseconds=1) * 1000
