"""Tables as JSON: columns with their units, rows by key, footnotes."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Mapping
from typing import IO, Any

from wattmark.tables.table import Cell, Table


def write_json(table: Table, file: IO[bytes]) -> None:
    """Write the table as one UTF-8 document. What is not known is null."""
    columns = [
        {"key": column.key, "title": column.title, "unit": column.unit, "kind": column.kind} for column in table.columns
    ]
    keys = [column.key for column in table.columns]
    rows = (dict(zip(keys, map(_value, row), strict=True)) for row in table.rows)
    before = {"table": table.id, "title": table.title, "columns": columns}
    after = {"footnotes": list(table.footnotes), "methods": dict(table.methods)}
    write_document(file, before, "rows", rows, after)


def write_document(
    file: IO[bytes], before: Mapping[str, Any], name: str, items: Iterable[Any], after: Mapping[str, Any]
) -> None:
    """Write a JSON document with a list that need not be in memory, between the members before and after it."""
    head, tail = _members(before), _members(after)
    file.write(f"{{\n{head}{',' if head else ''}{chr(10) if head else ''}  {json.dumps(name)}: [".encode())
    begun = False
    for item in items:
        text = _text(item).replace("\n", "\n    ")  # only JSON's lines: a text may hold others' line ends
        file.write(f"{',' if begun else ''}\n    {text}".encode())
        begun = True
    end = "\n  ]" if begun else "]"
    file.write(f"{end}{',' if tail else ''}{chr(10) if tail else ''}{tail}\n}}\n".encode())


def _members(document: Mapping[str, Any]) -> str:
    """Encode the members of a JSON document, without its braces."""
    return _text(document)[2:-2] if document else ""


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2)


def _value(cell: Cell) -> Cell:
    return None if isinstance(cell, float) and not math.isfinite(cell) else cell
