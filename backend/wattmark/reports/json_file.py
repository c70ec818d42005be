"""Tables as JSON: columns with their units, rows by key, footnotes."""

from __future__ import annotations

import json
import math
from typing import Any

from wattmark.reports.table import Cell, Table


def write_json(table: Table) -> bytes:
    """Write the table as one UTF-8 document. What is not known is null."""
    document: dict[str, Any] = {
        "table": table.id,
        "title": table.title,
        "columns": [
            {"key": column.key, "title": column.title, "unit": column.unit, "kind": column.kind}
            for column in table.columns
        ],
        "rows": [
            {column.key: _value(cell) for column, cell in zip(table.columns, row, strict=True)} for row in table.rows
        ],
        "footnotes": list(table.footnotes),
        "methods": dict(table.methods),
    }
    return (json.dumps(document, ensure_ascii=False, allow_nan=False, indent=2) + "\n").encode()


def _value(cell: Cell) -> Cell:
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell
