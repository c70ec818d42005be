"""The tables of the archive, their columns and where their files lie; README.md beside this describes them for others.

Columns are those of the fleet's tables in ClickHouse, under the same names, so that a query reads both.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote, unquote

from wattmark.core.extras import require
from wattmark.fleet.clickhouse.tables import RESULT, RUN, SAMPLE, ClickHouseTable

LAYOUT = 1
FORMAT = "wattmark-parquet/1"
MARKER = "_wattmark.json"
"""Says that a folder is an archive; readers of partitions skip names with _."""
SUFFIX = ".parquet"
VERSIONS = "result_version"
ROWS = 100_000
"""Rows of a row group, the unit of Parquet statistics."""
_LONGEST = 150
"""Longest name [bytes]; file systems allow 255 with its prefix and suffix."""
_ALSO = {"t": "timestamp", "unit": "String", "quantity": "String"}
"""Columns of samples that a server does not have: the stamp as a time [us], and what the record says of the series."""


@dataclass(frozen=True, slots=True)
class ParquetPlace:
    """A partition: the runs of a lab that were made in a month, such as 2026-11 (UTC)."""

    lab: str
    month: str

    def file(self, table: str, name: str) -> str:
        """Return the path of a file within the archive."""
        return f"{table}/lab={_written(self.lab)}/month={self.month}/{_written(name)}{SUFFIX}"


def place_of(lab: str, created_ns: int) -> ParquetPlace:
    """Return the partition of a run."""
    return ParquetPlace(lab, datetime.fromtimestamp(created_ns / 1e9, UTC).strftime("%Y-%m"))


def parse_file(path: str, table: str) -> tuple[ParquetPlace, str] | None:
    """Parse the path of a file of a table into its partition and its name as written; None for another path."""
    parts = path.split("/")
    if len(parts) != 4 or parts[0] != table or not parts[3].endswith(SUFFIX):
        return None
    (lab_key, _, lab), (month_key, _, month) = parts[1].partition("="), parts[2].partition("=")
    if (lab_key, month_key) != ("lab", "month"):
        return None
    return ParquetPlace(unquote(lab), month), parts[3].removesuffix(SUFFIX)


def _written(name: str) -> str:
    """Write a name so that it is one folder or file, as Hive escapes it; a long one ends with its hash."""
    text = quote(name, safe=" ")
    if len(text) <= _LONGEST:
        return text
    return f"{quote(name[: _LONGEST // 6], safe=' ')[: _LONGEST // 2]}-{hashlib.sha256(name.encode()).hexdigest()[:32]}"


TABLES: Mapping[str, ClickHouseTable] = {"sample": SAMPLE, "run": RUN, "result": RESULT, VERSIONS: RESULT}
"""`result` has the version in force of each run, `result_version` every issued one."""


def columns(table: str) -> dict[str, str]:
    """List the columns of a table with their types, as ClickHouse names these; a timestamp has no name there."""
    own = {column.name: column.type for column in TABLES[table].columns}
    return {**own, **_ALSO} if table == "sample" else own


def schema(table: str) -> Any:
    """Return the Arrow schema of a table. Raises `InputError` without the extra "parquet"."""
    arrow = require("parquet", "arro3.core", "Parquet needs")
    return arrow.Schema(
        [
            arrow.Field(name, arrow_type(arrow, kind), nullable=kind.startswith("Nullable("))
            for name, kind in columns(table).items()
        ]
    )


def arrow_type(arrow: Any, kind: str) -> Any:
    """Return the Arrow type of a column."""
    types = arrow.DataType
    inner = kind.removeprefix("Nullable(").removesuffix(")") if kind.startswith("Nullable(") else kind
    simple = {
        "String": types.string,
        "UInt8": types.uint8,
        "UInt16": types.uint16,
        "UInt32": types.uint32,
        "Int64": types.int64,
        "Float32": types.float32,
        "Float64": types.float64,
    }
    if inner == "timestamp":
        return types.timestamp("us", tz="UTC")
    if inner == "Array(String)":
        return types.list(arrow.Field("element", types.string(), nullable=False))
    return simple[inner]()
