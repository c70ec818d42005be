"""A report as data: sections with texts, tables and figures, in order. `report_file.py` writes it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Self

from wattmark.reports.figures.plot import Plot
from wattmark.reports.tables.table import Cell, Column, Table


@dataclass(frozen=True, slots=True)
class Section:
    """One section; ``level`` 2 is a chapter, 3 a part of it."""

    id: str
    title: str
    words: tuple[str, ...] = ()
    tables: tuple[Table, ...] = ()
    plots: tuple[Plot, ...] = ()
    level: int = 2


@dataclass(frozen=True, slots=True)
class Chapter:
    """An entry of the contents, with the function that yields its sections; the first section has its id."""

    id: str
    title: str
    sections: Callable[[], Iterable[Section]]

    @classmethod
    def of(cls, section: Section) -> Self:
        """Create a chapter of one section."""
        return cls(section.id, section.title, lambda: (section,))


@dataclass(frozen=True, slots=True)
class Report:
    """Title, what it is about in one line, the number of its runs, and the chapters."""

    title: str
    about: str
    runs: int
    chapters: tuple[Chapter, ...]


def facts_table(identity: str, title: str, facts: Mapping[str, Any]) -> Table:
    """Convert nested facts to a table of names and values; empty values are omitted."""
    rows = tuple((name, value) for name, value in _flat("", facts) if value not in (None, ""))
    return Table(identity, title, (Column("name", "Name"), Column("value", "Value")), rows)


def _flat(prefix: str, value: Any) -> list[tuple[str, str | None]]:
    """Convert JSON data to rows with dotted names; short lists become one cell."""
    if isinstance(value, Mapping):
        return [row for key, inner in value.items() for row in _flat(f"{prefix}.{key}" if prefix else str(key), inner)]
    if isinstance(value, list | tuple) and any(isinstance(v, Mapping) for v in value):
        return [row for number, inner in enumerate(value, start=1) for row in _flat(f"{prefix}.{number}", inner)]
    if isinstance(value, list | tuple):
        return [(prefix, " ".join(str(v) for v in value))]
    return [(prefix, None if value is None else str(value))]


def records_table(identity: str, title: str, records: Sequence[Mapping[str, Any]]) -> Table:
    """Convert records with the same fields to a table; a field that no record fills is omitted."""
    names = list(dict.fromkeys(name for record in records for name in record))
    columns = tuple(Column(name, name.replace("_", " "), kind=_kind(records, name)) for name in names)
    rows = tuple(tuple(_cell(record.get(name)) for name in names) for record in records)
    return Table(identity, title, columns, rows)


def _kind(records: Sequence[Mapping[str, Any]], name: str) -> Any:
    values = [record[name] for record in records if record.get(name) is not None]
    numeric = all(isinstance(v, int | float) and not isinstance(v, bool) for v in values)
    return "number" if values and numeric else "text"


def _cell(value: Any) -> Cell:
    if isinstance(value, Mapping):
        return ", ".join(f"{k} {v}" for k, v in value.items() if v not in (None, "")) or None
    if isinstance(value, list | tuple):
        return "; ".join(str(_cell(v)) for v in value) or None
    return value if value is None or isinstance(value, str | int | float | bool) else str(value)
