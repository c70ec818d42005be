"""The first sheet of a workbook: the table as people read it, ready to print, with formulas that give its values."""

from __future__ import annotations

import math
from typing import Any

from wattmark.core.numbers import NOT_KNOWN, decimals_shown, format_number
from wattmark.tables.people import NOTES, WrittenCell, cell_text, lay_out
from wattmark.tables.split import SplitColumn, split
from wattmark.tables.table import Table

_HEAD = 2
"""Row of the heads, below title and statement."""
_PLAIN = (1e-4, 1e9)
"""Magnitudes that are written out; others have an exponent."""
_SAME = 1e-9
"""Relative difference up to which a formula gives the value that the cell shows."""
_LONGEST_CELL = 32767
_WIDEST = 40
_A4 = 9
"""The format's number of that paper."""


def write_summary(book: Any, name: str, table: Table) -> None:
    """Write the sheet row by row: title, statement, heads with units, figures with formats by their ±, notes."""
    page = lay_out(table)
    columns = split(page)
    sheet = book.add_worksheet(name)
    bold = book.add_format({"bold": True, "text_wrap": True, "valign": "top", "bottom": 1})
    sheet.write_string(0, 0, table.title[:_LONGEST_CELL], book.add_format({"bold": True, "font_size": 12}))
    sheet.write_string(1, 0, page.headline[:_LONGEST_CELL])
    headings = [*(column.heading for column in columns), *([NOTES] if page.letters else [])]
    for position, heading in enumerate(headings):
        sheet.write_string(_HEAD, position, heading, bold)
    widths = [len(heading) + 1 for heading in headings]
    cells = _Cells(book, sheet, _Formulas(table, columns))
    for line, (entries, letters) in enumerate(page.lines):
        for position, column in enumerate(columns):
            text = cells.write(line, position, column, entries[column.position])
            widths[position] = max(widths[position], len(text) + 1)
        if letters:
            sheet.write_string(_HEAD + 1 + line, len(columns), letters)
    last = _HEAD + len(table.rows)
    for line, note in enumerate(page.footnotes[1 if page.headline else 0 :], start=last + 2):
        sheet.write_string(line, 0, note[:_LONGEST_CELL])
    for position, width in enumerate(widths):
        sheet.set_column(position, position, min(width, _WIDEST))
    if columns:
        sheet.freeze_panes(_HEAD + 1, 1)
        sheet.print_area(0, 0, last, len(widths) - 1)
        sheet.repeat_rows(_HEAD)
    sheet.set_landscape()
    sheet.set_paper(_A4)
    sheet.fit_to_pages(1, 0)


class _Cells:
    """Write cells by their kind, with one format of each sort in the workbook."""

    def __init__(self, book: Any, sheet: Any, formulas: _Formulas) -> None:
        self._book, self._sheet, self._formulas = book, sheet, formulas
        self._formats: dict[str, Any] = {}

    def write(self, line: int, position: int, column: SplitColumn, entry: WrittenCell) -> str:
        """Write a cell, and return its text if it is one."""
        row = _HEAD + 1 + line
        if isinstance(entry.value, (int, float)) and not isinstance(entry.value, bool):
            number = entry.expanded_u if column.of_u else float(entry.value)
            if number is not None and math.isfinite(number):
                self._number(row, position, number, entry, None if column.of_u else self._formulas.of(column, line))
            return ""
        text = "" if column.of_u else cell_text(entry)[:_LONGEST_CELL]
        if text in ("", NOT_KNOWN):
            return ""
        self._sheet.write_string(row, position, text)
        return text

    def _number(self, row: int, position: int, number: float, entry: WrittenCell, formula: str | None) -> None:
        sort = _number_format(entry)
        if sort not in self._formats:
            self._formats[sort] = self._book.add_format({"num_format": sort})
        if formula is None:
            self._sheet.write_number(row, position, number, self._formats[sort])
        else:
            self._sheet.write_formula(row, position, formula, self._formats[sort], number)


class _Formulas:
    """Formulas of quotients, where they give the value that the sheet shows."""

    def __init__(self, table: Table, columns: tuple[SplitColumn, ...]) -> None:
        self._table = table
        self._places = {column.of.shown.key: (i, column.of) for i, column in enumerate(columns) if not column.of_u}

    def of(self, column: SplitColumn, line: int) -> str | None:
        """Return the formula of a cell; None where none gives its value."""
        shown, base = column.of.shown, self._table.baseline
        if shown.quotient is not None:
            return self._quotient(shown.key, line, (shown.quotient[0], line), (shown.quotient[1], line))
        candidates = (
            self._quotient(shown.key, line, (key, line), (key, base)) for key in shown.against if base is not None
        )
        return next((formula for formula in candidates if formula is not None), None)

    def _quotient(self, key: str, line: int, dividend: tuple[str, int], divisor: tuple[str, int]) -> str | None:
        if dividend[0] not in self._places or divisor[0] not in self._places:
            return None
        value, a, b = (self._written(name, row) for name, row in ((key, line), dividend, divisor))
        if value is None or a is None or not b or not math.isclose(a / b, value, rel_tol=_SAME):
            return None
        from xlsxwriter.utility import xl_rowcol_to_cell

        cells = (xl_rowcol_to_cell(_HEAD + 1 + row, self._places[name][0]) for name, row in (dividend, divisor))
        return f"={'/'.join(cells)}"

    def _written(self, key: str, line: int) -> float | None:
        """Return the number that the sheet has in a cell: in the power of ten of its head."""
        cell = self._places[key][1].entry(self._table.rows[line]).value
        numeric = isinstance(cell, (int, float)) and not isinstance(cell, bool) and math.isfinite(cell)
        return float(cell) if numeric and cell is not None else None


def _number_format(entry: WrittenCell) -> str:
    """Return the spreadsheet format that shows a number with the digits and the unit that people see."""
    unit = f' "{entry.unit.replace(chr(34), "")}"' if entry.unit else ""
    return f"{_digits_format(entry)}{unit}"


def _digits_format(entry: WrittenCell) -> str:
    value = float(entry.value or 0.0)
    if not math.isfinite(value):
        return "General"
    if value and not _PLAIN[0] <= abs(value) < _PLAIN[1]:
        return "0.00E+00"
    column = entry.column
    if column.kind == "integer":
        return "0"
    if column.expanded_u or column.rounded_by or entry.rounding is not None:
        decimals = decimals_shown(value, entry.expanded_u, entry.rounding)
    else:
        decimals = len(format_number(value, column.digits).partition(".")[2])
    return f"#,##0.{'0' * decimals}" if decimals else "#,##0"
