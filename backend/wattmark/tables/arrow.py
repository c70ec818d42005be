"""Tables as Arrow: typed columns, each with its unit, its title and the columns of its ± in its metadata."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

from wattmark.core.extras import require
from wattmark.tables.table import Cell, Column, Table

if TYPE_CHECKING:
    from arro3.core import Array, Field

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def arrow_table(table: Table, feature: str) -> Any:
    """Convert a table to one of arro3; unknown values are null.

    Raises `InputError` where the extra "parquet" is missing; ``feature`` begins its sentence.
    """
    arrow = require("parquet", "arro3.core", feature)
    cells = {column.key: [row[k] for row in table.rows] for k, column in enumerate(table.columns)}
    described = column_metadata(table.columns, cells)
    fields, arrays = [], []
    for column in table.columns:
        field, array = _column(arrow, column, cells[column.key], described[column.key])
        fields.append(field)
        arrays.append(array)
    return arrow.Table.from_arrays(arrays, schema=arrow.Schema(fields, metadata=about(table)))


def about(table: Table) -> dict[str, str]:
    """Describe a table in the metadata of its schema."""
    return {
        "table": table.id,
        "title": table.title,
        "footnotes": json.dumps(table.footnotes, ensure_ascii=False),
        "methods": json.dumps(dict(table.methods), ensure_ascii=False),
    }


def column_metadata(columns: Sequence[Column], cells: Mapping[str, Sequence[Cell]]) -> dict[str, dict[str, str]]:
    """Describe columns by their keys: title and unit, and which columns hold the uncertainty of which.

    A unit that may differ from row to row is stated where it does not.
    """
    described = {
        column.key: {"title": column.title or column.key, "unit": _unit(column, cells)} | _references(column)
        for column in columns
    }
    for column in columns:
        for name, part in (("expanded_uncertainty", column.expanded_u), ("standard_uncertainty", column.standard_u)):
            if part in described:
                described[column.key][name] = part
                described[part][f"{name}_of"] = column.key
        if column.partial and column.expanded_u in described:
            described[column.key]["expanded_uncertainty_is"] = "only a part, as that of counting alone"
    return described


def _references(column: Column) -> dict[str, str]:
    references = {"unit_from": column.unit_from, "rounding": column.rounding}
    return {name: key for name, key in references.items() if key}


def _unit(column: Column, cells: Mapping[str, Sequence[Cell]]) -> str:
    if column.unit or not column.unit_from:
        return column.unit
    units = {cell for cell in cells.get(column.unit_from, ()) if cell is not None}
    return str(units.pop()) if len(units) == 1 else ""


def _column(arrow: Any, column: Column, cells: Sequence[Cell], metadata: Mapping[str, str]) -> tuple[Field, Array]:
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
    return arrow.Field(column.key, data_type, nullable=True, metadata=metadata), array


def _number(cell: Cell) -> float | None:
    number = float(cell or 0.0)
    return number if math.isfinite(number) else None


def _integer(cell: Cell) -> int:
    return int(cell or 0)


def _stamps(cells: Sequence[Cell]) -> list[int | None] | None:
    """Parse ISO instants as nanoseconds since 1970 UTC; None where any cell is invalid, or beyond the year 2262."""
    try:
        stamps = [None if cell is None else _ns(datetime.fromisoformat(str(cell))) for cell in cells]
    except ValueError:
        return None
    return stamps if all(stamp is None or abs(stamp) < 2**63 for stamp in stamps) else None


def _ns(moment: datetime) -> int:
    stamp = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (stamp - _EPOCH) // timedelta(microseconds=1) * 1000
