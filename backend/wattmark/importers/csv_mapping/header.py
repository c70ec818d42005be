"""Which cell of a row a mapping means, and whether a file has the header of a mapping."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, product
from pathlib import Path

from wattmark.core.errors import InputError
from wattmark.importers.csv_mapping.csv_rows import CsvLines, csv_rows
from wattmark.importers.csv_mapping.mapping import CsvColumn, CsvMapping, Holds, Place
from wattmark.importers.csv_mapping.named_quantity import named_quantities, words_of
from wattmark.importers.csv_mapping.rates import PER_ENERGY, TIME, written_multiple, written_rate
from wattmark.importers.csv_mapping.units import (
    COUNT,
    INTERVAL_ENERGY,
    UNITS,
    alike,
    extreme,
    foreign_unit,
    no_load,
    spelled,
    written_factor,
    written_units,
)

_NAMED_AS = {
    "idle power": ("power",),
    "apparent power": ("apparent power", "power"),
    INTERVAL_ENERGY: ("energy",),
}
"""Names of quantities in headings, where they are not the quantity itself."""
_NAMED_BY_NOTHING = frozenset({"load level", "performance per watt"})
_AMOUNTS = frozenset({"consumption", "usage", "use", "used", "consumed", "verbrauch"})
"""Words beside power by which people name an energy."""
_INTERVAL_RATE = re.compile("1/[0-9]")
"""As 1/10 s, which may be the work of each line."""
_LONGEST_UNIT = 20
_UNITS_ROW_REMEDY = "Correct the mapping; if the file is wrong, remove its row of units."
_SHOWN = 200
"""Characters of a list of names."""


@dataclass(frozen=True, slots=True)
class Places:
    """Indices of cells from 0."""

    time: tuple[int, ...]
    columns: tuple[int, ...]
    """In the order of the mapping."""
    where: tuple[tuple[tuple[int, str], ...], ...] = ()
    """For each column: the cells that must hold a text, and which."""

    @property
    def cells(self) -> int:
        """Return how many cells a row needs at least."""
        return max(*self.time, *self.columns, -1, -1) + 1


def find_places(mapping: CsvMapping, names: Sequence[str], file: str) -> Places:
    """Find the cells of a mapping by the names of a file. Raises `InputError` naming what is not there."""
    time = mapping.time.columns if mapping.time else ()
    for column in mapping.columns:
        _require_heading(column, mapping, file)
    return Places(
        tuple(_index(place, names, mapping, file) for place in time),
        tuple(_index(column.column, names, mapping, file) for column in mapping.columns),
        tuple(
            tuple(
                (_index(place, names, mapping, file), str(text).strip())
                for place, text in {**mapping.where, **column.where}.items()
            )
            for column in mapping.columns
        ),
    )


def _require_heading(column: CsvColumn, mapping: CsvMapping, file: str) -> None:
    """Refuse a heading that says something else of its column than the mapping. Raises `InputError`."""
    if isinstance(column.column, int):
        return
    if denied := contradiction(column.column, column, mapping):
        raise InputError(
            f"{file}: the heading {column.column[:80]!r} {denied}.",
            "Correct the mapping; if the heading is wrong, give the number of the column in place of its name.",
        )


def contradiction(name: str, column: CsvColumn, mapping: CsvMapping) -> str:
    """Return what a name says of a column that the mapping denies; empty for nothing."""
    measured = column.quantity in UNITS and column.unit != ""
    if measured and (other := _other_unit(name, column) or _other_rate(name, column, mapping.work_unit)):
        return other
    if column.quantity == "power" and (other := _other_power(name, mapping.holds)):
        return other
    return _other_quantity(name, column.quantity) if measured else ""


def _other_unit(heading: str, column: CsvColumn) -> str:
    """Return which other unit than the mapping a heading writes; empty for none."""
    if (factor := written_factor(heading)) and column.unit not in ("dW", "cW"):
        return f"says {factor!r}, and the mapping reads it in {column.unit}"
    if column.quantity != "throughput" and (foreign := foreign_unit(heading)):
        return f"says {foreign}, and {foreign} is not a unit of {column.quantity}"
    written = written_units(heading)
    if not written or column.unit in written:
        return ""
    says = f"says {' or '.join(written)}"
    if not set(written) & set(UNITS[column.quantity]):
        return f"{says}, and {written[0]} is not a unit of {column.quantity}"
    return f"{says}, and the mapping reads it in {column.unit}"


def _other_rate(heading: str, column: CsvColumn, work: str) -> str:
    """Return which other rate than the mapping the heading of a throughput writes; empty for none."""
    if column.quantity != "throughput":
        return ""
    if multiple := written_multiple(heading, work):
        return f"says {multiple}, and the mapping counts {work}"
    written = written_rate(heading)
    if written in (TIME, PER_ENERGY):
        return f"names {'a time' if written == TIME else written}, and throughput is work per time"
    if written in ("", column.unit) or (column.unit == COUNT and _INTERVAL_RATE.match(written)):
        return ""
    if written not in UNITS["throughput"]:
        return f"says {written}, and a throughput is read in {', '.join(UNITS['throughput'])}"
    return f"says {written}, and the mapping reads it in {column.unit}"


def _other_quantity(heading: str, quantity: str) -> str:
    """Return which other quantity than the mapping a heading names; empty for none. A unit of it decides."""
    named, known = named_quantities(heading), _NAMED_AS.get(quantity, (quantity,))
    if quantity in _NAMED_BY_NOTHING or not named or set(named) & set(known):
        return ""
    if set(written_units(heading)) & set(UNITS[quantity]) or (quantity == "throughput" and written_rate(heading)):
        return ""
    if "energy" in known and named == ("power",) and _AMOUNTS.intersection(words_of(heading)):
        return ""
    return f"names {named[0]}, and the mapping reads it as {quantity}"


def _other_power(heading: str, holds: Holds) -> str:
    """Return which power that no load takes a heading names; empty for none."""
    word, words = no_load(heading), words_of(heading)
    if not word and holds == "table of results" and "idle" in words and "load" not in words:
        word = "idle"
    if not word and holds != "table of results" and (word := extreme(heading)):
        return f"says {word!r}, which is not a reading of the power between its lines"
    return f"says {word!r}, and the mapping reads it as the power of the load" if word else ""


def require_units_row(mapping: CsvMapping, places: Places, rows: Mapping[int, Sequence[str]], file: str) -> None:
    """Refuse a row of units that writes another unit than the mapping. Raises `InputError`.

    ``rows`` are those of the heading by their numbers, and the first below it.
    """
    units = [cells for number, cells in rows.items() if number != mapping.names_row]
    for cells, (column, place) in product(units, list(zip(mapping.columns, places.columns, strict=True))):
        text = cells[place].strip("[]() ") if place < len(cells) else ""
        written = tuple(unit for unit in (spelled(text),) if unit) or alike(text)
        if column.quantity == "throughput":
            is_unit = len(text) <= _LONGEST_UNIT and (text.startswith("1/") or not text[:1].isdigit())
            if is_unit and (denied := _other_rate(text, column, mapping.work_unit)):
                raise InputError(
                    f"{file}: the row of units {denied} (column {str(column.column)[:80]!r}).", _UNITS_ROW_REMEDY
                )
            continue
        if column.unit and written and column.unit not in written:
            raise InputError(
                f"{file}: the row of units says {' or '.join(written)} for column {str(column.column)[:80]!r}, and the "
                f"mapping reads it in {column.unit}.",
                _UNITS_ROW_REMEDY,
            )


def is_heading(cells: Sequence[str], names: Sequence[str], places: Places, where: str) -> bool:
    """Return whether a line names the columns once more, beside others, and each where it was.

    Raises `InputError` where it names them at other places: a logger that was started anew, or another table.
    """
    there = [name for name in names if name]
    is_named = 2 * sum(cell in there for cell in cells if cell) > len([cell for cell in cells if cell])
    is_stamp_named = bool(there and places.time) and all(
        place < len(cells) and cells[place].casefold() == names[place].casefold() != "" for place in places.time
    )
    if len(there) < 2 or not (is_named or is_stamp_named):
        return False
    mapped = {place for place in (*places.time, *places.columns) if place < len(names)}
    moved = [names[place] for place in sorted(mapped) if place >= len(cells) or cells[place] != names[place]]
    if moved:
        raise InputError(
            f"{where}: the columns are named once more, and {moved[0]!r} is not where it was before.",
            "Split the file before that line, and import each part by a mapping of its own.",
        )
    return True


def _index(place: Place, names: Sequence[str], mapping: CsvMapping, file: str) -> int:
    if isinstance(place, int):
        return place - 1
    count = names.count(place.strip())
    if count == 1:
        return names.index(place.strip())
    shown = ", ".join(name or "(no name)" for name in names)
    shown = f"{shown[:_SHOWN]}…" if len(shown) > _SHOWN else shown
    if count:
        raise InputError(
            f"{file} has {count} columns named {place!r}.", f"Give its number in the mapping {mapping.name!r} instead."
        )
    raise InputError(
        f"{file} has no column {place!r} in row {mapping.names_row}; the columns there are: {shown or 'none'}.",
        f"Choose another mapping, or change {mapping.name!r}.",
    )


def has_header(mapping: CsvMapping, path: Path) -> bool:
    """Return whether a file has the names that a mapping was made for. Never raises.

    A mapping without names recognises no file.
    """
    wanted = [name.strip() for name in mapping.header]
    if mapping.names_row == 0 or not any(wanted):
        return False
    try:
        rows = list(islice(csv_rows(CsvLines(path, mapping, path.name), mapping), mapping.names_row))
    except InputError:
        return False
    return len(rows) == mapping.names_row and rows[-1].cells == wanted
