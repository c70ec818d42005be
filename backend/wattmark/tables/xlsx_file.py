"""Tables as XLSX: a sheet for people, all data in full precision, methods; the same bytes every time."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable
from datetime import UTC, datetime
from typing import IO, Any

from wattmark.tables.table import Cell, Column, Table
from wattmark.tables.xlsx_summary import write_summary

_CREATED = datetime(2000, 1, 1)  # noqa: DTZ001 - the format knows no zone; fixed so that files repeat
_OPTIONS = {"strings_to_formulas": False, "strings_to_numbers": False, "strings_to_urls": False}
_NOT_IN_SHEET_NAMES = re.compile(r"[^A-Za-z0-9 .,-]+")
_DATA, _METHODS = "Data", "Methods"
_TAKEN = (_DATA.lower(), _METHODS.lower(), "history")
"""Sheet names that are used already or that the format reserves."""
_LONGEST_CELL = 32767
MANY_ROWS = 1000
"""Longer tables are written row by row through a temporary file; in memory, a cell takes a hundred bytes."""


def write_xlsx(table: Table, file: IO[bytes]) -> None:
    """Write the table as people see it, then with all its columns. Unknown is an empty cell. Raises `OSError`."""
    import xlsxwriter
    from xlsxwriter.exceptions import FileCreateError

    where = "constant_memory" if len(table.rows) > MANY_ROWS else "in_memory"
    book = xlsxwriter.Workbook(file, {**_OPTIONS, where: True})
    book.set_properties({"title": table.title, "created": _CREATED})
    write_summary(book, _sheet_name(table.title), table)
    _data_sheet(book, table)
    _methods_sheet(book, table)
    try:
        book.close()
    except FileCreateError as error:
        raise error.args[0] if error.args and isinstance(error.args[0], OSError) else OSError(str(error)) from error


def _data_sheet(book: Any, table: Table) -> None:
    sheet = book.add_worksheet(_DATA)
    bold = book.add_format({"bold": True, "text_wrap": True, "valign": "top"})
    moment = book.add_format({"num_format": "yyyy-mm-dd hh:mm:ss.000"})
    for position, column in enumerate(table.columns):
        sheet.write_string(0, position, column.header, bold)
        sheet.set_column(position, position, _width(column, (row[position] for row in table.rows)))
    for line, row in enumerate(table.rows, start=1):
        for position, (column, cell) in enumerate(zip(table.columns, row, strict=True)):
            _write_cell(sheet, line, position, column, cell, moment)
    sheet.freeze_panes(1, 0)
    if table.columns:
        sheet.autofilter(0, 0, len(table.rows), len(table.columns) - 1)


def _sheet_name(title: str) -> str:
    """Return a sheet name of at most 31 plain characters."""
    name = " ".join(_NOT_IN_SHEET_NAMES.sub(" ", title).split())[:31].strip()
    return name if name and name.lower() not in _TAKEN else "Table"


def _write_cell(sheet: Any, line: int, position: int, column: Column, cell: Cell, moment: Any) -> None:
    when = _moment(cell) if column.kind == "time" and isinstance(cell, str) else None
    if when is not None:
        sheet.write_datetime(line, position, when, moment)
    elif isinstance(cell, bool):
        sheet.write_boolean(line, position, cell)
    elif isinstance(cell, str):
        _write_text(sheet, line, position, cell)
    elif cell is not None and math.isfinite(cell):
        sheet.write_number(line, position, cell)


def _write_text(sheet: Any, line: int, position: int, text: str) -> None:
    if text:
        sheet.write_string(line, position, text[:_LONGEST_CELL])


def _methods_sheet(book: Any, table: Table) -> None:
    sheet = book.add_worksheet(_METHODS)
    bold, wrap = book.add_format({"bold": True}), book.add_format({"text_wrap": True, "valign": "top"})
    sheet.set_column(0, 0, 24)
    sheet.set_column(1, 1, 100, wrap)
    lines = [("note", note) for note in table.footnotes] + list(table.methods)
    lines += [(column.header, column.title or column.key) for column in table.columns]
    sheet.write_row(0, 0, ["term", "meaning"], bold)
    for line, (term, text) in enumerate(lines, start=1):
        sheet.write_string(line, 0, term)
        sheet.write_string(line, 1, text[:_LONGEST_CELL])


def _moment(text: str) -> datetime | None:
    """Parse an ISO stamp as UTC without zone, as spreadsheets need it; None where it is invalid."""
    try:
        return datetime.fromisoformat(text).astimezone(UTC).replace(tzinfo=None)
    except ValueError:
        return None


def _width(column: Column, cells: Iterable[Cell]) -> int:
    longest = max((len(cell) for cell in cells if isinstance(cell, str)), default=0)
    return min(max(longest, len(column.header), 10), 50)
