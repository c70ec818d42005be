"""Columns that name the unit or the quantity of their line: what they say is held against the mapping."""

from __future__ import annotations

from collections.abc import Sequence

from wattmark.core.errors import InputError
from wattmark.importers.csv_mapping.header import Places, contradiction
from wattmark.importers.csv_mapping.mapping import CsvColumn, CsvMapping
from wattmark.importers.csv_mapping.named_quantity import words_of
from wattmark.importers.csv_mapping.units import UNITS, alike, spelled

_UNIT_NAMES = frozenset({"unit", "units", "unitofmeasurement", "uom", "einheit"})
_QUANTITY_NAMES = frozenset({"field", "metric", "metricname", "quantity", "entityid", "statisticid"})
_NAMES = _UNIT_NAMES | _QUANTITY_NAMES | {"measurement"}
"""Headings in small letters without other signs. A measurement of InfluxDB is a group, or a unit in Home Assistant."""
_ANY = "*"


class LineQuantities:
    """What the lines of a file say of their own unit or quantity."""

    def __init__(self, mapping: CsvMapping, names: Sequence[str], places: Places, file: str) -> None:
        """Refuse a choice of lines (where:) that denies the columns it is made for. Raises `InputError`."""
        self._file = file
        self._mapping = mapping
        self._names = names
        self._by_name = [c for c in mapping.columns if isinstance(c.column, str) and c.quantity in UNITS]
        """Who gives a column by its number knows better than what its file says."""
        self._said: dict[int, str] = {}
        used = {*places.time, *places.columns, *(place for chosen in places.where for place, _ in chosen)}
        self._places = tuple(place for place, name in enumerate(names) if place not in used and _is_of_line(name))
        for columns, where in ((self._by_name, mapping.where), *(([c], c.where) for c in self._by_name)):
            for name, text in where.items():
                if text != _ANY and _is_of_line(name):
                    self._require(name, str(text).strip(), columns)

    def require_same(self, line: int, cells: Sequence[str]) -> None:
        """Refuse a line of another unit or quantity than the mapping or the lines before. Raises `InputError`."""
        for place in self._places:
            text, name = cells[place] if place < len(cells) else "", self._names[place]
            if not text or (_plain(name) not in _NAMES and not _units(text)):
                continue
            before = self._said.setdefault(place, text)
            if before != text:
                raise InputError(
                    f"{self._file} has several series in one column: in line {line} its column {name!r} changes from "
                    f"{before[:40]!r} to {text[:40]!r}.",
                    f"Choose one in the mapping, such as where: {{{name}: {before[:40]}}}; give each a column of its "
                    "own there, with its unit, to read them all.",
                )
            self._require(name, text, self._by_name)

    def _require(self, name: str, text: str, columns: Sequence[CsvColumn]) -> None:
        """Refuse what a column says of its lines if it denies each of the mapped columns. Raises `InputError`."""
        denied = [_denied(name, text, column, self._mapping) for column in columns]
        if denied and all(denied):
            raise InputError(
                f"{self._file}: the column {name[:80]!r} of its lines {denied[0]} ({str(columns[0].column)[:80]!r}).",
                f"Correct the mapping; if other lines hold what it says, choose them there by where: {{{name}: their "
                "text}; if the file is wrong, give the number of the mapped column in place of its name.",
            )


def _is_of_line(name: str) -> bool:
    words = words_of(name)
    return _plain(name) in _NAMES or (len(words) > 1 and words[-1] in _UNIT_NAMES)


def _denied(name: str, text: str, column: CsvColumn, mapping: CsvMapping) -> str:
    """Return what a line says that the mapping of a column denies; empty for nothing."""
    units = _units(text)
    if not units:
        return contradiction(text, column, mapping) if _plain(name) in _QUANTITY_NAMES else ""
    if column.unit in units:
        return ""
    says = f"says {' or '.join(units)}"
    if set(units) & set(UNITS[column.quantity]):
        return f"{says}, and the mapping reads it in {column.unit}"
    is_of_all = _plain(name) in _NAMES
    return f"{says}, and {units[0]} is not a unit of {column.quantity}" if is_of_all else ""


def _units(text: str) -> tuple[str, ...]:
    bare = text.strip("[]() ")
    return tuple(unit for unit in (spelled(bare),) if unit) or alike(bare)


def _plain(name: str) -> str:
    return "".join(words_of(name))
