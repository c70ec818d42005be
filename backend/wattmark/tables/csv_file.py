"""Tables as CSV (RFC 4180): keys with units in the header, full precision, safe to open in a spreadsheet."""

from __future__ import annotations

import csv
import io
import math
from typing import IO

from wattmark.core.csv_text import spreadsheet_text
from wattmark.tables.table import Cell, Table


def write_csv(table: Table, file: IO[bytes]) -> None:
    """Write the table as UTF-8. What is not known is an empty cell."""
    text = io.TextIOWrapper(file, encoding="utf-8", newline="")
    writer = csv.writer(text)
    writer.writerow([spreadsheet_text(column.header) for column in table.columns])
    writer.writerows([_field(cell) for cell in row] for row in table.rows)
    text.detach()


def _field(cell: Cell) -> str:
    if cell is None or (isinstance(cell, float) and not math.isfinite(cell)):
        return ""
    if isinstance(cell, bool):
        return "true" if cell else "false"
    return spreadsheet_text(cell) if isinstance(cell, str) else repr(cell)
