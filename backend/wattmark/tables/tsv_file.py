"""Tables as tab-separated values, to paste into a spreadsheet: the columns for people, each ± in a separate column."""

from __future__ import annotations

from collections.abc import Iterator
from typing import IO

from wattmark.core.csv_text import spreadsheet_text
from wattmark.core.numbers import NOT_KNOWN, THIN_SPACE
from wattmark.tables.people import NOTES, WrittenCell, cell_text, lay_out
from wattmark.tables.split import split
from wattmark.tables.table import Table


def write_tsv(table: Table, file: IO[bytes]) -> None:
    """Write heads with units, the rows, rounded as for people, and the notes; an unknown value is an empty cell."""
    file.writelines(f"{line}\n".encode() for line in _lines(table))


def _lines(table: Table) -> Iterator[str]:
    page = lay_out(table)
    columns = split(page)
    letters = [NOTES] if page.letters else []
    yield "\t".join(_one_line(text) for text in (*(column.heading for column in columns), *letters))
    for entries, notes in page.lines:
        cells = [_text(entries[column.position], of_u=column.of_u) for column in columns]
        yield "\t".join([*cells, *([notes] if letters else [])])
    if page.footnotes:
        yield ""
        yield from map(_one_line, page.footnotes)


def _text(entry: WrittenCell, *, of_u: bool) -> str:
    """Write a value, or the uncertainty behind its ±, without grouping and without unit."""
    text = cell_text(entry)
    if text == NOT_KNOWN:
        return ""
    if isinstance(entry.value, bool) or not isinstance(entry.value, (int, float)):
        return _one_line(text)
    number = text.removesuffix(entry.unit).rstrip().replace(THIN_SPACE, "")
    number, _, exponent = number.partition(")e") if number.startswith("(") else (number, "", "")
    value, _, u = number.lstrip("(").partition(" ± ")
    part = u if of_u else value
    written = f"{part}e{exponent}" if exponent and part else part
    return f"{written} {entry.unit}" if entry.unit and part else written


def _one_line(text: str) -> str:
    return spreadsheet_text(" ".join(text.split()))
