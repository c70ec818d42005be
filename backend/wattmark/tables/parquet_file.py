"""Tables as Apache Parquet: the Arrow table, with title, footnotes and methods for readers without Arrow beside it."""

from __future__ import annotations

import json
from typing import IO

from wattmark.core.extras import require
from wattmark.tables.arrow import about, arrow_table
from wattmark.tables.table import Table

_WRITER = "wattmark"
"""Named as the writer in the file, so that the same table gives the same bytes with every build of the library."""


def write_parquet(table: Table, file: IO[bytes]) -> None:
    """Write the table; unknown values are null. Raises `InputError` where the extra "parquet" is missing."""
    data = arrow_table(table, "Parquet needs")
    writer = require("parquet", "arro3.io", "Parquet needs")
    writer.write_parquet(data, file, compression="zstd(3)", created_by=_WRITER, key_value_metadata=_outside(table))


def _outside(table: Table) -> dict[str, str]:
    """Describe the table for readers without Arrow: one key, as the library does not keep the order of several."""
    return {"wattmark": json.dumps(about(table), ensure_ascii=False)}
